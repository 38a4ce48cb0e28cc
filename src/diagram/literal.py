"""Prints a file as a C++ string literal: literal.py FILE"""

import pathlib
import sys

print(f'R"page({pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")})page"')
