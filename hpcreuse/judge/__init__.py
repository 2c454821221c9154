"""People judge what was found: a sample, each finding beside its sources, labels, agreement, tables."""
