#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every source file names its licence in its first three lines.
set -euo pipefail
cd "$(dirname "$0")/../.."
missing=$(git ls-files -- '*.cc' '*.h' '*.S' '*.py' '*.sh' demo check | while IFS= read -r file; do
    head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
done)
[ -z "$missing" ] && exit 0
printf 'no SPDX line:\n%s\n' "$missing" >&2
exit 1
