"""Flip bits of one file, one at a time, and verify each time: which flips are found, which change a table unseen?

flip_bits.py FILE SEED FLIPS PATH...    prints one JSON object
"""

import json
import random
import sys
import traceback
from pathlib import Path

from hpcreuse.parallel.world import start_world
from hpcreuse.reuse.verification import verify
from hpcreuse.store.tables import tables_of


def tables(paths: list[Path]) -> list[list[object]]:
    """Read all tables, as `export` would."""
    return [list(table.rows(path)) for path in paths for table in tables_of(path)[1].values()]


def main(file: Path, seed: int, flips: int, paths: list[Path]) -> dict[str, object]:
    world = start_world()
    assert not verify(world, tuple(paths))["problems"]
    sound, before = file.read_bytes(), tables(paths)
    found, unseen, raised = 0, [], []
    bits = range(8 * len(sound))
    for bit in random.Random(seed).sample(bits, min(flips, len(bits))):
        damaged = bytearray(sound)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        try:
            summary = verify(world, tuple(paths))
            if summary["problems"]:
                found += 1
                if not all(
                    str(line).startswith(str(paths[0].parent)) and "\n" not in line for line in summary["problems"]
                ):
                    raised.append([bit, str(summary["problems"])])
            elif tables(paths) != before:
                unseen.append(bit)
        except Exception:
            raised.append([bit, traceback.format_exc()])
    file.write_bytes(sound)
    return {"found": found, "unseen": unseen, "raised": raised[:3], "bits": len(bits)}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), [Path(p) for p in sys.argv[4:]])))
