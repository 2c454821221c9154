#!/usr/bin/env bash
# Install what tests/slurm needs, when missing: Debian's Slurm and munge for a cluster of its own, and shellcheck.
# Starts no daemon. Where it cannot, it says what is to be done and fails: nothing is skipped silently.
set -euo pipefail

missing=''
for program in munged slurmctld slurmd sbatch srun shellcheck; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || missing="$missing $program"
done
packages=(slurm-wlm munge shellcheck)

if [[ $missing ]] && ! command -v apt-get >/dev/null; then
    echo "install-slurm:$missing missing, and no apt-get here: install Slurm (slurmctld, slurmd, clients), munge and" \
        "shellcheck by hand" >&2
    exit 1
fi
if [[ $(id -u) != 0 ]]; then
    if [[ $missing ]]; then
        echo "install-slurm:$missing missing: run \`sudo apt-get install --no-install-recommends ${packages[*]}\`" >&2
    fi
    echo "install-slurm: not root, but the tests need root, as slurmd does: run \`sudo make test-slurm\`" >&2
    exit 1
fi
if [[ ! $missing ]]; then exit 0; fi

echo "install-slurm:$missing missing, installing ${packages[*]}"
export DEBIAN_FRONTEND=noninteractive
# Another apt may be at work
options=(-qq -o DPkg::Lock::Timeout=300)
apt-get "${options[@]}" update
# Packages start their daemons when systemd runs, but the tests start their own
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi
apt-get "${options[@]}" install --yes --no-install-recommends "${packages[@]}"
