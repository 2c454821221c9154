"""A run as the methods see it: its shards shared out to the ranks, its pages by number, results put in order."""
