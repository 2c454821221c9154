"""One page against the labels: detection cheap enough for crawlers (METHODS.md step 7). No MPI."""
