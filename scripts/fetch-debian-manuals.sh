#!/usr/bin/env bash
# Fetch manuals, when missing: unpacks Debian's doc packages into FOLDER/PACKAGE. Nothing is installed.
#   scripts/fetch-debian-manuals.sh                      # what the tests of `quilt` read, into build/debian-manuals
#   scripts/fetch-debian-manuals.sh FOLDER PACKAGE...
# What cannot be fetched is told and left out.
set -euo pipefail

folder=${1:-$(dirname "$0")/../build/debian-manuals}
packages=("${@:2}")
if [[ $# == 0 ]]; then packages=(libboost1.81-doc debian-policy); fi

fetch() {
    apt-get -qq -o APT::Sandbox::User=root download "$1" 2>&1
}

for package in "${packages[@]}"; do
    if [[ -d $folder/$package ]]; then continue; fi
    if ! command -v apt-get >/dev/null; then
        echo "fetch-debian-manuals: no apt-get here: unpack Debian's $package into $folder/$package by hand" >&2
        continue
    fi
    mkdir -p "$folder"
    scratch=$(mktemp -d "$folder/.$package.XXXXXX")
    # The lists of packages may never have been fetched
    if ! (cd "$scratch" && { fetch "$package" || { apt-get -qq update && fetch "$package"; }; }) >"$scratch/said"; then
        echo "fetch-debian-manuals: $package could not be fetched: $(tail -n 1 "$scratch/said")" >&2
    else
        dpkg -x "$scratch"/*.deb "$scratch/unpacked"
        find "$scratch/unpacked" -type l -delete
        # Another may have been first
        mv --no-target-directory "$scratch/unpacked" "$folder/$package" || true
    fi
    rm -rf "$scratch"
done
