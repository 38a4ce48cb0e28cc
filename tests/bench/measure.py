"""What the benches share: running a command and measuring it, and their table."""
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile


# A process's peak memory counts that of the process it was forked from, which here holds PyTorch and a model: a small
# one starts the commands and measures them.
LAUNCHER = """
import os, sys, time
start = time.perf_counter()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
seconds = time.perf_counter() - start
with open(sys.argv[1], "w") as file:
    print(seconds, usage.ru_maxrss / 1024, file=file)
sys.exit(status != 0)
"""


def run(command, timeout=None):
    """Runs a command to its end. Returns (seconds, peak MB, standard output), or None if it failed or took longer than `timeout`
    seconds; a line then reports that."""
    with tempfile.TemporaryDirectory() as folder:
        measured = pathlib.Path(folder) / "measured"
        launcher = [sys.executable, "-I", "-S", "-c", LAUNCHER, measured]
        what = " ".join(pathlib.Path(str(c)).name for c in command[:3])
        process = subprocess.Popen([str(c) for c in [*launcher, *command]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the launcher and what it started
            process.communicate()
            print(f"  failed: {what}: took more than {timeout} s", file=sys.stderr, flush=True)
            return None
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        if process.returncode:
            said = [line.strip() for line in err.splitlines() if line.strip()]
            print(f"  failed: {what}: {said[-1][:300] if said else f'status {process.returncode}'}", file=sys.stderr, flush=True)
            return None
        seconds, peak = map(float, measured.read_text().split())
        return seconds, peak, out


# The largest ratio of a model's latency to that of the better of PyTorch's exporters.
LATENCY_GOAL = 1.05


def compare_models(what, models, timeout=None):
    """The "nodes" or the "latency" of each model, NaN for one that does not run; None if the first cannot be read or run."""
    done = run([sys.executable, pathlib.Path(__file__).with_name("compared_models.py"), f"--{what}", *models], timeout)
    return done and [float(value) for value in done[2].split()]


def repeat(times, action):
    results = [action() for _ in range(times)]
    return None if None in results else results


def median(values):
    return statistics.median(values)


class Table:
    def __init__(self):
        self.rows = []
        self.missed = []

    def add(self, what, ours, theirs, ratio, goal, met):
        self.rows.append((what, ours, theirs, ratio, goal, "" if met is None else "yes" if met else "NO"))
        print("  " + ", ".join(filter(None, self.rows[-1])), file=sys.stderr, flush=True)
        if met is False:
            self.missed.append(what)

    def lines(self):
        head = ("measured", "tonnx", "beside", "ratio", "goal", "met")
        rows = [head, *self.rows]
        widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
        line = lambda row: "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |"
        return [line(head), "|" + "|".join("-" * (w + 2) for w in widths) + "|", *map(line, self.rows)]

    def finish(self, runs, markdown):
        """Prints the table, writes it to a file where one is named, and returns the exit status."""
        lines = self.lines()
        print("\n".join(lines))
        if markdown:
            markdown.write_text("\n".join([f"Medians of {runs} runs, {os.cpu_count()} cores.", "", *lines, ""]))
        print(f"\n{len(self.missed)} goals missed" + (": " + "; ".join(self.missed) if self.missed else ""))
        return 1 if self.missed else 0


def seconds(value):
    return "failed" if value is None else f"{value:.3f} s"


def times(ours, theirs):
    return "" if not ours or not theirs else f"{theirs / ours:.1f} x"


def judge(ours, theirs, at_least):
    """True if theirs takes at least `at_least` times as long as ours, and neither failed."""
    return bool(ours and theirs) and theirs / ours >= at_least
