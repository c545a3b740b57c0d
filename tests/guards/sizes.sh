#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No file outgrows its reader: 500 lines for a source, 250 for a header. Functions are measured by
# clang-tidy (readability-function-size).
set -euo pipefail
cd "$(dirname "$0")/../.."
too_long=$(git ls-files -- '*.cc' '*.h' '*.py' | while IFS= read -r file; do
    limit=500
    [[ $file == *.h ]] && limit=250
    lines=$(wc -l <"$file")
    [ "$lines" -le "$limit" ] || echo "$file: $lines lines, the limit is $limit"
done)
[ -z "$too_long" ] && exit 0
echo "$too_long" >&2
exit 1
