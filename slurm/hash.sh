#!/bin/bash
# Hash the files and chunks of a crawl into a run.
#
#     sbatch -N 4 slurm/hash.sh @warc.paths --out run
#
# Arguments go to `hpcreuse hash`; what is not given comes from ./hpcreuse.toml in the folder where you submit, or from
# HPCREUSE_CONFIG. More nodes: sbatch -N 4; ranks: -n 128 (default: every core). Other settings: README.md beside this.
#
#SBATCH --job-name=hpcreuse-hash
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
: "${HPCREUSE_SLURM_DIR:=$(scontrol show job "$SLURM_JOB_ID" | sed -n '0,/Command=/s|^ *Command=\(.*\)/hash\.sh.*|\1|p')}"
source "$HPCREUSE_SLURM_DIR/common.sh"

run_verb hash "$@"
