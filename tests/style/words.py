"""Keeps words that readers have to translate out of new text: words.py ROOT [--update]

Counts each word of WORDS in the tracked sources and pages of each folder, and fails if a folder has more of one than
words_allowed.tsv allows. --update rewrites that file and never raises a number.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ALLOWED = HERE / "words_allowed.tsv"
ENDINGS = {".c", ".h", ".cpp", ".hpp", ".py", ".rs", ".go", ".java", ".cs", ".i", ".md", ".json", ".build", ".sh"}

# A pattern, and what to write instead.
WORDS = {
    r"behind": "after",
    r"told": "reported, specified",
    r"tells?": "reports, says",
    r"stands?": "is, is defined in",
    r"lies": "is",
    r"gives?": "returns, produces",
    r"nobody": "unused, not ... by anyone",
    r"whoever": "name the person",
    r"a run (?:decides|tells|gives|has)": "dynamic, known only at run time",
    r"hand(?:s|ed)? on": "propagate, pass through",
    r"made anew": "rebuilt",
    r"(?<!one )(?<!some )(?<!none )of which": "whose",
    r"(?<!there )is no(?! longer)": "is not a",
    r"its like": "similar operators",
    r"as though": "as if",
    r"turns? of (?:a|the) loop": "iteration",
}
PATTERNS = {word: re.compile(rf"\b{word}\b", re.IGNORECASE) for word in WORDS}


def folder_of(path):
    """The folder whose words are counted together: src/lower, capi, docs, or a file at the top."""
    parts = pathlib.PurePosixPath(path).parts
    return "/".join(parts[:2]) if parts[0] in ("src", "tests", "bindings") and len(parts) > 2 else parts[0]


def tracked(root):
    names = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True).stdout
    for name in names.splitlines():
        if pathlib.PurePosixPath(name).suffix in ENDINGS and not name.startswith("tests/style/"):
            yield name


def count(root):
    """{(folder, word): times} of what git tracks."""
    counts = collections.Counter()
    for name in tracked(root):
        content = (pathlib.Path(root) / name).read_text(encoding="utf-8", errors="replace")
        for word, pattern in PATTERNS.items():
            times = len(pattern.findall(content))
            if times:
                counts[folder_of(name), word] += times
    return counts


def allowed():
    limits = {}
    for line in ALLOWED.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            folder, word, times = line.split("\t")
            limits[folder, word] = int(times)
    return limits


def write(counts, limits):
    lines = ["# How often a folder may have a word that tests/style/words.py looks for. `words.py ROOT --update` lowers the numbers."]
    for key in sorted(counts):
        lines.append("\t".join([*key, str(min(counts[key], limits.get(key, counts[key])))]))
    ALLOWED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def planted():
    """True if the patterns find planted words, and do not find plain English."""
    matches = lambda text: any(pattern.search(text) for pattern in PATTERNS.values())
    return (all(matches(text) for text in ("is behind it", "x is no list", "a list of which the first item is known"))
            and not any(matches(text) for text in ("there is no list", "lists, one of which is empty", "it is no longer read")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    if subprocess.run(["git", "-C", options.root, "rev-parse"], capture_output=True).returncode:
        print("not a git checkout: no words are counted")
        return 77
    counts = count(options.root)
    limits = allowed() if ALLOWED.exists() else counts
    if options.update:
        write(counts, limits)
        return 0
    over = {key: times for key, times in counts.items() if times > limits.get(key, 0)}
    for (folder, word), times in sorted(over.items()):
        print(f"{folder}: '{word}' {times} times, at most {limits.get((folder, word), 0)}; write: {WORDS[word]}")
    return 1 if over or not planted() or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
