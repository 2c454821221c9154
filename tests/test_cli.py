"""The command line: help, usage errors, settings, summaries, exit codes."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from archives import write_warc
from command import HPCREUSE, hpcreuse, summary, table

from hpcreuse.commands.study import STUDIES

VERBS = (
    "hash",
    "discover",
    "detect",
    "export",
    "show",
    "verify",
    "plan",
    "judge",
    "study",
    "demo",
    "info",
    "completion",
)


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    pages = [(f"http://site{n % 5}.example/a/{n}.html", b"<p>shared</p><p>own %d</p>" % n) for n in range(30)]
    return write_warc(tmp_path / "crawl.warc.gz", pages)


@pytest.fixture
def run(crawl: Path, tmp_path: Path) -> Path:
    hpcreuse("hash", crawl, "--out", tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize("verb", ["", *VERBS, *(f"study {name}" for name in STUDIES)])
def test_help_does_not_start_mpi_nor_import_what_is_heavy(verb: str) -> None:
    script = (
        "import sys\nfrom hpcreuse.cli import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit as e: assert not e.code\n"
        "heavy = {'mpi4py', 'numpy', 'h5py', 'isal', 'warcio', 'rich', 'selectolax', 'matplotlib', 'pyarrow', 'flask'}"
        " & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", script, *verb.split(), "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "usage: hpcreuse" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hash"], "INPUT is missing"),
        (["hash", "x"], "--out RUN is missing"),
        (["nix"], "invalid choice"),
        (["discover", "run", "--out", "l"], "either --threshold N or --top K"),
        (["discover", "run", "--out", "l", "--threshold", "3", "--top", "4"], "either --threshold N or --top K"),
        (["discover", "run", "--out", "l", "--threshold", "-3"], "whole number"),
        (["detect", "r", "--labels", "l", "--out", "o", "--sigma", "many"], "not a number"),
        (["detect", "r", "--labels", "l", "--out", "."], "give the name of a new one"),
        (["discover", "r", "--threshold", "3", "--out", "/"], "give the name of a new one"),
        (["hash", "x", "--out", "r", "--memory", "lots"], "not a size"),
        (["hash", "x", "--out", "r", "--memory", "10K"], "at least 1M"),
        (["hash", "x", "--out", "r", "--tags", "p,<div"], "not a list of tag names"),
        (["hash", "x", "--out", "r", "--mode", "fast"], "invalid choice"),
        (["info", "--nix"], "unrecognized arguments"),
        (["study", "nix"], "invalid choice"),
        (["hahs", "x"], "did you mean hash?"),
        (["hash", "x", "--out", "r", "--progess", "3"], "did you mean --progress?"),
        (["study", "injecton"], "did you mean injection?"),
        (["study", "injection"], "as `out` under [study.injection]"),
        (["info", "--config", "missing.toml"], "cannot be read"),
    ],
)
def test_usage_errors_exit_with_2_and_say_what_is_wrong(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = hpcreuse(*arguments, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_usage_error_is_printed_once_under_mpiexec(tmp_path: Path) -> None:
    done = hpcreuse("hash", ranks=3, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("INPUT is missing") == 1


@pytest.mark.parametrize("ranks", [0, 3])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hash", "missing.warc", "--out", "run"], "missing.warc"),
        (["discover", "missing", "--threshold", "1", "--out", "l.h5"], "is not a run"),
        (["detect", "missing", "--labels", "l.h5", "--out", "res"], "is not a run"),
        (["export", "missing", "files"], "does not exist"),
    ],
)
def test_errors_of_the_job_exit_with_1_and_one_message(
    arguments: list[str], message: str, ranks: int, tmp_path: Path
) -> None:
    done = hpcreuse(*arguments, ranks=ranks, check=False, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("hpcreuse:") == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_json_is_one_object_and_nothing_else(crawl: Path, tmp_path: Path) -> None:
    done = summary("hash", crawl, "--out", tmp_path / "run", ranks=2)
    assert done["command"] == "hash"
    assert done["records"] == done["files"] + sum(done["skipped"].values()) + done["quarantined"] == 30
    assert done["peak_resident_bytes"] > 0


def test_every_job_tells_where_its_time_went(crawl: Path, tmp_path: Path) -> None:
    run, labels, result = tmp_path / "run", tmp_path / "labels.h5", tmp_path / "result"
    jobs: dict[tuple[str | Path, ...], set[str]] = {
        ("hash", crawl, "--out", run): {"plan", "read", "hash", "write", "wait"},
        ("discover", run, "--threshold", "3", "--out", labels): {"read", "sort", "exchange", "wait", "write"},
        ("detect", run, "--labels", labels, "--out", result): {"join", "match", "sort", "exchange", "aggregate"},
        ("verify", run): {"check", "fit"},
        ("show", run, hashlib.sha1(b"<p>shared</p>").hexdigest()): {"search", "read"},
        ("export", run, "files", "-o", tmp_path / "files.csv"): {"export"},
    }
    for words, names in jobs.items():
        done = summary(*words, ranks=3)
        assert names | {"other"} <= set(done["phases"]), words
        assert all(0 <= phase["mean"] <= phase["max"] + 1e-9 for phase in done["phases"].values()), words
        means = sum(phase["mean"] for phase in done["phases"].values())
        assert 0 < means <= done["seconds"] + 0.01, words
        assert done["start_seconds"] > 0
        assert (done["sent_bytes"]["max"] > 0) == (words[0] in ("discover", "detect")), words


def test_settings_come_from_the_file_and_flags_win(crawl: Path, tmp_path: Path) -> None:
    (tmp_path / "hpcreuse.toml").write_text(
        f'memory = "64M"\n[digest]\ntags = "p"\n[hash]\ninputs = ["{crawl}"]\nout = "run"\n'
        '[discover]\nrun = "run"\nout = "labels.h5"\nthreshold = 3\n'
        '[detect]\nrun = "run"\nlabels = "labels.h5"\nout = "result"\n'
    )
    for verb in ("hash", "discover", "detect"):
        hpcreuse(verb, ranks=2, cwd=tmp_path)
    assert len(table(tmp_path / "labels.h5", "labels")) == 1
    hpcreuse("discover", "--threshold", "0", cwd=tmp_path)
    assert len(table(tmp_path / "labels.h5", "labels")) == 31
    assert json.loads((tmp_path / "run" / "run.json").read_text())["digest_options"]["tags"] == "p"


@pytest.mark.parametrize("line", ["treshold = 3", 'threshold = "three"', 'objects = "page"'])
def test_a_wrong_setting_in_the_file_is_a_usage_error(line: str, tmp_path: Path) -> None:
    (tmp_path / "hpcreuse.toml").write_text(
        f'[discover]\nrun = "r"\nout = "l"\nthreshold = 3\n{line}\n'.replace("threshold = 3\nthreshold", "threshold")
    )
    done = hpcreuse("discover", cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert line.split(" ")[0] in done.stderr


def test_strict_exits_with_3_when_something_was_quarantined(tmp_path: Path) -> None:
    (tmp_path / "bad.warc").write_bytes(b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: many\r\n\r\n")
    done = hpcreuse("hash", tmp_path / "bad.warc", "--out", tmp_path / "run", "--strict", check=False)
    assert done.returncode == 3
    (row,) = table(tmp_path / "run", "quarantine")
    assert "Content-Length" in row["reason"]
    assert hpcreuse("hash", tmp_path / "bad.warc", "--out", tmp_path / "run2").returncode == 0


def test_labels_and_runs_of_different_digests_never_join(run: Path, crawl: Path, tmp_path: Path) -> None:
    hpcreuse("discover", run, "--threshold", "3", "--out", tmp_path / "labels.h5")
    hpcreuse("hash", crawl, "--out", tmp_path / "other", "--tags", "p", "--normalize", "whitespace")
    done = hpcreuse(
        "detect",
        tmp_path / "other",
        "--labels",
        tmp_path / "labels.h5",
        "--out",
        tmp_path / "res",
        ranks=2,
        check=False,
    )
    assert done.returncode == 1
    assert "--tags p,div against p" in done.stderr and "--normalize none against whitespace" in done.stderr
    done = hpcreuse("hash", crawl, "--out", run, "--digest", "sha256", check=False)
    assert done.returncode == 1 and "--digest sha1 against sha256" in done.stderr


def test_the_launcher_that_starts_singletons_is_refused(tmp_path: Path) -> None:
    done = hpcreuse("info", env={"SLURM_STEP_NUM_TASKS": "4"}, check=False)
    assert done.returncode == 1
    assert "srun --mpi" in done.stderr


def test_every_rank_keeps_a_log_when_asked(crawl: Path, tmp_path: Path) -> None:
    hpcreuse("hash", crawl, "--out", tmp_path / "run", "--log-dir", tmp_path / "logs", ranks=3)
    assert sorted(p.name for p in (tmp_path / "logs").iterdir()) == [f"rank-{n:05d}.log" for n in range(3)]


def test_progress_says_rate_and_time_left(tmp_path: Path) -> None:
    pages = [(f"http://a.example/{n}", b"<p>%d</p>" % n * 2000) for n in range(3000)]
    crawl = write_warc(tmp_path / "crawl.warc.gz", pages)
    done = hpcreuse("hash", crawl, "--out", tmp_path / "run", "--progress", "0.01")
    line = [line for line in done.stderr.splitlines() if line.startswith("hash")][-1]
    for word in ("%", "/s", "elapsed", "left", "files"):
        assert word in line
    done = hpcreuse("hash", crawl, "--out", tmp_path / "run2", "--progress", "0")
    assert done.stderr == ""


def test_a_closed_pipe_is_no_error(run: Path) -> None:
    with subprocess.Popen(
        [str(HPCREUSE), "export", str(run), "chunks"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as done:
        assert done.stdout is not None and done.stderr is not None
        done.stdout.readline()
        done.stdout.close()
        assert done.wait(timeout=30) == 0
        assert done.stderr.read() == b""


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_other_formats_hold_the_same_rows(fmt: str, run: Path, tmp_path: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    out = tmp_path / f"files.{fmt}"
    done = summary("export", run, "files", "--format", fmt, "-o", out)
    read = pyarrow.csv.read_csv if fmt == "csv" else pyarrow.parquet.read_table
    assert read(out).to_pylist() == table(run, "files")
    assert done["rows"] == 30


def test_show_prints_content_and_places(run: Path) -> None:
    done = hpcreuse("show", run, "--json", digest_of(run, "http://site0.example/a/0.html", 0), ranks=2)
    found = json.loads(done.stdout)
    assert (found["content"], found["chunks"]) == ("<p>shared</p>", 30)
    assert len(found["places"]) == 20
    text = hpcreuse("show", run, found["digest"][:12]).stdout
    assert "<p>shared</p>" in text and "10 more" in text


def test_show_writes_the_bytes_of_a_file(run: Path, tmp_path: Path) -> None:
    row = table(run, "files")[3]
    assert hpcreuse("show", run, row["digest"], "--raw").stdout == "<p>shared</p><p>own 3</p>"


def test_show_makes_content_safe_for_a_terminal(tmp_path: Path) -> None:
    crawl = write_warc(tmp_path / "evil.warc", [("http://a.example/", b"<p>\x1b[2Jcleared\x07</p>")])
    hpcreuse("hash", crawl, "--out", tmp_path / "run")
    text = hpcreuse("show", tmp_path / "run", table(tmp_path / "run", "chunks")[0]["digest"]).stdout
    assert "\x1b[2J" not in text and "\\x1b[2Jcleared" in text


def test_show_says_when_the_archive_has_gone(run: Path, crawl: Path) -> None:
    digest = digest_of(run, "http://site0.example/a/0.html", 0)
    crawl.unlink()
    done = hpcreuse("show", run, digest, check=False)
    assert done.returncode == 1
    assert str(crawl) in done.stdout and "30 chunks" in done.stdout
    assert done.stderr.splitlines() == [
        f"hpcreuse: the content cannot be shown: {crawl} does not exist any more: put it back"
    ]
    assert "put it back" not in done.stdout
    assert hpcreuse("show", run, digest, "--raw", check=False).returncode == 1


def digest_of(run: Path, url: str, position: int) -> str:
    rows = table(run, "chunks")
    return str(next(row["digest"] for row in rows if (row["url"], row["position"]) == (url, position)))


def test_a_flag_displaces_its_alternative_in_the_file(run: Path, tmp_path: Path) -> None:
    (tmp_path / "hpcreuse.toml").write_text(f'[discover]\nrun = "{run}"\nout = "labels.h5"\nthreshold = 1\n')
    assert json.loads(hpcreuse("discover", "--top", "3", "--json", cwd=tmp_path).stdout)["labels"] == 3


def test_a_misspelt_table_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hpcreuse.toml").write_text("[dicover]\nthreshold = 1\n")
    done = hpcreuse("info", cwd=tmp_path, check=False)
    assert done.returncode == 2 and "did you mean [discover]" in done.stderr


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "h5"])
def test_exported_labels_serve_as_a_stop_list(suffix: str, run: Path, tmp_path: Path) -> None:
    hpcreuse("discover", run, "--threshold", "3", "--out", tmp_path / "labels.h5")
    if suffix != "h5":
        hpcreuse("export", tmp_path / "labels.h5", "labels", "-o", tmp_path / f"labels.{suffix}")
    found = summary(
        "discover", run, "--threshold", "3", "--stop", tmp_path / f"labels.{suffix}", "--out", tmp_path / "rest.h5"
    )
    assert (found["stop_digests"], found["labels"]) == (1, 0)


def test_strict_remembers_what_was_quarantined_before(tmp_path: Path) -> None:
    (tmp_path / "bad.warc").write_bytes(b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: many\r\n\r\n")
    for _ in range(2):
        done = hpcreuse("hash", tmp_path / "bad.warc", "--out", tmp_path / "run", "--strict", check=False)
        assert done.returncode == 3


def test_a_mistake_in_the_inputs_leaves_no_run_behind(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for inputs in (["missing.warc"], ["empty"], ["empty", "--url-prefix", "nowhere"]):
        assert hpcreuse("hash", *inputs, "--out", "run", cwd=tmp_path, check=False).returncode in (1, 2)
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("ranks", [0, 3])
def test_a_refused_job_leaves_nothing_hidden(ranks: int, run: Path, tmp_path: Path) -> None:
    labels, broken = tmp_path / "labels.h5", tmp_path / "broken.txt"
    hpcreuse("discover", run, "--threshold", "3", "--out", labels)
    (tmp_path / "page.html").write_text("<p>one</p><p>two</p>")
    hpcreuse("hash", tmp_path / "page.html", "--out", tmp_path / "other", "--digest", "sha256")
    broken.write_text(f"{'a' * 40}\n{'b' * 64}\n")
    before = sorted(tmp_path.rglob("*"))
    for line in (
        ["detect", tmp_path / "other", "--labels", labels],
        ["detect", run, "--labels", labels, "--stop", "nothere"],
        ["phish", run, "--labels", labels],
        ["label", tmp_path / "page.html", broken],
    ):
        refused = hpcreuse(*line, "--out", tmp_path / "out", ranks=ranks, check=False)
        assert refused.returncode == 1 and "Traceback" not in refused.stderr
        assert sorted(tmp_path.rglob("*")) == before


def test_what_was_made_with_other_settings_is_not_replaced_in_silence(run: Path, tmp_path: Path) -> None:
    discover = ["discover", run, "--out", tmp_path / "labels.h5", "--threshold"]
    detect = ["detect", run, "--labels", tmp_path / "labels.h5", "--out", tmp_path / "result", "--sigma"]
    for line, earlier, later, told in ((discover, "3", "4", "threshold 3"), (detect, "1.5", "2", "sigma 1.5")):
        first, again, other = (hpcreuse(*line, value) for value in (earlier, earlier, later))
        assert "replaces" not in first.stderr + again.stderr
        assert f"replaces one made with other settings ({told})" in other.stderr


def test_a_table_is_not_written_over_what_hpcreuse_keeps(run: Path, tmp_path: Path) -> None:
    labels, result = tmp_path / "labels.h5", tmp_path / "result"
    hpcreuse("discover", run, "--threshold", "3", "--out", labels)
    hpcreuse("detect", run, "--labels", labels, "--out", result)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    (tmp_path / "link").symlink_to(result)
    targets = [run / "run.json", run / "shards" / "new.csv", labels, tmp_path / "labels.h5.jobs.json"]
    for target in [*targets, result / "files" / "part-00000.h5", tmp_path / "link" / "new.csv"]:
        refused = hpcreuse("export", run, "files", "-o", target, check=False)
        assert refused.returncode == 1 and f"{target} " in refused.stderr and "choose a" in refused.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    # Someone else's file, in a folder with someone else's run.json
    (tmp_path / "run.json").write_text('{"format": "theirs"}')
    (tmp_path / "files.csv").write_text("older")
    hpcreuse("export", run, "files", "-o", tmp_path / "files.csv")
    assert (tmp_path / "files.csv").read_text().startswith("url,")


def test_a_result_that_lost_a_part_is_not_exported(run: Path, tmp_path: Path) -> None:
    hpcreuse("discover", run, "--threshold", "3", "--out", tmp_path / "labels.h5")
    hpcreuse("detect", run, "--labels", tmp_path / "labels.h5", "--out", tmp_path / "result", ranks=3)
    (tmp_path / "result" / "files" / "part-00001.h5").unlink()
    done = hpcreuse("export", tmp_path / "result", "files", check=False)
    assert done.returncode == 1 and "2 of 3 parts" in done.stderr


def test_the_limit_is_on_payloads_not_on_headers(tmp_path: Path) -> None:
    crawl = write_warc(tmp_path / "a.warc", [("http://a.example/1", b"x" * 100), ("http://a.example/2", b"x" * 101)])
    found = summary("hash", crawl, "--out", tmp_path / "run", "--max-payload", "100")
    assert (found["files"], found["quarantined"]) == (1, 1)


def test_a_stray_nul_does_not_make_a_page_binary(tmp_path: Path) -> None:
    crawl = write_warc(
        tmp_path / "a.warc", [("http://a.example/", b"<p>a\0b</p><p>c"), ("http://b.example/", b"\0\1\2\3")]
    )
    hpcreuse("hash", crawl, "--out", tmp_path / "run")
    assert [row["chunks"] for row in table(tmp_path / "run", "files")] == [2, 0]


def test_what_hpcreuse_made_is_no_crawl(run: Path, tmp_path: Path) -> None:
    hpcreuse("discover", run, "--threshold", "3", "--out", tmp_path / "labels.h5")
    for path, kind in ((run, "run"), (tmp_path / "labels.h5", "file of labels")):
        done = hpcreuse("hash", path, "--out", tmp_path / "other", check=False)
        assert done.returncode == 2
        assert f"{path} is a {kind} made by hpcreuse, not a crawl" in done.stderr
        assert not (tmp_path / "other").exists()
        done = hpcreuse("check", path, "--labels", tmp_path / "labels.h5", check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{path} is a {kind} made by hpcreuse, not a crawl" in done.stderr


def test_what_was_made_for_another_verb_is_refused_in_plain_words(run: Path, tmp_path: Path) -> None:
    labels, compact, result = tmp_path / "labels.h5", tmp_path / "labels.compact", tmp_path / "result"
    hpcreuse("discover", run, "--threshold", "3", "--out", labels)
    hpcreuse("label", labels, "--compact", "--out", compact)
    hpcreuse("detect", run, "--labels", labels, "--out", result)
    shown = hpcreuse("show", result, "00000000", check=False)
    assert f"{result} is a result of detect: `show` takes a run and a digest" in shown.stderr
    for command in (("export", compact, "labels"), ("detect", run, "--labels", compact, "--out", result)):
        done = hpcreuse(*command, check=False)
        assert done.returncode == 1
        assert f"{compact} was made with `label --compact` and serves only `check`" in done.stderr


def test_an_option_that_swallows_an_argument_is_named(tmp_path: Path) -> None:
    done = hpcreuse(
        "discover", "--threshold", "3", "--out", "l.h5", "--stop", "a.tsv", "run", check=False, cwd=tmp_path
    )
    assert done.returncode == 2
    assert "RUN is missing" in done.stderr and "--stop takes all that follows it: put RUN before it" in done.stderr


def test_the_summary_shows_that_records_add_up(crawl: Path, tmp_path: Path) -> None:
    (tmp_path / "five.jsonl").write_text('{"url": "http://a.example/", "text": 5}\n')
    done = hpcreuse("hash", crawl, tmp_path / "five.jsonl", "--out", tmp_path / "run")
    assert "31 = 30 files + 0 skipped + 1 quarantined" in done.stdout
    (row,) = table(tmp_path / "run", "quarantine")
    assert row["reason"] == "line 1: `text` must be a string, not int"


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_fits_a_terminal_of_eighty_columns(verb: str) -> None:
    done = hpcreuse(*filter(None, [verb]), "--help", env={"COLUMNS": "80"})
    assert max(map(len, done.stdout.splitlines())) <= 80
