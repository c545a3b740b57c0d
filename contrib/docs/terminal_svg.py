#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command and draws what it printed as an SVG terminal: terminal_svg.py OUT.svg TITLE COMMAND..."""
import html
import re
import subprocess
import sys

LINE, LEFT, TOP, CHAR = 20, 18, 52, 8.43
COLOURS = {"bold": "#7ee787", "prompt": "#79c0ff", "text": "#e6edf3"}


def rows(text):
    for line in text.rstrip("\n").split("\n"):
        bold = "\x1b[1m" in line
        plain = re.sub(r"\x1b\[[0-9;]*m", "", line)
        yield plain, "bold" if bold else "prompt" if plain.startswith("$ ") else "text"


def main():
    out, title, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = list(rows(done.stdout))
    width = int(max(len(line) for line, _ in lines) * CHAR) + 2 * LEFT
    height = TOP + LINE * len(lines) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img">',
             f"<title>{html.escape(title)}</title>", f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>']
    for i, colour in enumerate(("#ff5f56", "#ffbd2e", "#27c93f")):
        parts.append(f'<circle cx="{20 + 20 * i}" cy="20" r="6" fill="{colour}"/>')
    parts.append('<g font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14" xml:space="preserve">')
    for n, (line, kind) in enumerate(lines):
        parts.append(f'<text x="{LEFT}" y="{TOP + LINE * n}" fill="{COLOURS[kind]}">{html.escape(line)}</text>')
    with open(out, "w") as f:
        f.write("\n".join(parts + ["</g>", "</svg>"]) + "\n")
    return done.returncode


sys.exit(main())
