"""Runs programs in a Python that has torch, each in a fork of this process, so that torch is imported once.

Each line of stdin is a JSON list: the program's text, its arguments, and the files for its stdout and stderr. The answer is a line
with its exit code.
"""

import json
import os
import sys
import traceback

import torch  # noqa: F401 so that the programs have it

for line in sys.stdin:
    program, arguments, *files = json.loads(line)
    child = os.fork()
    if child == 0:
        sys.argv = ["-c", *arguments]
        for stream, path in zip((1, 2), files):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), stream)
        code = 0
        try:
            exec(compile(program, "<string>", "exec"), globals())  # pickle looks for classes in __main__
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
