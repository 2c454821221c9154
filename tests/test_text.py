"""`hash --text`: the visible words of pages, their links, language, domain and address."""

import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from archives import write_warc
from command import hpcreuse, table
from hypothesis import given
from hypothesis import strategies as st

from hpcreuse import kernels
from hpcreuse.kernels import plain
from hpcreuse.kernels.letters import word_characters
from hpcreuse.page.charset import charset, to_text
from hpcreuse.page.domain import registered_domain
from hpcreuse.page.language import PIECES, SAMPLE, language, sample
from hpcreuse.page.text import read_text, visible_text
from hpcreuse.store.run import Run
from hpcreuse.store.shard import Shard
from hpcreuse.store.shard_text import ShardText


def words_of(text: str) -> list[str]:
    """The definition, slowly: maximal runs of letters, marks and digits, lower-cased."""
    kept = [c if unicodedata.category(c)[0] in "LM" or unicodedata.category(c) == "Nd" else " " for c in text.lower()]
    return "".join(kept).split(" ") if kept else []


def known(table_: kernels.WordTable, numbers: np.ndarray) -> list[str]:
    _, texts, ends = table_.vocabulary()
    blob, bounds = texts.tobytes(), [0, *ends.tolist()]
    return [blob[bounds[n] : bounds[n + 1]].decode() for n in numbers.tolist()]


@given(st.lists(st.text(max_size=60), max_size=5))
def test_words_are_those_of_the_definition_and_of_the_twin(texts: list[str]) -> None:
    table_, twin = kernels.WordTable(), plain.WordTable()
    for text in texts:
        lower = text.lower().encode("utf-8", "replace")
        numbers = table_.add(lower)
        assert known(table_, numbers) == [word for word in words_of(lower.decode()) if word]
        assert numbers.tolist() == twin.add(lower).tolist()
    for mine, theirs in zip(table_.vocabulary(), twin.vocabulary(), strict=True):
        assert mine.tolist() == theirs.tolist()


def test_a_table_of_words_grows() -> None:
    words = [f"w{n}x{n * n}" for n in range(50_000)]
    table_ = kernels.WordTable()
    assert table_.add(" ".join(words).encode()).tolist() == list(range(50_000))
    assert known(table_, table_.add(" ".join(reversed(words)).encode())) == words[::-1]


TAGS = st.sampled_from(["<p>", "</P>", "<br/>", "<b>", "<div", "<h1 ", "<h7>", "</ p>", "<", "a", " ", "</option>"])


@given(st.lists(TAGS | st.text(max_size=3), max_size=30).map(lambda parts: "".join(parts).encode("utf-8", "replace")))
def test_blocks_are_set_apart_as_by_the_twin(page: bytes) -> None:
    assert kernels.separate_blocks(page) == plain.separate_blocks(page)


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<p>one<p>two", "one two"),
        ("f<b>oo</b>bar <i>x</i>y", "foobar xy"),
        ("a<div>b</div>c<br>d<td>e", "a b c d e"),
        ("<table><tr><td>a<td>b</table>", "a b"),
        ("x<script>no()</script>y<style>p{}</style><template>no</template><noscript>no</noscript>", "xy"),
        ("<title>not in the body</title>caf&eacute; &amp; Na&iuml;ve", "café naïve"),
        ("<ul><li>one<li>two</ul>three", "one two three"),
        ("<select><option>a<option>b</select>", "a b"),
        ("", ""),
        ("<frameset><frame src=x></frameset>", ""),
        ("can't stop_it 3.14", "can t stop it 3 14"),
    ],
)
def test_visible_words(html: str, words: str) -> None:
    found = words_of(visible_text(html).text)
    assert [word for word in found if word] == words.split()


def test_links_and_the_words_in_them() -> None:
    seen = visible_text("a <a href=x>one two</a><a name=y>no link</a><div><a href=z><b>thr</b>ee</a>")
    assert (seen.links, seen.link_text.split()) == (2, ["one", "two", "three"])


@pytest.mark.parametrize(
    ("payload", "content_type", "name"),
    [
        (b"\xef\xbb\xbfx", "text/html; charset=latin-1", "utf-8"),
        (b"\xff\xfex\0", "", "utf-16-le"),
        (b"x", "text/html; charset=Shift_JIS", "cp932"),
        (b"x", 'text/html; charset="ISO-8859-1"', "cp1252"),
        (b"<meta charset=gb2312>x", "text/html", "gb18030"),
        (b'<meta http-equiv=x content="text/html; charset=koi8-r">', "text/html; charset=nonsense", "koi8-r"),
        (b"<meta charset=utf-16>x", "", "utf-8"),
        (b"<meta charset=rot13>x", "", "utf-8"),
        (b"<meta charset=unicode_escape>\xe9", "text/html; charset=zlib", "cp1252"),
        ("é".encode(), "", "utf-8"),
        (b"\xe9", "", "cp1252"),
    ],
)
def test_charsets(payload: bytes, content_type: str, name: str) -> None:
    assert charset(payload, content_type, markup=True) == name
    to_text(payload, content_type, markup=True)


def test_plain_text_skips_the_parser_and_other_types_have_no_words() -> None:
    assert read_text(b"a<b>c", "text/plain", True, "").text == "a<b>c"
    assert read_text(b"<rss>x</rss>", "text/xml", False, "").text == ""
    assert read_text("été".encode("cp1252"), "text/html", False, "text/html; charset=latin-1").text == "été"


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.bbc.co.uk", "bbc.co.uk"),
        ("a.b.example.com:8080", "example.com"),
        ("me.blogspot.com", "me.blogspot.com"),
        ("10.1.2.3", "10.1.2.3"),
        ("[::1]", "[::1]"),
        ("com", "com"),
        ("", ""),
    ],
)
def test_registered_domains(host: str, domain: str) -> None:
    assert registered_domain(host) == domain


def test_letters_marks_and_digits_of_all_planes_belong_to_words() -> None:
    found = word_characters()
    kinds = [unicodedata.category(chr(point)) for point in range(sys.maxunicode + 1)]
    assert len(found) == len(kinds)
    assert found.tolist() == [kind[0] in "LM" or kind == "Nd" for kind in kinds]


def test_languages() -> None:
    assert language("The quick brown fox jumps over the lazy dog, and then it goes home to sleep.") == "en"
    assert language("Der schnelle braune Fuchs springt über den faulen Hund und geht dann nach Hause.") == "de"
    assert language("") == language("\0\1 \ufffe") == ""


def test_the_language_is_that_of_most_of_a_page_not_of_its_beginning() -> None:
    german = "Der schnelle braune Fuchs springt über den faulen Hund und geht dann nach Hause. " * 50
    menu = "Home About us Our products and services Contact the company Terms of use \n   \n " * 3
    assert language(menu) == "en"
    assert language(menu + german) == "de"


def test_a_sample_is_short_and_from_all_over_the_text() -> None:
    assert sample("a  b \n c") == "a b c"
    spread = sample(" ".join(f"{number:04d}" for number in range(5000)))
    assert len(spread) <= SAMPLE + PIECES
    assert spread.startswith("0000 0001") and {"1", "3", "4"} <= {word[0] for word in spread.split()}
    assert len(sample("x" * 100_000)) <= SAMPLE + PIECES


def stored_words(run: Path) -> list[tuple[bytes, list[str]]]:
    """Give the URL and words of every page of a run."""
    found = []
    for path in Run.open(run).shard_paths():
        with Shard.open(path) as shard:
            text = ShardText(shard)
            spelled, numbers = [s.decode() for s in text.spellings()], text.numbers()
            assert (text.hashes[numbers.values] == text.words().values).all()
            assert [plain.word_hash(s.encode()) for s in spelled[:100]] == text.hashes[:100].tolist()
            for number, url in enumerate(shard.strings("files/url")):
                page = numbers.values[numbers.offsets[number] : numbers.offsets[number + 1]]
                found.append((url, [spelled[n] for n in page.tolist()]))
    return sorted(found)


def test_a_run_keeps_the_words_of_real_pages(shared_data: Path, tmp_path: Path) -> None:
    """One rank and three, in one part and in several: the same words, and those of the definition."""
    crawl = shared_data / "crawl" / "webkb1997.warc.gz"
    hpcreuse("hash", crawl, "--text", "--out", tmp_path / "one")
    hpcreuse("hash", crawl, "--text", "--out", tmp_path / "three", "--memory", "8M", ranks=3)
    assert len(Run.open(tmp_path / "three").shard_paths()) > 3
    words = stored_words(tmp_path / "one")
    assert words == stored_words(tmp_path / "three")
    assert sum(len(page) for _, page in words) > 1_000_000
    tables = [hpcreuse("export", tmp_path / name, "texts").stdout for name in ("one", "three")]
    assert tables[0] == tables[1] and len(tables[0].splitlines()) == len(words)
    assert hpcreuse("verify", tmp_path / "three").returncode == 0


def test_what_the_tables_say_of_a_page(tmp_path: Path) -> None:
    page = b"<p>The weather is nice today, and we walk <a href=/x>through the park</a>.<script>x</script>"
    write_warc(tmp_path / "a.warc.gz", [("http://www.example.co.uk/a", page)])
    hpcreuse("hash", tmp_path / "a.warc.gz", "--text", "--out", tmp_path / "run")
    [row] = table(tmp_path / "run", "texts")
    assert (row["words"], row["links"], row["link_words"]) == (11, 1, 3)
    assert (row["language"], row["domain"]) == ("en", "example.co.uk")


def test_a_run_has_its_words_or_not(tmp_path: Path) -> None:
    write_warc(tmp_path / "a.warc.gz", [("http://a.org/", b"<p>words")])
    hpcreuse("hash", tmp_path / "a.warc.gz", "--out", tmp_path / "run")
    refused = hpcreuse("hash", tmp_path / "a.warc.gz", "--text", "--out", tmp_path / "run", check=False)
    assert refused.returncode == 1 and "without --text" in refused.stderr
    missing = hpcreuse("export", tmp_path / "run", "texts", check=False)
    assert missing.returncode == 1 and "--text" in missing.stderr
