#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C++ file is as clang-format leaves it.
set -euo pipefail
cd "$(dirname "$0")/../.."
git ls-files -z '*.cc' '*.h' | xargs -0 clang-format --dry-run -Werror
