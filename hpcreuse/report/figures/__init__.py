"""One module for each figure of a report."""
