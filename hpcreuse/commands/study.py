"""hpcreuse study: the papers' validation experiments, each by one command.

A study is a module of hpcreuse.study with HELP, EXAMPLES, Options, run(world, options, setting) and
summary_lines(summary), like a verb; to add one, write it and name it here.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hpcreuse.commands.shared import SharedOptions

if TYPE_CHECKING:
    from hpcreuse.parallel.world import World

HELP = "repeat an experiment of the papers on a site or a crawl: tables, a figure, and the published numbers beside"
EXAMPLES = """\
  hpcreuse study injection site.warc.gz --background crawl/*.warc.gz --out injection
  mpiexec -n 8 hpcreuse study mutation crawl.warc.gz --below www.cs.wisc.edu --out mutation
  hpcreuse study wikipedia result --out copies
"""

STUDIES = {
    "injection": "copy a site many times: are its files and chunks discovered?",
    "mutation": "change the pages of a site more and more: when are they missed?",
    "precision": "find copies by exact hashing and by Nilsimsa: which errs how often?",
    "recall": "find near duplicates with ever more lexicons: what share of all similar pairs?",
    "spin": "spin articles with synonyms: are they found, by immutables and by shingles?",
    "stop": "detect with and without stop chunks: which neighborhoods turn bad?",
    "sweep": "vary one parameter of quilts at a time: how many are there?",
    "wikipedia": "which sites copy labelled pages most, and how many of them?",
}


class Study:
    """One study, as the command line sees a verb."""

    def __init__(self, name: str):
        self.module: ModuleType = importlib.import_module(f"hpcreuse.study.{name}")
        self.__name__ = f"study {name}"
        self.HELP: str = self.module.HELP
        self.EXAMPLES: str = self.module.EXAMPLES
        self.Options: type = self.module.Options

    def run(self, world: "World", options: Any, shared: SharedOptions) -> dict[str, Any]:
        """Collective. Run the study and give its summary."""
        from hpcreuse.commands.jobs import memory_budget
        from hpcreuse.study.setting import Setting

        progress = 0 if shared.quiet else shared.progress
        summary: dict[str, Any] = self.module.run(
            world, options, Setting(memory_budget(world, shared), progress, shared.fresh)
        )
        return summary

    def summary_lines(self, summary: dict[str, Any]) -> list[tuple[str, str]]:
        """Say what was found."""
        lines: list[tuple[str, str]] = self.module.summary_lines(summary)
        return lines


NAMES, choose = STUDIES, Study
