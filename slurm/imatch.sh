#!/bin/bash
# Find near-duplicates by their I-Match signatures.
#
#     sbatch -N 4 slurm/imatch.sh run --lexicon corpus --band 0.2 0.8 --out signatures
#
# Arguments go to `hpcreuse imatch`; what is not given comes from ./hpcreuse.toml in the folder where you submit, or from
# HPCREUSE_CONFIG, or from variables:
#     HPCREUSE_IMATCH_RUN _OUT _LEXICON=corpus _BAND="0.2 0.8" _LEXICONS=5 _SEED=0 _MIN_TERMS=5 _SAVE_LEXICON
# The run must have been made by `hpcreuse hash --text`. More nodes: sbatch -N 4; ranks: -n 128 (default: every core).
# Other settings: README.md beside this.
#
#SBATCH --job-name=hpcreuse-imatch
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
: "${HPCREUSE_SLURM_DIR:=$(scontrol show job "$SLURM_JOB_ID" | sed -n '0,/Command=/s|^ *Command=\(.*\)/imatch\.sh.*|\1|p')}"
source "$HPCREUSE_SLURM_DIR/common.sh"

run_verb imatch "$@"
