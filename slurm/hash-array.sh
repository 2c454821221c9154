#!/bin/bash
# Hash a long list of archives as an array of small jobs, which start as soon as there is room for any of them.
#
#     export HPCREUSE_LIST=warc.paths HPCREUSE_RUN=run
#     job=$(sbatch --parsable --array=0-63 slurm/hash-array.sh)
#     sbatch --dependency=afterok:"$job" slurm/hash-join.sh
#
# Task N of 64 hashes every 64th archive of the list into a run of its own, run.parts/N: two jobs must not write to one
# run at once. hash-join.sh then moves all shards into one run. Further arguments go to `hpcreuse hash`.
# To repeat some tasks only, say how many there were: HPCREUSE_TASKS=64 sbatch --array=5,17 slurm/hash-array.sh
#
#SBATCH --job-name=hpcreuse-hash-array
#SBATCH --ntasks=1
#SBATCH --mem-per-cpu=4G
#SBATCH --time=12:00:00
#SBATCH --output=%x-%A_%a.out
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
set -euo pipefail

# Slurm runs a copy of this script; the job's record says where the original lies, and its common part beside it
: "${HPCREUSE_SLURM_DIR:=$(scontrol show job "$SLURM_JOB_ID" | sed -n '0,/Command=/s|^ *Command=\(.*\)/hash-array\.sh.*|\1|p')}"
source "$HPCREUSE_SLURM_DIR/common.sh"

list=${HPCREUSE_LIST:?names the list of archives, one path a line} run=${HPCREUSE_RUN:?names the run to make}

# Every COUNT-th archive, so that each task gets early and late ones
number=$SLURM_ARRAY_TASK_ID count=${HPCREUSE_TASKS:-$((SLURM_ARRAY_TASK_MAX + 1))}
mkdir -p "$run.parts"
slice=$run.parts/$number-of-$count.paths
gzip -cdf "$list" | grep -v -e '^[[:space:]]*$' -e '^#' | awk "NR % $count == $number" >"$slice"
if [[ ! -s $slice ]]; then
    echo "nothing to do: $list has fewer archives than the array has tasks"
    exit 0
fi

run_verb hash "@$slice" --out "$run.parts/$number-of-$count" "$@"
