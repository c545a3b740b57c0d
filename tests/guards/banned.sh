#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Calls that banned.txt names are not made, each for the reason that stands there.
set -euo pipefail
cd "$(dirname "$0")/../.."
bad=0
while IFS=$'\t' read -r pattern places reason; do
    [[ -z $pattern || $pattern == \#* ]] && continue
    exclude=()
    if [ "$places" != - ]; then
        for place in $places; do
            exclude+=(":!$place/")
        done
    fi
    # Comments may name what code must not call.
    if git grep -nE "$pattern" -- 'config/*.cc' 'config/*.h' 'runtime/*.cc' 'runtime/*.h' 'hooks/*.cc' 'hooks/*.h' \
        "${exclude[@]}" | grep -vE '^[^:]+:[0-9]+:\s*//' | grep -vE '//.*('"$pattern"')'; then
        echo "banned: $reason" >&2
        bad=1
    fi
done <tests/guards/banned.txt
exit "$bad"
