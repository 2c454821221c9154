#!/bin/bash
# Find pages that are spun from each other: the same text with other words put in.
#
#     sbatch -N 4 slurm/spin.sh run --synonyms synonyms.txt --out spun
#
# Arguments go to `hpcreuse spin`; what is not given comes from ./hpcreuse.toml in the folder where you submit, or from
# HPCREUSE_CONFIG, or from variables:
#     HPCREUSE_SPIN_RUN _OUT _SYNONYMS _THRESHOLD=0.75 _MUTABLE_THRESHOLD=0.5 _MIN_WORDS=50 _LINK_DENSITY=0.2 _LANGUAGE=en
# The run must have been made by `hpcreuse hash --text`. More nodes: sbatch -N 4; ranks: -n 128 (default: every core).
# Other settings: README.md beside this.
#
#SBATCH --job-name=hpcreuse-spin
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
: "${HPCREUSE_SLURM_DIR:=$(scontrol show job "$SLURM_JOB_ID" | sed -n '0,/Command=/s|^ *Command=\(.*\)/spin\.sh.*|\1|p')}"
source "$HPCREUSE_SLURM_DIR/common.sh"

run_verb spin "$@"
