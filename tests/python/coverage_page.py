"""Writes docs/coverage.md: the measurements over PyTorch's table of operators, as a matrix of entries, dtypes and opsets."""
import collections
import re

MARKS = {"right": "✓", "refused": "r", "not traced": "n", "timeout": "t", "does not run": "x", "wrong": "W", "crash": "C"}
SHORT = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "complex64": "c64", "int64": "i64", "int32": "i32",
         "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "bool"}
LONGEST = 160  # maximum length of a reason


CAPTURES = {"dynamic": "a trace with a dynamic axis, run at two sizes", "scripted": "a script",
            "exported": "a program of `torch.export`", "decomposed": "the same, decomposed"}


def dates(rows):
    """When these were measured: the first day, and the last one if it differs."""
    days = sorted({row["date"] for row in rows})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def page(results, verdicts, torch):
    """The text of the page; `results` are the measurements, `verdicts` are ordered from worst to best. The matrix has the traces."""
    rows = [row for row in results if row["capture"] == "traced"]
    cells = {(row["dtype"], row["opset"], row["entry"]): row for row in rows}
    columns = sorted({key[:2] for key in cells}, key=lambda c: (list(SHORT).index(c[0]), c[1]))
    entries = sorted({key[2] for key in cells}, key=str.lower)
    perfect = [e for e in entries if all(cells[c + (e,)]["verdict"] == "right" for c in columns if c + (e,) in cells)]
    rest = [e for e in entries if e not in set(perfect)]
    lines = [
        "# Coverage by PyTorch's own table", "",
        f"Measured by `make coverage` (`tests/python/opinfo_coverage.py`) with the OpInfo table of PyTorch {torch}. Samples of each "
        "entry are traced, exported, checked, run in ONNX Runtime and compared with LibTorch. An entry is right if all its samples "
        "are. Otherwise it has the worst verdict among them. In the float32 rows an entry without float32 runs in its first dtype. "
        "Entries without a CPU kernel are left out. Random results are compared by shape and dtype. A result in float16 or bfloat16 is "
        "right if it equals LibTorch's, or the float64 result rounded to that dtype. An index may name any of several equal elements. "
        "ONNX has bfloat16 from opset 13 on.", "",
        "| dtype | opset | measured | samples an entry | entries | " + " | ".join(reversed(verdicts)) + " |",
        "|---|---|---|---|---|" + "---|" * len(verdicts)]
    for column in columns:
        here = [row for key, row in cells.items() if key[:2] == column]
        counts = collections.Counter(row["verdict"] for row in here)
        lines.append(f"| {column[0]} | {column[1]} | {dates(here)} | {max(row['samples'] for row in here)} | {len(here)} | "
                     + " | ".join(str(counts[v]) for v in reversed(verdicts)) + " |")
    lines += captures([row for row in results if row["capture"] != "traced"], verdicts)
    lines += ["", "## Entries that are not right everywhere", "",
              ", ".join(f"{MARKS[v]} {v}" for v in reversed(verdicts)) + "; empty if the entry lacks the dtype.", "",
              "| entry | " + " | ".join(f"{SHORT[d]} {o}" for d, o in columns) + " |", "|---|" + "---|" * len(columns)]
    for entry in rest:
        lines.append(f"| {entry} | " + " | ".join(MARKS[cells[c + (entry,)]["verdict"]] if c + (entry,) in cells else "" for c in columns) + " |")
    lines += ["", "## Why", "", "| entry | verdict | where | reason |", "|---|---|---|---|"]
    for entry in rest:
        found = collections.defaultdict(list)
        for dtype, opset in columns:
            row = cells.get((dtype, opset, entry))
            if row and row["verdict"] != "right":
                found[row["verdict"], plain(row["reason"])].append(f"{SHORT[dtype]} {opset}")
        for (verdict, reason), places in sorted(found.items(), key=lambda item: verdicts.index(item[0][0])):
            lines.append(f"| {entry} | {verdict} | {', '.join(places)} | {reason} |")
    lines += ["", "## Right everywhere", "", ", ".join(f"`{e}`" for e in perfect) + "."]
    return "\n".join(lines) + "\n"


def captures(rows, verdicts):
    """The table of the other captures: entries that are refused or worse in one of them."""
    if not rows:
        return []
    lines = ["", "## Captured in other ways", "",
             "The same entries, captured in three other ways: as a trace with one dynamic axis (the batch, if a sample has one), whose "
             "model runs at the example's size and at another one; as a script; and as a program of `torch.export`. An entry is not "
             "captured if no axis of its samples can have another size, or if PyTorch itself cannot compile or export the call. `make test` "
             "runs a slice of each. `make coverage COVERAGE_ARGS=\"--resume --capture dynamic --capture scripted\"` adds them to the "
             "results of the traces.", "",
             "| captured as | dtype | opset | measured | samples an entry | entries | " + " | ".join(reversed(verdicts)).replace("not traced", "not captured") + " |",
             "|---|---|---|---|---|---|" + "---|" * len(verdicts)]
    columns = sorted({(list(CAPTURES).index(r["capture"]), r["dtype"], r["opset"]) for r in rows})
    for capture, dtype, opset in columns:
        here = [r for r in rows if (r["capture"], r["dtype"], r["opset"]) == (list(CAPTURES)[capture], dtype, opset)]
        counts = collections.Counter(r["verdict"] for r in here)
        lines.append(f"| {list(CAPTURES.values())[capture]} | {dtype} | {opset} | {dates(here)} | {max(r['samples'] for r in here)} | {len(here)} | "
                     + " | ".join(str(counts[v]) for v in reversed(verdicts)) + " |")
    lines += ["", "| entry | captured as | verdict | reason |", "|---|---|---|---|"]
    for row in sorted(rows, key=lambda r: (r["entry"].lower(), r["capture"])):
        if row["verdict"] not in ("right", "not traced"):
            lines.append(f"| {row['entry']} | {row['capture']} | {row['verdict']} | {plain(row['reason'])} |")
    return lines


def plain(reason):
    """A reason without the parts that differ between opsets, as Markdown."""
    reason = re.sub(r" to ONNX opset version \d+| at opset \d+|; the target is \d+", "", reason)
    reason = re.sub(r" \(([\w.]+\.py|<.*?>):\d+\)", "", reason)
    return re.sub(r"([|<>*_`])", r"\\\1", reason[:LONGEST])
