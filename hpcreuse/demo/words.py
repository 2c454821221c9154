"""English of sorts: sentences from a small grammar, no paragraph twice."""

import random
import re

_SLOT = re.compile(r"\{(\w+)\}")

# Words that follow "a" begin with a consonant, so that no sentence needs "an"
_SHARED = {
    "place": "Aldermoor|Brackwater|Calderstone|Dunmarrow|Eastvale|Ferncliff|Greywick|Hollin Bay|Ivelmouth|"
    "Kestrel Hill|Larkfield|Marlow Fen|Northgate|Oxbridge|Pinehaven|Quarry Bank|Ravensholm|Silverbrook|"
    "Thornbury|Upper Wensley|Verrin|Westmark|Yarrowdale",
    "person": "Agnes Holt|Bernard Quill|Clara Penrose|David Marsh|Edith Lowell|Frederick Stone|Grace Ashdown|"
    "Henry Tull|Isabel Crane|Jonas Field|Katharine Moor|Leonard Vale|Martha Finch|Nicholas Reed",
    "year": "|".join(str(year) for year in range(1640, 1976)),
    "number": "|".join(str(number) for number in range(12, 480)),
    "when": "in spring|in summer|in autumn|in winter|for a century|for many years|within a decade|after the war|"
    "before the flood|at low tide|on market days|during the long drought",
}

_WIKI = {
    "thing": "bridge|canal|cathedral|harbour|library|lighthouse|manor|market hall|mill|monastery|observatory|"
    "railway|reservoir|school|tower|town wall|trade route|treaty|university|viaduct",
    "quality": "broad|celebrated|costly|famous|large|local|medieval|modest|remarkable|small|stone-built|wooden",
    "verb": "attracted|changed|divided|employed|outgrew|protected|replaced|served|supplied|united",
    "object": "the farms of the valley|the fishing fleet|the guild of weavers|the older settlement|"
    "the parish council|the salt trade|the surrounding villages|the town's merchants|travellers from the coast",
    "sentence": "The {thing} of {place} was completed in {year} and {verb} {object} {when}.|"
    "It {verb} {object}, although a {quality} {thing} already stood near {place}.|"
    "{person} described it in {year} as a {quality} work that {verb} {object}.|"
    "Records from {place} mention {number} labourers and a {quality} {thing} in {year}.|"
    "By {year} the {thing} had {verb} {object}, and {number} families lived around it.|"
    "A survey of {year} counted {number} stones, of which {place} later received a part.|"
    "Historians such as {person} doubt that a {quality} {thing} {verb} {object} {when}.|"
    "After {year} its upkeep fell to {place}, which paid {number} crowns a year.",
}

_BLOG = {
    "thing": "garden|kitchen|bicycle|notebook|piano|telescope|greenhouse|rowing boat|camera|bread oven|bookshelf",
    "quality": "borrowed|cheap|good|heavy|little|patient|quiet|rusty|second-hand|stubborn|sunny|well-worn",
    "verb": "cleaned|forgot|moved|painted|photographed|repaired|sold|tested|weighed|wrote about",
    "object": "the neighbour's fence|the first tomatoes|a box of old letters|the back door|the winter coats|"
    "my grandmother's recipe|the dog's basket|the long way home|the radio",
    "sentence": "We {verb} the {thing} {when}, and then walked to {place} for bread.|"
    "My friend {person} came by with a {quality} {thing} and stayed for {number} minutes.|"
    "I never thought that a {quality} {thing} would matter, but {person} {verb} it {when}.|"
    "On the train from {place} I {verb} {object} and read {number} pages.|"
    "It took {number} days until the {thing} worked again; {person} never doubted the {quality} {thing}.|"
    "There is a {quality} shop in {place} where they {verb} {object} {when}.|"
    "If you ever see {object}, think of {place} and of a {quality} {thing}.|"
    "{person} asked what we {verb}; I said {object}, and a {thing} from {year}.",
}

_SHOP = {
    "thing": "desk lamp|kettle|leather bag|mantel clock|pocket knife|rain jacket|rocking chair|saucepan|tea set|"
    "wool blanket|writing case",
    "quality": "bright|durable|hand-made|lightweight|practical|quiet|robust|simple|soft|sturdy|timeless",
    "verb": "designed|finished|inspected|packed|polished|restored|stitched|tested|wrapped",
    "object": "the whole series|each handle|every seam|the inner lining|the lid|the stand|the travel case",
    "sentence": "This {quality} {thing} was {verb} in {place} and weighs {number} grams.|"
    "Our workshop {verb} {object} by hand: number {number} of a {quality} series.|"
    "Customers from {place} praise the {quality} {thing} and use it {when}.|"
    "{person} {verb} {object} after a pattern of {year}.|"
    "It comes with a {quality} case, and {object} can be ordered for {number} crowns.|"
    "The {thing} lasts {when}, says {person}, who {verb} {number} of them.",
}

_SPAM = {
    "thing": "bargain|bonus|casino|coupon|credit card|download|holiday|jackpot|loan|mortgage|ringtone|voucher",
    "quality": "best|cheapest|fast|free|guaranteed|hot|instant|new|secret|top",
    "verb": "beat|compare|find|get|save on|unlock|win",
    "object": "all rates|every prize|last-minute deals|the top offers|your quote",
    "sentence": "{verb} the {quality} {thing} of {place}: {number} offers for {object}, {quality} and {quality}.|"
    "Your {quality} {thing} in {place} lets you {verb} {object} with {number} links.|"
    "{number} ways to {verb} {object}: {quality} {thing}, {quality} {thing}, all from {place}.",
}

_THEMES = {
    name: {slot: words.split("|") for slot, words in {**_SHARED, **theme}.items()}
    for name, theme in {"wiki": _WIKI, "blog": _BLOG, "shop": _SHOP, "spam": _SPAM}.items()
}


class Prose:
    """Writes paragraphs on a theme, each of them once only."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self._written: set[str] = set()

    def sentence(self, theme: str) -> str:
        """Fill a sentence with words of a theme: wiki, blog, shop or spam."""
        words = _THEMES[theme]
        text = _SLOT.sub(lambda slot: self.rng.choice(words[slot[1]]), self.rng.choice(words["sentence"]))
        return text[0].upper() + text[1:]

    def paragraph(self, theme: str, shortest: int = 3, longest: int = 6) -> str:
        """Write some sentences in a row that were not written before."""
        while True:
            text = " ".join(self.sentence(theme) for _ in range(self.rng.randint(shortest, longest)))
            if text not in self._written:
                self._written.add(text)
                return text

    def title(self, theme: str) -> str:
        """Name an article or a product."""
        words = _THEMES[theme]
        quality, thing, place = (self.rng.choice(words[slot]) for slot in ("quality", "thing", "place"))
        return f"The {quality} {thing} of {place}"
