"""Checks that each public header compiles alone, without a warning: headers.py COMPILER STANDARD INCLUDE HEADER..."""

import subprocess
import sys


def main(compiler, standard, include, *headers):
    language = "c++" if "++" in standard else "c"
    command = [compiler, "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
               "-fsyntax-only", f"-I{include}", "-"]
    failed = False
    for header in headers:
        # Twice: it guards itself.
        source = f'#include "{header}"\n#include "{header}"\nint main(void) {{ return 0; }}\n'
        done = subprocess.run(command, input=source, text=True, stderr=subprocess.PIPE)
        failed |= done.returncode != 0
        if done.returncode != 0:
            print(f"{header} in {standard}:\n{done.stderr}")
    # The check must fail for a header that needs another one.
    planted = subprocess.run(command, input="size_t planted;\n", text=True, stderr=subprocess.DEVNULL)
    if planted.returncode == 0 or not headers:
        sys.exit("the check finds no fault where there is one")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
