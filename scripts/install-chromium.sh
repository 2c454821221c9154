#!/usr/bin/env bash
# Install Debian's Chromium for the tests in a real browser, when it is missing.
# Where it cannot, it says what is to be done and fails: nothing is skipped silently.
set -euo pipefail

if command -v chromium >/dev/null; then exit 0; fi
if ! command -v apt-get >/dev/null; then
    echo "install-chromium: chromium is missing, and no apt-get here: install it by hand" >&2
    exit 1
fi
if [[ $(id -u) != 0 ]]; then
    echo "install-chromium: chromium is missing: run \`sudo apt-get install --no-install-recommends chromium\`" >&2
    exit 1
fi

echo "install-chromium: installing Debian's chromium"
export DEBIAN_FRONTEND=noninteractive
# Another apt may be at work
options=(-qq -o DPkg::Lock::Timeout=300)
apt-get "${options[@]}" update
apt-get "${options[@]}" install --yes --no-install-recommends chromium
