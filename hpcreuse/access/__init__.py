"""What lies on disk, for Python: runs, labels and results as tables and arrays, without MPI."""
