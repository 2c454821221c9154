"""One thin module per verb: options in, a call, a summary out. They import heavy modules only when run."""
