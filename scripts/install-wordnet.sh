#!/usr/bin/env bash
# Install WordNet, when missing: Debian's wordnet-base, which `hpcreuse spin --synonyms wordnet` and its tests read.
set -euo pipefail

if [[ -f /usr/share/wordnet/data.noun ]]; then exit 0; fi
if ! command -v apt-get >/dev/null || [[ $(id -u) != 0 ]]; then
    echo "install-wordnet: needs apt-get and root; elsewhere unpack WordNet's dict folder and name it with --synonyms" >&2
    exit 0
fi
echo "install-wordnet: WordNet missing, installing wordnet-base"
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install --yes --no-install-recommends wordnet-base
