#!/bin/bash
# Count every chunk of a run and label those that are copied often.
#
#     sbatch -N 4 slurm/discover.sh run --threshold 1000 --out labels.h5
#
# Arguments go to `hpcreuse discover`; what is not given comes from ./hpcreuse.toml in the folder where you submit, or from
# HPCREUSE_CONFIG. More nodes: sbatch -N 4; ranks: -n 128 (default: every core). Other settings: README.md beside this.
#
#SBATCH --job-name=hpcreuse-discover
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time=04:00:00
#SBATCH --output=%x-%j.out
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
set -euo pipefail

# Slurm runs a copy of this script; the job's record says where the original lies, and its common part beside it
: "${HPCREUSE_SLURM_DIR:=$(scontrol show job "$SLURM_JOB_ID" | sed -n '0,/Command=/s|^ *Command=\(.*\)/discover\.sh.*|\1|p')}"
source "$HPCREUSE_SLURM_DIR/common.sh"

run_verb discover "$@"
