"""How to cite: the papers whose methods were used, and hpcreuse itself."""

from collections.abc import Sequence

from hpcreuse.report.blocks import NoteBlock, Section
from hpcreuse.report.given import Given
from hpcreuse.version import __version__

SOFTWARE = f"""@software{{hpcreuse,
  title   = {{hpcreuse: content reuse in web crawls on HPC clusters}},
  author  = {{{{The hpcreuse developers}}}},
  version = {{{__version__}}},
  license = {{Apache-2.0}}
}}"""

REUSE = """@article{ardi2019precise,
  title   = {Precise Detection of Content Reuse in the Web},
  author  = {Ardi, Calvin and Heidemann, John},
  journal = {ACM SIGCOMM Computer Communication Review},
  year    = {2019}
}

@techreport{ardi2014webscale,
  title       = {Web-scale Content Reuse Detection},
  author      = {Ardi, Calvin and Heidemann, John},
  institution = {USC/Information Sciences Institute},
  number      = {ISI-TR-692},
  year        = {2014}
}"""

QUILT = """@inproceedings{najork2012quilted,
  title     = {Detecting Quilted Web Pages at Scale},
  author    = {Najork, Marc},
  booktitle = {SIGIR},
  year      = {2012}
}"""

IMATCH = """@inproceedings{kolcz2004improved,
  title     = {Improved Robustness of Signature-Based Near-Replica Detection via Lexicon Randomization},
  author    = {Ko{\\l}cz, Aleksander and Chowdhury, Abdur and Alspector, Joshua},
  booktitle = {KDD},
  year      = {2004}
}"""

SPIN = """@inproceedings{zhang2014dspin,
  title     = {{DSpin}: Detecting Automatically Spun Content on the Web},
  author    = {Zhang, Qing and Wang, David Y. and Voelker, Geoffrey M.},
  booktitle = {NDSS},
  year      = {2014}
}"""

PAPERS = {"quilt": QUILT, "imatch": IMATCH, "spin": SPIN}


def section(given: Sequence[Given]) -> Section:
    """Give entries for BibTeX of what was used."""
    kinds = {one.kind for one in given}
    entries = [SOFTWARE]
    if kinds - set(PAPERS):
        entries.append(REUSE)
    entries += [entry for kind, entry in PAPERS.items() if kind in kinds]
    lead = "If you use this in a paper, please cite hpcreuse and the papers whose methods it implements."
    return Section("citation", "How to cite", lead, [NoteBlock("", "\n\n".join(entries))])
