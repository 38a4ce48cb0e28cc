"""Runs programs in a Python that has torch, each in a fork of this process, so that torch is imported once.

Each line of stdin is a JSON list: the program's text, its arguments, and the files for its stdout and stderr. The answer is a line
with its exit code.
"""

import json
import os
import sys
import traceback
import types

import torch  # noqa: F401 so that an import of the programs is quick

for line in sys.stdin:
    program, arguments, *files = json.loads(line)
    child = os.fork()
    if child == 0:
        sys.argv = ["-c", *arguments]
        for stream, path in zip((1, 2), files):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), stream)
        code = 0
        # Has no names of this file. pickle looks for classes in __main__.
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            exec(compile(program, "<string>", "exec"), vars(module))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
            if code == 1 and not isinstance(end.code, int):
                print(end.code, file=sys.stderr)
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
