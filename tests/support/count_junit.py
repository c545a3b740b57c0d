# SPDX-License-Identifier: Apache-2.0
"""Prints "PASSED FAILED SKIPPED" of a JUnit XML report, as pytest writes it."""
import sys
import xml.etree.ElementTree as tree

suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
total, errors, failures, skipped = (
    int(suite.get(name)) for name in ("tests", "errors", "failures", "skipped"))
print(total - errors - failures - skipped, errors + failures, skipped)
