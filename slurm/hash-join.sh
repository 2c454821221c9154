#!/bin/bash
# Make one run of those that the tasks of hash-array.sh left, then hash what is missing from it.
#
# Takes HPCREUSE_LIST, HPCREUSE_RUN and arguments as hash-array.sh does. `hpcreuse hash` holds every shard against its
# archive, so what comes out is the run that one job would have made; when all is there it is done in moments.
#
#SBATCH --job-name=hpcreuse-hash-join
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time=12:00:00
#SBATCH --output=%x-%j.out
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
set -euo pipefail

# Slurm runs a copy of this script; the job's record says where the original lies, and its common part beside it
: "${HPCREUSE_SLURM_DIR:=$(scontrol show job "$SLURM_JOB_ID" | sed -n '0,/Command=/s|^ *Command=\(.*\)/hash-join\.sh.*|\1|p')}"
source "$HPCREUSE_SLURM_DIR/common.sh"

list=${HPCREUSE_LIST:?names the list of archives, one path a line} run=${HPCREUSE_RUN:?names the run to make}

# Shards carry the name and a hash of their archive's path, so no two of them collide; moving them copies nothing
mkdir -p "$run/shards"
for part in "$run".parts/*/; do
    [[ -e $part/run.json ]] || continue
    [[ -e $run/run.json ]] || cp "$part/run.json" "$run/run.json"
    cmp -s "$part/run.json" "$run/run.json" || {
        echo "hpcreuse: $part and $run were made with other options or versions: digests of both would never match" >&2
        exit 1
    }
    find "$part/shards" -name '*.h5' ! -name '.*' -exec mv -t "$run/shards" {} +
done

run_verb hash "@$list" --out "$run" "$@"
