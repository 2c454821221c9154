"""hpcreuse phish: pages that copy originals, such as a bank's; also as an extension for the browser."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import ReadFields, SharedOptions
from hpcreuse.config import argument, number, option, output, whole_number
from hpcreuse.digest_fields import AskedDigestFields, asked_options
from hpcreuse.errors import UsageError

if TYPE_CHECKING:
    from hpcreuse.page.options import DigestOptions
    from hpcreuse.parallel.world import World

HELP = """find phishing: pages whose DOM has a chunk of an original, and that do not stand on its own domain.
With --extension, write a browser extension that does so instead"""
EXAMPLES = """\
  hpcreuse label www.bank.example --url-prefix http://www.bank.example/ --mode dom --min-length 26 --out bank.h5
  hpcreuse phish suspects.warc.gz --labels bank.h5 --allow bank.test --out phish
  mpiexec -n 16 hpcreuse phish suspects/ --labels bank.h5 --render --truth truth.tsv --out phish
  hpcreuse phish run --labels hashes.paypal.json --out phish       (a run hashed with --mode dom --digest sha256)
  hpcreuse phish --extension bank-extension --labels bank.h5
"""


@dataclass(frozen=True)
class Options(AskedDigestFields, ReadFields):
    """What `phish` takes."""

    inputs: tuple[str, ...] = argument(
        "a run hashed with --mode dom, or pages as for `hash`", (), metavar="RUN|INPUT", many=True
    )
    labels: str = option(
        "labels of the originals, made with `label --mode dom`; or a digest list, or a plugin's JSON", metavar="LABELS"
    )
    out: Path | None = option("the result", None, metavar="RESULT", convert=output)
    extension: Path | None = option(
        "write an unpacked browser extension with these labels there, instead of looking at pages",
        None,
        metavar="DIR",
        convert=output,
        instead_of="out",
    )
    allow: tuple[str, ...] = option(
        "further domains of the originals, beside those of the labels' sources", (), metavar="DOMAIN", many=True
    )
    min_length: int = option(
        "shorter chunks, in bytes, take no part (the paper: over 25)", 26, metavar="N", convert=whole_number
    )
    truth: Path | None = option(
        "what pages are: a line for each with its URL, or the end of it, and after a tab or comma `phish` or `benign`",
        None,
        metavar="FILE",
        convert=Path,
    )
    originals: tuple[str, ...] = option(
        "the originals themselves: tells direct copies from those found normalised or parsed",
        (),
        metavar="INPUT",
        many=True,
    )
    render: bool = option("run pages in Chromium, without network, and look at the DOM after their scripts", False)
    render_seconds: float = option("how long a page may run", 10.0, metavar="SECONDS", convert=number)


def run(world: "World", options: Options, shared: SharedOptions) -> dict[str, Any]:
    """Collective. Find phishing, or write the extension; give the summary."""
    from hpcreuse.phish.judging import allowed_domain
    from hpcreuse.phish.method import PhishJob, find_phish

    world.on_root(check, options)
    allow = tuple(map(allowed_domain, options.allow))
    if options.extension is not None:
        from hpcreuse.phish.extension import write_extension

        asked = digest_options(options)
        return world.on_root(write_extension, options.extension, options.labels, asked, allow, options.min_length)

    from hpcreuse.commands.jobs import memory_budget, read_limits, start_over

    assert options.out is not None
    start_over(world, "phish", options.out, shared)
    job = PhishJob(
        inputs=options.inputs,
        labels=options.labels,
        out=options.out,
        allow=allow,
        truth=options.truth,
        originals=options.originals,
        min_length=options.min_length,
        render_seconds=options.render_seconds if options.render else None,
        options=digest_options(options),
        url_prefix=options.url_prefix,
        limits=read_limits(options),
        memory=memory_budget(world, shared),
        progress_seconds=0 if shared.quiet else shared.progress,
        fresh=shared.fresh,
    )
    return find_phish(world, job)


def digest_options(options: Options) -> "DigestOptions":
    """Give how a digest list was made that does not say: of the DOM, and as asked."""
    from hpcreuse.page.options import DigestOptions

    return replace(DigestOptions(mode="dom"), **asked_options(options))


def check(options: Options) -> None:
    """Refuse what makes no sense."""
    if options.mode == "raw":
        raise UsageError("--mode raw: phishing goes by the DOM of pages, leave it out or give dom")
    if options.extension is not None and options.out is not None:
        raise UsageError("--extension looks at no pages and has no --out: give one of them")
    if options.extension is None and not options.inputs:
        raise UsageError("RUN|INPUT is missing: name a run or pages to look at, or an --extension to write")
    if options.extension is None and options.out is None:
        raise UsageError("--out RESULT is missing: give it on the command line or as `out` under [phish]")
    if options.render_seconds <= 0:
        raise UsageError(f"--render-seconds {options.render_seconds:g}: give a number above 0")
    if options.originals and options.truth is None:
        raise UsageError("--originals sorts the phish of a --truth into classes: give that, too")


def summary_lines(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Say what was found, and how well."""
    if "extension" in summary:
        return [
            ("labels", f"{summary['labels']:,}, of {', '.join(summary['domains']) or 'no domain'}"),
            ("extension", f"{summary['extension']}: load it unpacked at chrome://extensions"),
        ]
    lines = [
        ("labels", f"{summary['labels']:,}, of {', '.join(summary['domains']) or 'no domain'}"),
        ("pages", f"{summary['pages']:,}, and {summary['other_files']:,} other files"),
    ]
    if summary["render"]:
        lines.append(("rendered", f"{summary['rendered']:,}, {summary['unrendered']:,} could not be"))
    lines.append(("phish", f"{summary['phish']:,}; {summary['clean']:,} clean, {summary['own']:,} on own domains"))
    if "classes" in summary:
        lines += [("", ""), ("of the truth", f"{'pages':>10}    published")]
        for name, count in summary["classes"].items():
            there = f"{summary['published'][name]:,}" if name in summary["published"] else ""
            lines.append((name, f"{count:>10,}    {there}".rstrip()))
        rates = summary["confusion"]
        found, mistaken = 100 * rates["true_positive_rate"], 100 * rates["false_positive_rate"]
        lines.append(("rates", f"{found:.1f} % found, {mistaken:.2f} % mistaken; published 58.8 % and 0"))
    return [*lines, ("see", f"hpcreuse export {summary['out']} pages")]
