"""Operators of the user's own on the command line: custom_operator_test.py TONNX SAMPLES LIBRARY ARCHIVE UNLINKED_LIBRARY"""

import shutil

import tool

SCHEMA = "my_ops::gated_softmax(Tensor x, float alpha) -> Tensor"


class CustomOperator(tool.ToolTest):
    def refused(self, *more, inputs=("--input", "x=float32[2,4]")):
        """An export that says in one message what has no symbolic, and leaves nothing."""
        err = self.run_tonnx(1, "export", self.operator_archive, "-o", self.out, *inputs, *more)[1]
        self.assert_only()
        return err

    def test_without_library_and_schema_the_archive_is_refused_by_the_operators_name(self):
        done = self.run_tonnx(1, "export", self.operator_archive, "-o", self.out, "--input", "x=float32[2,4]")[1]
        self.assertIn("my_ops::gated_softmax", done)
        self.assertIn("librar", done)
        self.assert_only()

    def test_F217_the_refusal_names_operator_module_line_and_a_way_out(self):
        for more in (("--schema", SCHEMA), ("--library", self.library)):
            with self.subTest(more[0]):
                err = self.refused(*more)
                self.assertTrue(err.startswith("tonnx: "), err)
                self.assertIn("my_ops::gated_softmax", err)
                self.assertIn("in head", err)
                self.assertRegex(err, r":\d+")
                self.assertIn("register a symbolic", err)

    def test_the_unconverted_program_can_be_printed(self):
        args = self.folder / "args.pt"
        self.python("import sys, torch\ntorch.save((torch.zeros(2, 4),), sys.argv[1])\n", args)
        for more in (("--schema", SCHEMA), ("--library", self.library)):
            with self.subTest(more[0]):
                out = self.run_tonnx(0, "print", self.operator_archive, "--args", args, *more)[0]
                self.assertIn("my_ops::gated_softmax", out)
        self.run_tonnx(1, "print", self.operator_archive, "--args", args)

    def test_a_refused_export_keeps_what_stood_there(self):
        self.out.write_text("before")
        self.run_tonnx(1, "export", self.operator_archive, "-o", self.out, "--input", "x=float32[2,4]", "--schema", SCHEMA,
                       "--external-data", "yes")
        self.assertEqual(self.out.read_text(), "before")
        self.assert_only("model.onnx")

    def test_all_operators_without_a_symbolic_are_reported_at_once(self):
        archive = self.folder / "two.pt"
        self.python(
            "import sys, torch\n"
            "library = torch.library.Library('away', 'DEF')\n"
            "for name in ('one', 'two'):\n"
            "    library.define(name + '(Tensor x) -> Tensor')\n"
            "    library.impl(name, lambda x: x.clone(), 'CPU')\n"
            "class Net(torch.nn.Module):\n"
            "    def forward(self, x):\n"
            "        for _ in range(3):\n"
            "            x = torch.ops.away.one(x)\n"
            "        return torch.ops.away.two(x) + 1\n"
            "torch.jit.trace(Net(), torch.zeros(2)).save(sys.argv[1])\n", archive)
        err = self.run_tonnx(1, "export", archive, "-o", self.out, "--input", "x=float32[2]",
                             "--schema", "away::one(Tensor x) -> Tensor", "--schema", "away::two(Tensor x) -> Tensor")[1]
        self.assertIn("away::one (3 times", err)
        self.assertRegex(err, r"away::two \(.*:[0-9]+\): ")
        self.assert_only("two.pt")

    def test_refusals_of_passes_and_missing_symbolics_are_reported_together(self):
        archive = self.folder / "both.pt"
        self.python(
            "import sys, torch\n"
            "library = torch.library.Library('away', 'DEF')\n"
            "library.define('two(Tensor x) -> Tensor')\n"
            "library.impl('two', lambda x: x.clone(), 'CPU')\n"
            "net = torch.jit.ScriptModule()\n"
            "net.define('''def forward(self, x):\n"
            "    sum = x.clone()\n"
            "    kept = [x]\n"
            "    for i in range(int(x.sum())):\n"
            "        if bool(x[0] > i):\n"
            "            kept.append(sum)\n"
            "        else:\n"
            "            sum.add_(1)\n"
            "    return torch.ops.away.two(x) + kept[-1]\n''')\n"
            "net.save(sys.argv[1])\n", archive)
        err = self.run_tonnx(1, "export", archive, "-o", self.out, "--input", "x=float32[2]",
                             "--schema", "away::two(Tensor x) -> Tensor")[1]
        self.assertIn("may or may not share memory", err)
        self.assertIn("exporting the operator 'away::two'", err)

    def test_a_wrong_library_or_schema_is_reported(self):
        for more, code, text in (
            (("--library", self.folder / "missing.so"), 4, "missing.so"),
            (("--library", self.args), 4, self.args.name),
            (("--library", self.folder), 4, str(self.folder)),
            (("--schema", "gated_softmax(Tensor x) -> Tensor"), 2, "namespace"),
            (("--schema", "my_ops::gated_softmax("), 2, "schema"),
            (("--schema", ""), 2, "schema"),
            (("--schema", "aten::relu(Tensor x) -> Tensor"), 2, "aten::relu"),
        ):
            with self.subTest(more):
                err = self.run_tonnx(code, "export", self.operator_archive, "-o", self.out, "--input", "x=float32[2,4]",
                                     *more)[1]
                self.assertIn(text, err)
        self.assert_only()

    def test_a_schema_that_is_not_the_archives_is_refused(self):
        self.run_tonnx(4, "export", self.operator_archive, "-o", self.out, "--input", "x=float32[2,4]",
                       "--schema", "my_ops::gated_softmax(Tensor x) -> Tensor")
        self.assert_only()

    def test_a_library_given_by_a_plain_name_is_the_one_in_this_folder(self):
        shutil.copy(self.library, self.folder / "plain.so")
        err = self.run_tonnx(1, "export", self.operator_archive, "-o", self.out, "--input", "x=float32[2,4]",
                             "--library", "plain.so", cwd=self.folder)[1]
        self.assertIn("my_ops::gated_softmax", err)

    def test_a_library_may_be_linked_with_nothing(self):
        args = self.folder / "args.pt"
        self.python("import sys, torch\ntorch.save((torch.zeros(2, 4),), sys.argv[1])\n", args)
        out = self.run_tonnx(0, "print", self.operator_archive, "--args", args, "--library", self.unlinked_library)[0]
        self.assertIn("my_ops::gated_softmax", out)

    def test_a_custom_domain_that_is_never_used_is_a_warning(self):
        err = self.export(0, "--custom-opsets", "never.used=3")[1]
        self.assertIn("warning: custom opset domain 'never.used' is not used in the model", err)
        self.assertNotIn("never.used", self.run_tonnx(0, "print", self.out, "--format", "full")[0])
        self.assertEqual(self.export(0, "--custom-opsets", "never.used=3", "-q"), ("", ""))

    def test_a_wrong_custom_opset_is_2(self):
        for text in ("mine=0", "mine=-1", "=1", "ai.onnx=17", "mine=two", "mine"):
            with self.subTest(text):
                self.export(2, "--custom-opsets", text)
        self.assert_only()


if __name__ == "__main__":
    tool.main("library", "operator_archive", "unlinked_library")
