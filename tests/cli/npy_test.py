"""Example inputs from .npy files and sizes on the command line: npy_test.py TONNX SAMPLES"""

import struct

import tool

MOST = 2**63 - 1


def header_of(descr="'<f4'", order="False", shape="(2, 3)", more=""):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, {more}}}"


def npy(header, data=b"\0" * 24, version=1, minor=0, length=None):
    text = (header + "\n").encode()
    count = len(text) if length is None else length
    return b"\x93NUMPY" + bytes([version, minor]) + struct.pack("<H" if version == 1 else "<I", count) + text + data


class Npy(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "net.py"
        self.source.write_text("def f(x):\n    return x + x\n")

    def export_input(self, code, given, *more):
        return self.run_tonnx(code, "export", self.source, "-o", self.out, "--input", f"x={given}", *more)[1]

    def with_file(self, code, content, *more):
        path = self.folder / "x.npy"
        path.write_bytes(content)
        return self.export_input(code, path, *more)

    def test_arrays_as_numpy_writes_them(self):
        values = struct.pack("<6f", *range(6))
        for content, dims in (
            (npy(header_of(), values), "2, 3"),
            (npy(header_of(), values, 2), "2, 3"),
            (npy(header_of(), values, 3), "2, 3"),
            (npy(header_of(order="True"), values), "2, 3"),
            (npy(header_of(shape="(6,)"), values), "6"),
            (npy(header_of(shape="(2L, 3L)"), values), "2, 3"),
            (npy(header_of(shape="()"), values[:4]), ""),
            (npy(header_of(shape="(0, 3)"), b""), "0, 3"),
            (npy('{"shape":(2,3),"fortran_order":False,"descr":"<f4"}' + " " * 60, values), "2, 3"),
        ):
            with self.subTest(content=content[:120]):
                self.with_file(0, content)
                self.assertIn(f"%x : Float({dims})", self.run_tonnx(0, "print", self.out)[0])

    def test_fortran_order_is_reordered(self):
        self.source.write_text("def f(x):\n    assert int(x[0, 1]) == 1, 'not row-major'\n    return x + x\n")
        columns = struct.pack("<6q", 0, 3, 1, 4, 2, 5)
        self.with_file(0, npy(header_of("'<i8'", "True"), columns), "--verify")
        self.assertIn("not row-major", self.with_file(1, npy(header_of("'<i8'"), columns), "--verify"))

    def test_each_fault_names_the_file_and_what_is_wrong(self):
        huge = "9" * 23
        for content, message in (
            (b"", "not a .npy file"),
            (b"PK\x03\x04", "not a .npy file"),
            (b"\x93NUMPY", "ends in its header"),
            (npy(header_of(), length=4000), "ends in its header"),
            (npy(header_of(), version=4), "format version 4.0 is not supported"),
            (npy(header_of(), minor=1), "format version 1.1 is not supported"),
            (npy(header_of() + " " * 400000, version=2), "400"),
            (npy(header_of() + " " * 400000, version=2), "at most 65536 are read"),
            (npy("{'descr': '<f4'" + ", 'a': '" + "(" * 60000 + "'}", version=2), "has the key 'a'"),
            (npy(header_of(shape=f"({huge},)")), f"size {huge} does not fit in 64 bits"),
            (npy(header_of(shape=f"(2, {MOST}, 3)")), "product of its sizes does not fit in 64 bits"),
            (npy(header_of(shape="(4294967296, 4294967296)")), "product of its sizes does not fit in 64 bits"),
            (npy(header_of(shape="(0, 4294967296, 4294967296)")), "product of its sizes does not fit in 64 bits"),
            (npy(header_of(shape=f"({MOST},)")), "product of its sizes does not fit in 64 bits"),
            (npy(header_of(shape="(1152921504606846976,)")), "truncated: it has 24 bytes of data"),
            (npy(header_of(shape="(-2, 3)")), "size -2 is negative"),
            (npy(header_of(shape="(2.5, 3)")), "not a tuple of integers"),
            (npy(header_of(shape="(2 3)")), "not a tuple of integers"),
            (npy(header_of(shape="[2, 3]")), "not a tuple"),
            (npy(header_of(shape="(" + "1, " * 65 + ")")), "more than 64 axes"),
            (npy(header_of(), b"\0" * 23), "truncated: it has 23 bytes of data, but its header declares 24"),
            (npy(header_of("'>f4'")), "dtype '>f4' is big-endian; save the array as '<f4'"),
            (npy(header_of("[('a', '<f4'), ('b', '<i4')]")), "a dtype with fields is not supported"),
            (npy(header_of("'|O'")), "dtype '|O' is not supported"),
            (npy(header_of("'<U5'")), "dtype '<U5' is not supported"),
            (npy(header_of("''")), "dtype '' is not supported"),
            (npy(header_of(order="0")), "neither True nor False"),
            (npy(header_of(more="'shape': (2, 3)")), "has 'shape' twice"),
            (npy("{'descr': '<f4', 'fortran_order': False}"), "lacks 'shape'"),
            (npy("{'descr': '<f4"), "no string for 'descr'"),
            (npy(header_of() + "}"), "has text after the dict"),
            (npy("hello"), "is not a dict"),
        ):
            with self.subTest(message):
                said = self.with_file(4, content)
                self.assertIn("x.npy: ", said)
                self.assertIn(message, said)
                self.assertFalse(self.out.exists())

    def test_a_folder_is_not_an_array(self):
        (self.folder / "folder.npy").mkdir()
        self.assertIn("folder.npy: the file cannot be read", self.export_input(4, self.folder / "folder.npy"))

    def test_sizes_on_the_command_line(self):
        for sizes in ("99999999999999999999", "4611686018427387904,8", "-1", "2;3", "2,,3", "1e3", " 2", "2,3]"):
            with self.subTest(sizes=sizes):
                self.assertIn("--input 'x=float32[", self.export_input(2, f"float32[{sizes}]"))
        self.assertIn("not enough memory for a tensor of this size", self.export_input(2, "float32[1152921504606846975]"))
        self.assertIn("n = 4611686018427387904: an input is too large",
                      self.export_input(2, "float32[2,3]", "--dynamic", "x:0=n", "--verify", "--verify-size", "n=4611686018427387904"))
        for value in ("--3", "1e", "1.5.5", "+3", "1_000", "folder"):
            self.assertIn(f"'{value}' is not a value", self.export_input(2, value))
        for flags in (("--opset", "99999999999999999999"), ("--dynamic", "x:99999999999999999999=n"),
                      ("--custom-opset", "a=99999999999999999999"), ("--seed", "99999999999999999999999"),
                      ("--verify", "--verify-size", "n=99999999999999999999")):
            with self.subTest(flags=flags):
                self.export_input(2, "float32[2,3]", *flags)


if __name__ == "__main__":
    tool.main()
