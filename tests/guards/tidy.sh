#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over every source, clang's own warnings included; its exit status counts, not its output.
#   tidy.sh           every source
#   tidy.sh FILE...   these, with the analyzer's whole way to each finding
# Expects build/clang to be configured.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The init steps are built twice (runtime/init/CMakeLists.txt): the freestanding ones, which ship, are read.
database=build/clang/tidy
mkdir -p "$database"
/usr/bin/python3 - "$database" <<'PYTHON'
import json, sys
commands = {}
for entry in json.load(open("build/clang/compile_commands.json")):
    if entry["file"] not in commands or "-ffreestanding" in entry["command"]:
        commands[entry["file"]] = entry
json.dump(list(commands.values()), open(sys.argv[1] + "/compile_commands.json", "w"))
PYTHON

if [ "$#" -gt 0 ]; then
    exec clang-tidy --quiet -p "$database" "$@"
fi

# tidy FILE: its errors, each with its place, or one line that says "ok".
tidy() {
    local output
    if output=$(clang-tidy --quiet -p "$1" "$2" 2>&1); then
        echo "ok $2"
        return 0
    fi
    # One write, so that two files' errors do not mix.
    printf 'FAILED: %s\n%s\n' "$2" "$(grep -A 2 -E '(error|fatal error): ' <<<"$output" ||
        tail -n 20 <<<"$output")"
    return 1
}
export -f tidy

# The biggest first: the last ones end together.
mapfile -t files < <(git ls-files -z -- 'config/*.cc' 'runtime/*.cc' 'hooks/*.cc' 'tests/support/*.cc' |
    xargs -0 ls -S)
echo "clang-tidy on ${#files[@]} files"
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'tidy "$@"' tidy "$database" |
    {
        clean=0
        while IFS= read -r line; do
            if [[ $line != "ok "* ]]; then
                echo "$line"
            elif ((++clean % 25 == 0)); then
                echo "$clean files are clean"
            fi
        done
    }
