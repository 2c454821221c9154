#!/bin/bash
# Measure how hash, discover and detect scale: the same crawl on more ranks, and a crawl that grows with the ranks.
#
#     sbatch -N 4 slurm/scaling.sh --input /scratch/crawl/*.warc.gz
#
# Arguments go to bench/scaling.py (its --help says more). Without --ranks it takes 1, 2, 4, ... and all ranks of the job;
# without --input the corpus of the benches. Runs and results lie in the folder where you submit while they are measured;
# scaling.json and the figure stay there. Other settings: README.md beside this.
#
#SBATCH --job-name=hpcreuse-scaling
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time=04:00:00
#SBATCH --output=%x-%j.out
#SBATCH --open-mode=append
#SBATCH --no-requeue
set -euo pipefail

# Slurm runs a copy of this script; the job's record says where the original lies, and its common part beside it
: "${HPCREUSE_SLURM_DIR:=$(scontrol show job "$SLURM_JOB_ID" | sed -n '0,/Command=/s|^ *Command=\(.*\)/scaling\.sh.*|\1|p')}"
source "$HPCREUSE_SLURM_DIR/common.sh"

find_hpcreuse
info=$("${HPCREUSE[@]}" info 2>&1) || info="hpcreuse info failed: $info"

# The launcher as the other scripts choose it, but for a number of ranks that changes from run to run
total=${SLURM_NTASKS:-$(cores)}
choose_launcher "$info"
if [[ $(basename "${LAUNCH[0]}") == srun ]]; then
    # Few ranks must fill one node, not be spread over all
    LAUNCH=("${LAUNCH[@]/#--ntasks=*/--ntasks=\{ranks\}}" --nodes='{nodes}')
else
    LAUNCH[-1]='{ranks}' # after -n
fi
export HPCREUSE_BENCH_LAUNCH="${LAUNCH[*]@Q}"
export HPCREUSE_BENCH_RANKS_PER_NODE=$(((total + SLURM_JOB_NUM_NODES - 1) / SLURM_JOB_NUM_NODES))
export HPCREUSE_BENCH_RESULTS=${HPCREUSE_BENCH_RESULTS:-$PWD}
# A step of one run takes these for its own instead of what it was started with
unset SLURM_NTASKS SLURM_NPROCS

ranks=()
for ((count = 1; count < total; count *= 2)); do ranks+=("$count"); done
ranks+=("$total")

words=("$(dirname "$(command -v "${HPCREUSE[0]}")")/python" "$HPCREUSE_SLURM_DIR/../bench/scaling.py" --ranks "${ranks[@]}" "$@")
banner "$info" "${words[@]}"
exec "${words[@]}"
