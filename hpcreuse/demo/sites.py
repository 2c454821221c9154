"""The sites of the demo's crawl: which copy, which only look alike, which are honest."""

from dataclasses import dataclass

from hpcreuse.demo.pages import Capture, frame, page, paragraphs
from hpcreuse.demo.phish import Phish, plant_phish
from hpcreuse.demo.texts import Texts, plant_texts
from hpcreuse.demo.words import Prose

TOPICS = ("architecture", "crafts", "geography", "history", "people", "transport")
PAGES_PER_TOPIC = 10
CLONES = (
    ("freefacts.example/", "FreeFacts"),
    ("mirror.example/copies/wiki/", "Mirror of Everything"),
    ("answers-online.example/library/en/reference/", "Answers Online"),
    ("studyhelp.example/a/", "Study Help"),
)
FARM = [
    f"{what}-{where}.example/"
    for what in ("best-loans", "casino-bonus", "cheap-flights", "free-ringtones", "top-mortgage")
    for where in ("deals", "online", "today")
]
SHOPS = [f"{name}-shop.example/" for name in "ash birch cedar elm larch maple rowan willow".split()]
HONEST = [
    f"{name}.example/"
    for name in "alpineclub baker-street-choir birdwatch bookbinding coastguard-memories cyclingdiary damson "
    "fellrunner gardennotes harbourlife inkandpaper jo-cooks kitepilot localhistory millstream nightsky "
    "oldtools pottery quietrivers rowingclub".split()
]
COLLEGE, COLLEGE_COPIES = "college.example/", "college.example/~hollis/old/wiki/"


@dataclass(frozen=True)
class Group:
    """Neighborhoods that were planted for one purpose."""

    what: str
    prefixes: tuple[str, ...]
    bad: bool
    """Whether detection must find them to be bad neighborhoods."""


@dataclass(frozen=True)
class Plant:
    """All that was planted."""

    captures: list[Capture]
    groups: list[Group]
    texts: Texts
    phish: Phish
    quote: str
    """The wiki paragraph that one honest site quotes: a whole chunk."""

    @property
    def copies(self) -> list[str]:
        """The pages that lie in neighborhoods to be found."""
        starts = tuple(f"http://{prefix}" for group in self.groups if group.bad for prefix in group.prefixes)
        return [capture.url for capture in self.captures if capture.url.startswith(starts)]


def plant(seed: int) -> Plant:
    """Make up all sites; the same seed gives the same bytes."""
    prose = Prose(seed)
    articles = wiki_articles(prose)
    quote = articles[0].paragraphs[2]
    captures = wiki_site("opencompendium.example/wiki/", "Open Compendium", articles, prose)
    for root, name in CLONES:
        captures += wiki_site(root, name, articles, prose)
    captures += link_farm(prose) + shops(prose)
    for number, root in enumerate(HONEST):
        captures += honest_site(root, 30, prose, quote if number == 0 else "")
    captures += honest_site(COLLEGE, 30, prose)
    captures += wiki_site(COLLEGE_COPIES, "Notes of A. Hollis", articles[:PAGES_PER_TOPIC], prose)
    texts = plant_texts(prose)
    phish = plant_phish(prose)
    captures += texts.captures + phish.captures
    groups = [
        Group("the wiki itself: its text is copied", ("opencompendium.example/",), True),
        Group(f"{len(CLONES)} clones of it, in frames of their own", tuple(site(root) for root, _ in CLONES), True),
        Group(f"{len(FARM)} hosts of a link farm", tuple(FARM), True),
        Group(f"{len(SHOPS)} shops: shared furniture, own goods", tuple(SHOPS), False),
        Group(f"{len(HONEST)} honest sites, one quotes the wiki once", tuple(HONEST), False),
        Group(f"a newspaper, and {len(texts.sites) - 1} that use its words", texts.sites, False),
        Group(f"a bank, and {len(phish.phish)} that pretend to be it", phish.sites, False),
        Group("a college: honest, but for one folder", (COLLEGE,), False),
        Group("  that folder: " + COLLEGE_COPIES.removeprefix("college.example"), (COLLEGE_COPIES,), True),
    ]
    return Plant(captures, groups, texts, phish, quote)


def site(root: str) -> str:
    """Give the neighborhood of the whole host."""
    return root.partition("/")[0] + "/"


@dataclass(frozen=True)
class Article:
    """What a wiki page says, whoever shows it."""

    path: str
    title: str
    paragraphs: list[str]

    @property
    def body(self) -> str:
        """The part of the page that clones take over as it is."""
        return f'<div class="article">\n<h1>{self.title}</h1>\n{"".join(self.paragraphs)}</div>\n<p></p>\n'


def wiki_articles(prose: Prose) -> list[Article]:
    """Write the wiki."""
    articles = []
    for topic in TOPICS:
        for number in range(PAGES_PER_TOPIC):
            title = prose.title("wiki")
            path = f"{topic}/{title.lower().replace(' ', '-')}-{number}.html"
            articles.append(Article(path, title, paragraphs(prose, "wiki", prose.rng.randint(7, 12))))
    return articles


def wiki_site(root: str, name: str, articles: list[Article], prose: Prose) -> list[Capture]:
    """Show articles in a frame of one's own."""
    header, footer = frame(name, prose, "wiki")
    return [
        Capture(f"http://{root}{article.path}", page(article.title, name, header, article.body, footer))
        for article in articles
    ]


def link_farm(prose: Prose) -> list[Capture]:
    """Put the same lists of links on many hosts, with one sentence of difference a page."""
    blocks = []
    for _ in range(14):
        links = "\n".join(
            f'<li><a href="http://{prose.rng.choice(FARM)}offers/">{prose.title("spam")}</a></li>' for _ in range(6)
        )
        blocks.append(f'<div class="links"><ul>\n{links}\n</ul></div>\n')
    captures = []
    for root in FARM:
        for number in range(6):
            own = f"<p>{prose.paragraph('spam', 2, 2)}</p>\n"
            payload = page(prose.title("spam"), root.rstrip("/"), "", own + "".join(blocks), "")
            captures.append(Capture(f"http://{root}offers/page{number}.html", payload))
    return captures


def shops(prose: Prose) -> list[Capture]:
    """Fill the template of one shop program with different goods."""
    furniture = [f'<div class="{part}">{prose.paragraph("shop", 2, 2)}</div>\n' for part in ("cart", "help", "terms")]
    captures = []
    for root in SHOPS:
        name = root.partition("-")[0].title() + " Shop"
        header, _ = frame(name, prose, "shop")
        for shelf in ("home", "travel", "garden"):
            for number in range(4):
                goods = "".join(paragraphs(prose, "shop", prose.rng.randint(5, 8)))
                body = furniture[0] + goods + furniture[1]
                payload = page(prose.title("shop"), name, header, body, furniture[2])
                captures.append(Capture(f"http://{root}catalogue/{shelf}/item-{number}.html", payload))
    return captures


def honest_site(root: str, count: int, prose: Prose, quote: str = "") -> list[Capture]:
    """Write a site of own text; its first page may quote a paragraph."""
    name = root.partition(".")[0].replace("-", " ").title()
    header, footer = frame(name, prose, "blog")
    captures = []
    for number in range(count):
        text = paragraphs(prose, "blog", prose.rng.randint(6, 10))
        if number == 0 and quote:
            text.insert(3, quote)
        path = f"{2004 + number % 3}/{1 + number % 4:02d}/entry-{number}.html"
        payload = page(prose.title("blog"), name, header, "".join(text), footer)
        captures.append(Capture(f"http://{root}{path}", payload))
    return captures
