#!/usr/bin/env bash
# Install what bench/peers.py needs for PySpark, when missing: Debian's headless Java.
set -euo pipefail

if command -v java >/dev/null; then exit 0; fi
if ! command -v apt-get >/dev/null || [[ $(id -u) != 0 ]]; then
    echo "install-java: needs apt-get and root; elsewhere install Java 17 or later by hand. PySpark is left out" >&2
    exit 0
fi
echo "install-java: java missing, installing default-jre-headless"
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install --yes --no-install-recommends default-jre-headless
