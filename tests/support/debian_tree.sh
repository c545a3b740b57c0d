#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a small Debian in a folder, from wherever this machine's own apt takes its packages.
#   debian_tree.sh DIR [PACKAGE]...
set -euo pipefail

tree=$1
shift
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:?}")
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $suite" 'Origin: Debian' 'Component: main' \
    'Created-By: Packages' | sort -u | head -n 1)
if [ -z "$mirror" ]; then
    echo "apt has no source for Debian's $suite" >&2
    exit 1
fi
eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
if [ -n "${http_proxy-}" ]; then
    export http_proxy
fi
if [ -n "${https_proxy-}" ]; then
    export https_proxy
fi

# A tree for one test may be lost in a power cut, and nobody reads its manuals.
mkdir -p "$tree/etc/dpkg/dpkg.cfg.d"
cat >"$tree/etc/dpkg/dpkg.cfg.d/test" <<'END'
force-unsafe-io
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/info/*
END

include=$(IFS=, && echo "$*")
debootstrap --variant=minbase ${include:+"--include=$include"} "$suite" "$tree" "$mirror"
rm -rf "$tree"/var/cache/apt/archives/*.deb "$tree"/var/lib/apt/lists/*
