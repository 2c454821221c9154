"""study spin: articles spun with WordNet are found with their seed, others are not; shingles score as if by hand."""

import json
import os
import random
from itertools import combinations
from pathlib import Path

import pytest
from command import hpcreuse, summary, table
from hypothesis import given
from hypothesis import strategies as st

from hpcreuse.spin.thesauri import WORDNET
from hpcreuse.study.spinning import WAYS, spin_words, synonyms_of
from hpcreuse.study.spintax import parse, render, templates

SHARES, SHINGLE_THRESHOLDS = ("0.2", "0.5"), ("0.25", "0.75")


@pytest.fixture(scope="module")
def articles(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hundred real articles as JSON lines; some are plagiarised of each other."""
    if not WORDNET.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"{WORDNET} is missing: scripts/install-wordnet.sh")
        pytest.skip("WordNet is not here: scripts/install-wordnet.sh installs it")
    path = tmp_path_factory.mktemp("articles") / "articles.jsonl"
    lines = (shared_data / "neardup" / "articles_100.train").read_text().splitlines()
    pages = [line.partition(" ") for line in lines]
    path.write_text(
        "".join(json.dumps({"url": f"http://a.org/{name}", "text": text}) + "\n" for name, _, text in pages)
    )
    return path


@pytest.fixture(scope="module")
def studies(articles: Path, shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The study on one rank and on three, the second time from a run."""
    folder = tmp_path_factory.mktemp("studies")
    hpcreuse("hash", articles, "--text", "--out", folder / "run")
    for ranks, source in ((1, articles), (3, folder / "run")):
        hpcreuse(
            *("study", "spin", source, "--synonyms", "wordnet", "--out", folder / f"{ranks}", "--format", "jsonl"),
            *("--seeds", "12", "--versions", "1", "--shares", *SHARES, "--thresholds", "0.6", "0.75"),
            *("--shingle-thresholds", *SHINGLE_THRESHOLDS, "--near", "equal"),
            *("--spintax", shared_data / "spun" / "spammer_template.spintax"),
            ranks=ranks,
        )
    return {ranks: folder / f"{ranks}" for ranks in (1, 3)}


def found(study: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (study / "found.jsonl").read_text().splitlines()]


def test_the_same_on_any_number_of_ranks(studies: dict[int, Path]) -> None:
    for name in ("found.jsonl", "false.jsonl", "spun.jsonl", "spin.svg"):
        assert (studies[1] / name).read_bytes() == (studies[3] / name).read_bytes()


def test_spun_articles_are_found_with_their_seed_and_no_others(studies: dict[int, Path]) -> None:
    rows = [row for row in found(studies[1]) if row["spinning"] != "spintax" and row["threshold"] == 0.75]
    by_immutables = [row for row in rows if row["method"] == "immutables"]
    assert len(by_immutables) == 3 * len(SHARES)
    for row in by_immutables:
        assert (row["recall"], row["precision"], row["pages_found"]) == (1, 1, row["pages"]) and row["pages"] == 12
        assert row["spun"] == row["found"]
    # What shingling is meant to be beaten at: half of the words exchanged
    assert all(row["recall"] == 0 for row in rows if row["method"] == "shingles" and row["share"] == 0.5)
    clusters: dict[int, set[str]] = {}
    for row in table(studies[1] / "spun", "clusters"):
        if row["kind"] == "spun" and "spintax" not in row["url"]:
            clusters.setdefault(row["cluster"], set()).add(row["url"])
    made = [json.loads(line)["url"] for line in (studies[1] / "spun.jsonl").read_text().splitlines()]
    seeds = {url.split("/")[5] for url in made if "/original/" in url}
    for seed in seeds:
        family = {url for url in made if url.split("/")[5] == seed and "/spintax/" not in url}
        assert len(family) == 1 + 3 * len(SHARES)
        [cluster] = [urls for urls in clusters.values() if urls & family]
        # Of the other articles only those that were like it before
        strangers = {url for url in cluster - family if url.startswith("http://spun.")}
        assert family <= cluster and not strangers and len(cluster) <= len(family) + 2


def test_shingles_score_as_counted_slowly(studies: dict[int, Path]) -> None:
    texts = {row["url"]: row["text"].split() for row in map(json.loads, (studies[1] / "spun.jsonl").open())}
    sets = {url: {tuple(words[i : i + 4]) for i in range(len(words) - 3)} for url, words in texts.items()}
    families: dict[tuple[str, str, str], list[str]] = {}
    for url in sorted(texts):
        _, _, _, spinning, share, seed, _ = url.split("/")
        families.setdefault((spinning, share, seed), []).append(url)
    for row in found(studies[1]):
        if row["method"] != "shingles":
            continue
        pairs = []
        for (spinning, share, seed), urls in families.items():
            if (spinning, float(share)) == (row["spinning"], row["share"]):
                original = families["original", "0", seed] if spinning != "spintax" else []
                pairs += combinations([*urls, *original], 2)
        similar = [len(sets[a] & sets[b]) / len(sets[a] | sets[b]) >= row["threshold"] for a, b in pairs]
        assert (row["pairs"], row["found"]) == (len(similar), sum(similar))


def test_wrong_options_are_refused(articles: Path, tmp_path: Path) -> None:
    line = ("study", "spin", articles, "--synonyms", "wordnet", "--out", tmp_path / "o")
    done = hpcreuse(*line, "--shares", "2", check=False)
    assert done.returncode == 2 and "at most 1" in done.stderr
    done = hpcreuse(*line, "--min-words", "1000000", check=False)
    assert done.returncode == 1 and "nothing can be spun" in done.stderr and "Traceback" not in done.stderr


def test_summary_shows_recall(studies: dict[int, Path]) -> None:
    record = json.loads((studies[1] / "study.json").read_text())
    assert record["summary"]["seeds"] > 12 and record["options"]["synonyms"] == "wordnet"
    again = summary("show", studies[1] / "spun", "http://spun.invalid/all/0.5/0/0")
    assert any(part["change"] == "replace" for page in again["texts"] for part in page["parts"])


TEXT = st.text("ab {|}", max_size=30)


@given(TEXT, st.integers())
def test_any_text_is_spintax(text: str, seed: int) -> None:
    written = render(parse(text), random.Random(seed))
    plain = text.replace("{", "").replace("}", "").replace("|", "") if "{" not in text else None
    assert len(written) <= len(text)
    if plain is not None and "|" not in text and "}" not in text:
        assert written == text
    assert len(templates(text)) >= 1


def test_spintax_takes_one_of_each_choice() -> None:
    draw = random.Random(0)
    written = {render(parse("a {b|c {d|e}} f{|g}"), draw) for _ in range(200)}
    assert written == {f"a {x} f{y}" for x in ("b", "c d", "c e") for y in ("", "g")}
    assert [render(one, draw) for one in templates(" {one|two {three}|")] == ["one", "two three", ""]


def test_spinning_exchanges_the_longest_phrase_or_single_words() -> None:
    synonyms = synonyms_of([["Motor-car", "auto|x", "auto"], ["car", "wagon", "cart"], ["a b c d e", "car"]])
    words = "my motor car is a car".split()
    draw = random.Random(1)
    assert spin_words(words, synonyms, WAYS["phrases"], 0.0, draw) == words
    assert spin_words(words, synonyms, WAYS["one"], 1.0, draw) == "my motor wagon is a wagon".split()
    spun = {" ".join(spin_words(words, synonyms, WAYS["phrases"], 1.0, draw)) for _ in range(50)}
    assert spun == {f"my {a} is a {b}" for a in ("auto", "auto x") for b in ("wagon", "cart")}
    assert synonyms["wagon",] == [("car",)]
