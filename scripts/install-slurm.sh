#!/usr/bin/env bash
# Install what tests/slurm needs for a cluster of its own, when missing: Debian's Slurm and munge. Starts no daemon.
set -euo pipefail

missing=''
for program in munged slurmctld slurmd sbatch srun; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || missing="$missing $program"
done
if [[ ! $missing ]]; then exit 0; fi

echo "install-slurm:$missing missing, installing slurm-wlm and munge"
if ! command -v apt-get >/dev/null || [[ $(id -u) != 0 ]]; then
    echo "install-slurm: needs apt-get and root; elsewhere install Slurm (slurmctld, slurmd, clients) and munge by hand" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
# Packages start their daemons when systemd runs, but the tests start their own
printf '#!/bin/sh\nexit 101\n' >/tmp/policy-rc.d.$$
made=''
if [[ ! -e /usr/sbin/policy-rc.d ]]; then
    made=yes
    install -m 755 /tmp/policy-rc.d.$$ /usr/sbin/policy-rc.d
fi
rm /tmp/policy-rc.d.$$
trap '[[ ! $made ]] || rm -f /usr/sbin/policy-rc.d' EXIT
apt-get -qq install --yes --no-install-recommends slurm-wlm munge
