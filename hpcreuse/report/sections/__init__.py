"""One module for each kind of section of a report."""
