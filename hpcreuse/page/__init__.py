"""One page to digests, chunks, DOM. Pure functions: no files, no MPI."""
