#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every shell script passes shellcheck.
set -euo pipefail
cd "$(dirname "$0")/../.."
{
    git ls-files -z '*.sh'
    git grep -lzE '^#!.*\b(ba)?sh$' -- ':!*.md' ':!*.sh'
} | xargs -0 shellcheck -x
