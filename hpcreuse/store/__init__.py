"""What lies on disk: shards, counts, labels, results; versions; atomic writes."""
