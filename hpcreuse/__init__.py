"""hpcreuse: copied content in web crawls, found exactly and in parallel."""

from hpcreuse.version import __version__

__all__ = ["__version__"]
