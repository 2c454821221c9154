"""A small crawl with known copies in it, and the whole chain on it: what was planted must be found."""
