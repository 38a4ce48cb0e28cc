"""Checks that a process may end while its threads are in calls of the library: exit_test.py TRIES HOST KIND...

Each try ends after another time, so that it ends in another part of the call. Code 0 and an empty standard error are right:
a crash ends with a signal, and a call that fails because something was destroyed with code 3."""

import subprocess
import sys


def main(tries, host, *kinds):
    failed = 0
    for kind in kinds:
        for number in range(int(tries)):
            milliseconds = 1 + number * 997 % 1009 if number % 2 else number * 7
            done = subprocess.run([host, kind, str(milliseconds)], capture_output=True, text=True, timeout=60)
            if done.returncode != 0 or done.stderr:
                failed += 1
                print(f"{kind}, main() returned after {milliseconds} ms: code {done.returncode}\n{done.stderr[:2000]}")
        print(f"{kind}: {tries} tries")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
