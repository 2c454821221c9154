#!/bin/bash
# Find pages that copy originals: phishing.
#
#     sbatch -N 4 slurm/phish.sh suspects.warc.gz --labels bank.h5 --out phish
#
# Arguments go to `hpcreuse phish`; what is not given comes from ./hpcreuse.toml in the folder where you submit, or from
# HPCREUSE_CONFIG, or from variables:
#     HPCREUSE_PHISH_INPUTS _LABELS _OUT _ALLOW _MIN_LENGTH=26 _TRUTH _ORIGINALS _RENDER_SECONDS=10
# A run must have been made by `hpcreuse hash --mode dom`. --render needs Chromium on every node.
# More nodes: sbatch -N 4; ranks: -n 128 (default: every core).
# Other settings: README.md beside this.
#
#SBATCH --job-name=hpcreuse-phish
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
: "${HPCREUSE_SLURM_DIR:=$(scontrol show job "$SLURM_JOB_ID" | sed -n '0,/Command=/s|^ *Command=\(.*\)/phish\.sh.*|\1|p')}"
source "$HPCREUSE_SLURM_DIR/common.sh"

run_verb phish "$@"
