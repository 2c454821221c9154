"""The mutation study: what mutations do to a page, and that the study adds up what an oracle adds up."""

import csv
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import oracle
import pytest
from archives import write_warc
from command import hpcreuse, summary
from hypothesis import given
from hypothesis import strategies as st

from hpcreuse.kernels.ragged import Ragged
from hpcreuse.study.mutations import MUTATIONS, Adding, Changing, Deleting

CHUNKS = st.lists(st.binary(max_size=20).map(lambda text: b"<p>" + text.replace(b"<", b"")), min_size=1, max_size=8)
SEEDS = st.integers(0, 2**32)
NUMBERS = st.lists(st.integers(0, 30), min_size=1, max_size=4).map(sorted)

SITE = [
    (f"http://site.example/{n}.html", b"<html>%d" % n + b"".join(b"<p>%d of %d" % (i, n) for i in range(1 + n % 6)))
    for n in range(16)
] + [("http://site.example/bare.html", b"<p>no head</p><p>but a tail</p>")]
RUNS, BAR = 3, 0.3
OPTIONS = ("--runs", str(RUNS), "--most", "3", "--step", "0.75", "--threshold", str(BAR), "--seed", "5", "--no-figures")


def mutant(kind: type, chunks: list[bytes], most: int, seed: int) -> Adding | Deleting | Changing:
    made: Adding | Deleting | Changing = kind(Ragged.from_strings(chunks), most, np.random.default_rng(seed))
    return made


def pieces(page: bytes) -> list[bytes]:
    return [page[start : start + length] for start, length, _ in oracle.chunks(page)]


@given(CHUNKS, NUMBERS, SEEDS)
def test_added_chunks_leave_the_others_as_they_were(chunks: list[bytes], numbers: list[int], seed: int) -> None:
    page = mutant(Adding, chunks, numbers[-1], seed)
    for number in numbers:
        found = pieces(page.text(number))
        assert len(found) == len(chunks) + number
        rest = iter(found)
        assert all(chunk in rest for chunk in chunks), "the page's own chunks, in their order"


@given(CHUNKS, NUMBERS, SEEDS)
def test_deleted_chunks_are_gone_and_stay_gone(chunks: list[bytes], numbers: list[int], seed: int) -> None:
    page = mutant(Deleting, chunks, numbers[-1], seed)
    before = chunks
    for number in numbers:
        left = pieces(page.text(number))
        assert len(left) == max(0, len(chunks) - number)
        rest = iter(before)
        assert all(chunk in rest for chunk in left)
        before = left


@given(CHUNKS, NUMBERS, SEEDS)
def test_a_change_is_one_character(chunks: list[bytes], numbers: list[int], seed: int) -> None:
    page = mutant(Changing, chunks, numbers[-1] + 1, seed)
    text, made = b"".join(chunks), 0
    for number in sorted({*numbers, 0, 1}):
        now = page.text(number)
        differ = sum(a != b for a, b in zip(text, now, strict=True))
        assert differ <= number - made and (differ == 1 or number - made != 1)
        text, made = now, number


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mutation")
    write_warc(folder / "site.warc.gz", SITE)
    return folder


def expected(numbers: list[int]) -> dict[tuple[str, str, str, int], tuple[Fraction, Fraction, Fraction]]:
    """Mutate and measure again, in plain Python: the mean of badness, of pages left and of pages found."""
    expert = {digest for _, payload in SITE for _, _, digest in oracle.chunks(payload)}
    # The head of a page that begins without a tag is lost to the advertisement before it
    blind = {d for _, p in SITE for start, _, d in oracle.chunks(p) if start or p.startswith(b"<p>")}
    found: dict[tuple[str, str, str, int], tuple[Fraction, Fraction, Fraction]] = {}
    for kind, (name, mutation) in enumerate(MUTATIONS.items()):
        texts: dict[tuple[int, int], list[list[str]]] = {}
        for run in range(RUNS):
            for number, (_, payload) in enumerate(SITE):
                rng = np.random.default_rng([5, kind, run, number])
                page = mutation(Ragged.from_strings(pieces(payload)), numbers[-1], rng)
                for n in numbers:
                    digests = [digest for _, _, digest in oracle.chunks(page.text(n))]
                    texts.setdefault((run, n), []).append(digests)
        for labels, known in (("expert", expert), ("blind", blind)):
            for n in numbers:
                means, pooled, left, above = [], [], [], []
                for run in range(RUNS):
                    pages = [[digest in known for digest in page] for page in texts[run, n] if page]
                    ratios = [Fraction(sum(page), len(page)) for page in pages]
                    if pages:
                        means.append(sum(ratios, Fraction()) / len(pages))
                        pooled.append(Fraction(sum(map(sum, pages)), sum(map(len, pages))))
                    left.append(Fraction(len(pages)))
                    above.append(Fraction(sum(ratio > Fraction(str(BAR)) for ratio in ratios)))
                for of, badness in (("page", means), ("neighborhood", pooled)):
                    if badness:
                        values = (sum(each, Fraction()) / len(each) for each in (badness, left, above))
                        found[name, of, labels, n] = tuple(values)  # type: ignore[assignment]
    return found


def test_the_study_adds_up_what_the_oracle_does_on_any_number_of_ranks(folder: Path) -> None:
    done = summary("study", "mutation", folder / "site.warc.gz", "--out", folder / "one", *OPTIONS)
    with (folder / "one" / "mutation.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    numbers = sorted({int(row["mutations"]) for row in rows if row["mutation"] == "add"})
    assert numbers[0] == 0 and len(numbers) == 5
    wanted = expected(numbers)
    assert {(row["mutation"], row["of"], row["labels"], int(row["mutations"])) for row in rows} == set(wanted)
    for row in rows:
        key = (row["mutation"], row["of"], row["labels"], int(row["mutations"]))
        found = [float(row[name]) for name in ("badness", "pages", "pages_found")]
        assert found == pytest.approx([float(value) for value in wanted[key]], abs=1e-12), key
    assert done["labels"] == {"expert": 70, "blind": 54, "blind_share": 54 / 70}
    for ranks in (2, 3, 5):
        out = folder / f"ranks{ranks}"
        summary("study", "mutation", folder / "site.warc.gz", "--out", out, *OPTIONS, ranks=ranks)
        for name in ("mutation.csv", "tolerance.csv", "study.json"):
            assert (out / name).read_bytes() == (folder / "one" / name).read_bytes(), name


def test_a_department_of_1997_shows_the_shapes_of_the_paper(shared_data: Path, tmp_path: Path) -> None:
    """Figures 4 to 10: monotone falls, expert above blind, neighborhoods more robust than pages."""
    crawl, host = shared_data / "crawl" / "webkb1997.warc.gz", "www.cs.columbia.edu"
    words = ("study", "mutation", crawl, "--below", host, "--runs", "1", "--step", "1", "--out", tmp_path / "out")
    shown = hpcreuse(*words).stdout
    assert "pages, add" in shown and "3.4 and 4.5" in shown
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"mutation.svg", "mutation.png"}
    with (tmp_path / "out" / "mutation.csv").open() as lines:
        curves: dict[tuple[str, str, str], list[float]] = {}
        for row in csv.DictReader(lines):
            curves.setdefault((row["mutation"], row["of"], row["labels"]), []).append(float(row["badness"]))
    for mutation in ("add", "change"):
        for of in ("page", "neighborhood"):
            expert, blind = curves[mutation, of, "expert"], curves[mutation, of, "blind"]
            assert all(a > b for curve in (expert, blind) for a, b in pairwise(curve))
            assert all(a >= b for a, b in zip(expert, blind, strict=True)) and expert[0] == 1 > blind[0]
        pages, neighborhood = curves[mutation, "page", "expert"], curves[mutation, "neighborhood", "expert"]
        assert all(a <= b for a, b in zip(pages, neighborhood, strict=True))
    assert set(curves["delete", "page", "expert"]) == {1.0}
    with (tmp_path / "out" / "tolerance.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    tolerance = {(row["mutation"], row["of"], row["labels"]): float(row["tolerance"]) for row in rows}
    assert 0 < tolerance["add", "page", "blind"] < tolerance["add", "page", "expert"]
    assert tolerance["add", "page", "expert"] < tolerance["add", "neighborhood", "expert"]
