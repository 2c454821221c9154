#!/bin/bash
# Submit the chain: hash, then discover when that has succeeded, then detect.
#
#     slurm/pipeline.sh -N 4 --account=webarchive
#
# Arguments go to each sbatch; all three verbs take theirs from ./hpcreuse.toml or HPCREUSE_CONFIG. Start it on the login
# node, or with sbatch where the site allows jobs to submit jobs. It prints the numbers of the three jobs.
#
#SBATCH --job-name=hpcreuse-pipeline
#SBATCH --ntasks=1
#SBATCH --time=00:10:00
#SBATCH --output=%x-%j.out
set -euo pipefail

: "${HPCREUSE_SLURM_DIR:=$(cd "$(dirname "$0")" && pwd)}"
if [[ ! -e $HPCREUSE_SLURM_DIR/common.sh ]]; then
    # Started by sbatch, which runs a copy: the job's record says where the original lies
    HPCREUSE_SLURM_DIR=$(scontrol show job "$SLURM_JOB_ID" | sed -n '0,/Command=/s|^ *Command=\(.*\)/pipeline\.sh.*|\1|p')
fi
export HPCREUSE_SLURM_DIR

# The jobs must not take what Slurm says of this one for their own
for name in "${!SLURM_@}"; do
    if [[ $name != SLURM_CONF ]]; then unset "$name"; fi
done

previous=''
for verb in hash discover detect; do
    # A job whose predecessor failed is removed, instead of waiting for ever
    previous=$(sbatch --parsable --kill-on-invalid-dep=yes ${previous:+--dependency=afterok:"$previous"} "$@" \
        "$HPCREUSE_SLURM_DIR/$verb.sh")
    previous=${previous%%;*} # in a federation the cluster's name follows
    echo "$verb: job $previous"
done
