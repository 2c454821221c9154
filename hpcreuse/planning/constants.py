"""What the stages take per object, as `hpcreuse.reuse` has it (docs/cost-model.md says how each was measured).

Planning stands beside the methods and does not import them; tests/test_plan.py holds these to the originals.
"""

# Memory per object of a pass: reuse/counting.py, reuse/sorting.py (and five copies of each URL), reuse/neighborhoods.py
BYTES_PER_OBJECT = 220
BYTES_PER_SORTED_FILE = 400
COPIES_OF_URL = 5
BYTES_PER_DIRECTORY = 900

# Memory while a shard is matched: numbers, marks, labels and running sums of its chunks; its distinct digests
BYTES_PER_MATCHED_CHUNK = 40
BYTES_PER_MATCHED_DISTINCT = 48

# A sample for splitters as Python objects: a tuple of bytes and a weight, beside its key
BYTES_PER_SAMPLE = 150

# Columns of a shard beside digests and URLs: url offset, by_url, offset, length, chunk_start, directory, archive, mime
SHARD_BYTES_PER_FILE = 8 + 4 + 8 + 8 + 8 + 4 + 4 + 4
SHARD_BYTES_PER_CHUNK = 4 + 4 + 4
SHARD_BYTES_PER_DISTINCT = 4 + 4

# A counted object beside its digest: count and length, on disk and on the way; from 2^32 chunks on counts are wider
COUNT_BYTES = 4 + 4
WIDE_COUNT_BYTES = 8 + 4

# A file on its way and in a result beside its URL: number, chunks, bad, and the lengths of URL and matches
FILE_ROW_BYTES = 8 + 8 + 8 + 8 + 8
MATCH_BYTES = 8

# A directory on its way beside its name: five sums and its length; a neighborhood on disk: four columns and an offset
DIRECTORY_ROW_BYTES = 5 * 8 + 8
NEIGHBORHOOD_BYTES = 4 * 8 + 8

LABEL_BYTES = 8 + 8 + 4
