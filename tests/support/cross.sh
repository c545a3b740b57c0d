#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything for aarch64 and runs the unit and golden tests there, under qemu-user. What needs the
# kernel itself skips and says why. Usage: cross.sh REPORT.json
set -euo pipefail
report=$(realpath -m "$1")
cd "$(dirname "$0")/../.."
# shellcheck source=tests/support/packages.sh
. tests/support/packages.sh

foreign arm64
need "${build_packages[@]}" "${cross_packages[@]}"
build aarch64
qemu-aarch64-static build/aarch64/tests/unit/hardrun-unit --gtest_brief=1 --gtest_output="json:$report"
