#!/bin/bash
# Find pages sewn together from pieces of many others.
#
#     sbatch -N 4 slurm/quilt.sh run --out quilts -k 5 -m 50 -c 4
#
# Arguments go to `hpcreuse quilt`; what is not given comes from ./hpcreuse.toml in the folder where you submit, or from
# HPCREUSE_CONFIG, or from variables:
#     HPCREUSE_QUILT_RUN _OUT _K=5 _M=50 _C=4 _THETA=0.5 _FOREIGN=none _MIN_SHARE=0
# The run must have been made by `hpcreuse hash --text`. More nodes: sbatch -N 4; ranks: -n 128 (default: every core).
# Other settings: README.md beside this.
#
#SBATCH --job-name=hpcreuse-quilt
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
: "${HPCREUSE_SLURM_DIR:=$(scontrol show job "$SLURM_JOB_ID" | sed -n '0,/Command=/s|^ *Command=\(.*\)/quilt\.sh.*|\1|p')}"
source "$HPCREUSE_SLURM_DIR/common.sh"

run_verb quilt "$@"
