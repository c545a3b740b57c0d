#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds for aarch64 and runs the unit tests there under qemu-user. Usage: cross.sh REPORT.json
set -euo pipefail
report=$(realpath -m "$1")
cd "$(dirname "$0")/../.."
# shellcheck source=tests/support/packages.sh
. tests/support/packages.sh

if ! dpkg --print-foreign-architectures | grep -qx arm64; then
    dpkg --add-architecture arm64
    apt-get update -q >/dev/null
fi
need "${build_packages[@]}" g++-aarch64-linux-gnu qemu-user-static \
    libseccomp-dev:arm64 libyajl-dev:arm64 libgtest-dev:arm64
build aarch64
echo "unit tests under qemu-user"
qemu-aarch64-static -L /usr/aarch64-linux-gnu build/aarch64/tests/unit/hardrun-unit --gtest_brief=1 \
    --gtest_filter='-*Seccomp*Run*:*RunInChild*' --gtest_output="json:$report"
