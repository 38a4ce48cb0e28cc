"""Checks the subjects of the commits since this script was added: commits.py ROOT

`scope: verb object`, at most 72 characters, no period at the end, a blank second line.
"""

import re
import subprocess
import sys

SELF = "tests/style/commits.py"
SUBJECT = re.compile(r"[a-z][\w/.-]*(, [a-z][\w/.-]*)*: [a-z]\w.*[^.]")


def git(root, *words):
    return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True)


def faults(subject, body):
    if len(subject) > 72:
        yield f"{len(subject)} characters, at most 72"
    if not SUBJECT.fullmatch(subject):
        yield "not of the form `scope: verb object`"
    if body.startswith("\n") is False and body:
        yield "the second line is not blank"


def planted():
    """A checker that passes these is broken."""
    bad = ["x" * 73, "lower: " + "y" * 70, "No scope here", "lower: add a row."]
    return all(any(faults(subject, "")) for subject in bad) and not any(faults("lower: add a row for aten::erfinv", "\nWhy."))


def main(root):
    added = git(root, "log", "--diff-filter=A", "--format=%H", "--", SELF).stdout.split()
    if not added:
        print("not a git checkout with history: no commits are checked")
        return 77 if planted() else 1
    wrong = 0
    for commit in git(root, "rev-list", "--no-merges", f"{added[-1]}..HEAD").stdout.split():
        message = git(root, "log", "-1", "--format=%B", commit).stdout.rstrip("\n")
        subject, _, body = message.partition("\n")
        for fault in faults(subject, body):
            wrong += 1
            print(f"{commit[:8]} {subject!r}: {fault}")
    return 1 if wrong or not planted() else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
