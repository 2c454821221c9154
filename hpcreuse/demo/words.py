"""English of sorts: sentences from a small grammar, no paragraph twice."""

import random
import re

from hpcreuse.demo.synonyms import ADJECTIVES, VERBS, first_words

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

# Words enough that no two honest pages say five of them in the same order, but by chance
_BLOG = {
    "thing": "anchor|apron|attic|bakery|balcony|barn|basket|beach|bench|bicycle|blanket|bookshelf|bottle|bridge|bucket|"
    "cabin|candle|carpet|cellar|chimney|clock|coat|corner|cottage|cupboard|curtain|ditch|doorway|drawer|engine|farm|"
    "fence|ferry|field|fireplace|flute|forest|fountain|garden|gate|glove|greenhouse|hammer|harbour|hat|hedge|"
    "hill|house|"
    "island|jacket|kettle|kitchen|ladder|lamp|lantern|letter|map|meadow|mirror|mountain|museum|notebook|orchard|oven|"
    "painting|path|pencil|piano|pillow|plough|pond|porch|radio|river|roof|rope|saddle|shed|shelf|ship|spoon|stable|"
    "staircase|station|stone|stove|street|suitcase|table|telescope|tent|theatre|tower|train|tunnel|valley|"
    "village|violin|"
    "wagon|wall|watch|well|wheel|window|workshop",
    "quality": f"{first_words(ADJECTIVES)}|blue|borrowed|broken|crooked|damp|distant|dusty|familiar|frozen|"
    "golden|green|"
    "hollow|leaden|muddy|painted|patient|pleasant|rainy|red|round|rusty|sandy|silver|snowy|steep|stubborn|sunny|"
    "white|yellow",
    "verb": f"{first_words(VERBS)}|borrowed|crossed|drew|followed|forgot|left|lifted|lost|loved|measured|missed|opened|"
    "painted|passed|pulled|reached|recognised|remembered|sold|tied|touched|visited|washed|weighed",
    "who": "my aunt|my brother|my cousin|my daughter|my neighbour|my sister|our baker|our teacher|our postman|"
    "the captain|"
    "the carpenter|the children|the doctor|the farmer|the fisherman|the gardener|the guests|the miller|the painter|"
    "the pilot|the professor|the sailor|the shepherd|the students|the tailor|the twins|the visitors|the waiter",
    "where": "above|across|along|around|behind|below|beside|beyond|inside|near|outside|over|past|through|towards|under",
    "sentence": "{who} {verb} a {quality} {thing} {where} the {quality} {thing} of {place}.|"
    "{when} {who} {verb} the {thing} that {who} {verb} {where} the {thing}.|"
    "a {quality} {thing} and a {quality} {thing} stood {where} the {thing}, where {who} {verb} the {thing}.|"
    "{person} {verb} {number} {quality} letters {where} the {thing} {when}.|"
    "the {thing} {where} the {thing} was {quality}, and {who} {verb} the {quality} {thing}.|"
    "{who} never {verb} the {thing}, but {person} {verb} a {quality} {thing} in {year}.",
}

# A newspaper has its own things and people, and the adjectives and verbs that have synonyms
_PRESS = {
    **_BLOG,
    "thing": "agency|airport|allowance|ambassador|appeal|assembly|auction|ballot|bankruptcy|budget|bureau|"
    "cabinet|campaign|"
    "candidate|census|ceremony|charter|coalition|colony|commission|committee|compromise|conference|congress|contract|"
    "convention|council|court|crisis|debate|decree|delegation|deposit|dispute|district|dividend|election|embargo|"
    "embassy|"
    "exhibition|factory|festival|finance|forecast|frontier|funeral|gallery|government|hospital|industry|"
    "inflation|inquiry|"
    "insurance|inventory|investment|judgment|jury|legislation|majority|manifesto|merger|minister|ministry|"
    "mission|monument|"
    "navy|negotiation|newspaper|opposition|parliament|passport|patent|pension|petition|pipeline|policy|president|"
    "prison|"
    "proposal|province|railway|rebellion|referendum|reform|regiment|republic|resignation|reunion|revenue|"
    "satellite|scandal|"
    "senate|settlement|shortage|strike|summit|surplus|tariff|tournament|treasury|treaty|tribunal|union|verdict|veteran",
    "who": "a spokesman|an eyewitness|the chancellor|the commissioner|the consul|the critics|the editor|the envoy|"
    "the governor|the inspector|the investors|the journalists|the judge|the lawyers|the mayor|the officers|"
    "the prosecutor|"
    "the reporter|the rivals|the secretary|the senator|the sheriff|the speaker|the statesman|the treasurer|the voters",
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
    for name, theme in {"wiki": _WIKI, "blog": _BLOG, "press": _PRESS, "shop": _SHOP, "spam": _SPAM}.items()
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
