# SPDX-License-Identifier: Apache-2.0
"""Prints "PASSED FAILED SKIPPED" of a GoogleTest JSON report, and why tests were skipped."""
import json
import sys

with open(sys.argv[1]) as f:
    report = json.load(f)
passed = failed = skipped = 0
for suite in report["testsuites"]:
    for test in suite["testsuite"]:
        if test.get("failures"):
            failed += 1
        elif test.get("result") == "SKIPPED":
            skipped += 1
            print("SKIPPED", suite["name"] + "." + test["name"], file=sys.stderr)
        else:
            passed += 1
print(passed, failed, skipped)
