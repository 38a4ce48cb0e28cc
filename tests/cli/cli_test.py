"""The command line: arguments, exit codes, output: cli_test.py TONNX SAMPLES"""

import contextlib
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import time

import tool


class CommandLine(tool.ToolTest):
    def test_help_names_the_commands_and_the_exit_codes(self):
        out, err = self.run_tonnx(0, "--help")
        self.assertEqual(err, "")
        for word in ("export", "check", "print", "registry", "version", "Exit codes"):
            self.assertIn(word, out)
        self.assertIn("--dynamic-axes", self.run_tonnx(0, "export", "--help")[0])
        for command in ("export", "check", "print", "run", "infer", "registry", "version", "completion"):
            self.assertIn(f"Example:\n  tonnx {command}", self.run_tonnx(0, command, "--help")[0])

    def test_export_is_silent_and_writes_one_file_with_the_same_bytes_each_time(self):
        self.assertEqual(self.export(0), ("", ""))
        self.assert_only("model.onnx")
        first = self.out.read_bytes()
        self.export(0)
        self.assertEqual(self.out.read_bytes(), first)

    def test_check_and_print(self):
        self.export(0, "--dynamic-axes", "x:0=batch")
        self.assertIn("no errors", self.run_tonnx(0, "check", self.out)[0])
        short = self.run_tonnx(0, "print", self.out)[0]
        self.assertIn("onnx::Relu(%x)", short)
        self.assertIn("batch", short)
        self.assertIn('op_type: "Relu"', self.run_tonnx(0, "print", self.out, "--format", "full")[0])
        self.assertIn("aten::relu", self.run_tonnx(0, "print", self.archive, "--args", self.args)[0])

    def test_verbose_prints_the_graph_and_changes_no_byte(self):
        self.export(0)
        first = self.out.read_bytes()
        self.assertIn("onnx::Relu", self.export(0, "-v")[0])
        self.assertEqual(self.out.read_bytes(), first)
        self.export(0, "--doc-strings")
        self.assertGreater(len(self.out.read_bytes()), len(first))
        self.export(0, "--doc-strings", "--no-doc-strings")
        self.assertEqual(self.out.read_bytes(), first)
        self.export(0, "--no-doc-strings", "--doc-strings")
        self.assertGreater(len(self.out.read_bytes()), len(first))

    def test_names_and_choices_of_options(self):
        self.export(0, "--input-names", "given", "--output-names", "made")
        self.assertIn("onnx::Relu(%given)", self.run_tonnx(0, "print", self.out)[0])
        self.assertIn("always", self.export(2, "--initializers-as-inputs", "often")[1])

    def names_of(self, side):
        program = f"import onnx, sys\nprint(*(v.name for v in onnx.load(sys.argv[1]).graph.{side}))\n"
        return self.python(program, self.out).split()

    def test_names_go_to_the_values_of_the_program(self):
        archive, inputs, code = self.folder / "net.pt", self.folder / "net.args", self.folder / "net.py"
        code.write_text("import torch\n\n"
                        "class Net(torch.nn.Module):\n"
                        "    def forward(self, a, b, c):\n"
                        "        q = torch.ops.quantized.add(a, b, 0.5, 3)\n"
                        "        return q, {'sum': c * 2, 'again': q}, (torch.complex(c, c), c + 1)\n")
        self.python("import sys, torch\n"
                    f"sys.path.insert(0, {str(self.folder)!r})\n"
                    "import net\n"
                    "torch.jit.script(net.Net()).save(sys.argv[1])\n"
                    "x = torch.quantize_per_tensor(torch.randn(2, 3), 0.1, 10, torch.quint8)\n"
                    "torch.save((x, x, torch.randn(2, 3)), sys.argv[2])\n", archive, inputs)

        def three(name):
            return [name, name + "_scale", name + "_zero_point"]

        for flags, names, results in (
            ([], three("a") + three("b") + ["c"], three("output_0") + ["sum"] + three("again") + ["output_3", "output_4"]),
            (["--input-names", "foo,bar", "--output-names", "q,y"], three("foo") + three("bar") + ["c"],
             three("q") + ["y"] + three("again") + ["output_3", "output_4"]),
            (["--input-names", ",b2,x", "--output-names", ",,r,z"], three("a") + three("b2") + ["x"],
             three("output_0") + ["sum"] + three("r") + ["z", "output_4"]),
            (["--input-names", "", "--input-names", "q", "--output-names", "q1,,,,t", "--dynamic", "t:0=n,c:0=n"],
             three("a") + three("q") + ["c"], three("q1") + ["sum"] + three("again") + ["output_3", "t"]),
        ):
            with self.subTest(flags=flags):
                self.export(0, *flags, "--verify", archive=archive, args=inputs)
                self.assertEqual(self.names_of("input"), names)
                self.assertEqual(self.names_of("output"), results)
        for flags, message in (
            (["--output-names", "a,b,c,d,e,f"], "6 output names for 5 outputs: output_0, sum, again, output_3, output_4; scale"),
            (["--input-names", "p,q,r,s"], "4 input names for 3 inputs and 0 weights: a, b, c; scale"),
            (["--output-names", "q,q"], "output name 'q' is used twice"),
            (["--output-names", "q,q_scale"], "'q_scale' is used twice: the scale of the quantised value 'q'"),
            (["--input-names", "q,,q_zero_point"], "'q_zero_point' is used twice: the zero point of the quantised value 'q'"),
            (["--output-names", "a"], "output name 'a' is the name of an input"),
        ):
            with self.subTest(flags=flags):
                self.assertIn(message, self.export(2, *flags, archive=archive, args=inputs)[1])

    def loop_program(self):
        source = self.folder / "net.py"
        source.write_text("import torch\n\ndef forward(self, x):\n    for i in range(int(x.sum())):\n"
                          "        x = torch.relu(x)\n    return x\n")
        return "export", source, "-o", self.out, "--input", "x=float32[3,2]"

    def test_log_messages_of_a_level(self):
        command = self.loop_program()
        self.assertEqual(self.run_tonnx(0, *command), ("", ""))
        stays = "info: the loop stays a Loop: its trip count is known only at run time (net.py:4)"
        err = self.run_tonnx(0, *command, "--log", "info")[1]
        self.assertIn(stays, err)
        self.assertNotIn("debug: ", err)
        err = self.run_tonnx(0, *command, "--log", "debug", longest=1000)[1]
        self.assertIn(stays, err)
        self.assertIn("debug: aten::relu is converted by the lowering aten::relu", err)
        self.assertEqual(self.run_tonnx(0, *command, "--log", "warning"), ("", ""))
        self.assertIn("one of debug, info, warning", self.run_tonnx(2, *command, "--log", "loud")[1])

    def test_warnings_are_printed_once(self):
        warning = "custom opset domain 'other' is not used"
        for flags in ((), ("--log", "warning")):
            err = self.export(0, "--custom-opset", "other=2", *flags)[1]
            self.assertEqual(err.count(warning), 1, err)

    def terminal(self, *command):
        """The output of the program on a terminal."""
        outer, inner = pty.openpty()
        process = subprocess.Popen([self.tonnx, *map(str, command)], stdout=inner, stderr=inner)
        os.close(inner)
        text = b""
        with contextlib.suppress(OSError):
            while part := os.read(outer, 4096):
                text += part
        os.close(outer)
        self.assertEqual(process.wait(120), 0, text)
        return text.decode()

    def test_progress_on_a_terminal_only(self):
        command = self.loop_program()
        text = self.terminal(*command)
        self.assertIn("\r\x1b[Klowering [", text)
        self.assertRegex(text, r"writing \[[# ]+\] .*B of .*B")
        self.assertEqual(self.terminal(*command, "--quiet"), "")

    def test_an_export_on_a_terminal_ends_with_a_summary(self):
        command = "export", self.archive, "-o", self.out, "--args", self.args, "--dynamic-axes", "x:0=batch"
        last = rf"{re.escape(str(self.out))}: 1 operator, 0 parameters \(0 B\), opset 17, dynamic axes batch \(x:0\), [0-9.]+ s, "
        self.assertRegex(self.terminal(*command), last + r"not verified\r\n$")
        self.assertRegex(self.terminal(*command, "--verify"), last + r"verified\r\n$")

    def test_an_interrupt_cancels_the_export(self):
        source = self.folder / "net.py"
        source.write_text("import torch\n\ndef forward(self, x):\n" + "    x = torch.mm(x, x) + x\n" * 3000 + "    return x\n")
        command = [self.tonnx, "export", source, "-o", self.out, "--input", "x=float32[2,2]",
                   "--dynamic", "x:0=n,x:1=n", "--log", "info"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "imported" in line:
                break
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        self.assertIn("tonnx: interrupted", process.communicate(timeout=60)[1])
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertLess(time.monotonic() - begin, 1.5)
        self.assert_only("net.py")

    def test_every_spelling_of_a_flag_does_the_same(self):
        for flags, others in ((("--dynamic-axes", "x:0=batch"), ("--dynamic", "x:0=batch")),
                              (("--initializers-as-inputs", "always"), ("--keep-initializers-as-inputs", "yes")),
                              (("--no-export-params",), ("--no-params",))):
            with self.subTest(flags=flags):
                self.export(0, *flags)
                first = self.out.read_bytes()
                self.export(0, *others)
                self.assertEqual(self.out.read_bytes(), first)

    def test_source_text_is_compiled_with_its_weights(self):
        source, weights = self.folder / "net.py", self.folder / "weights.pt"
        source.write_text("import torch\n\ndef forward(self, x):\n    for i in range(2):\n"
                          "        if bool(x.sum() > 0):\n            x = x + self.layer.shift\n    return x\n")
        self.python("import sys, torch\ntorch.save({'layer.shift': torch.ones(2)}, sys.argv[1])\n", weights)
        given = ("--weights", weights, "--input", "x=float32[3,2]", "--dynamic", "x:0=n", "--verify")
        err = self.run_tonnx(0, "export", source, "-o", self.out, *given)[1]
        self.assertIn("verified", err)
        self.assertIn("layer.shift", self.run_tonnx(0, "print", self.out)[0])
        self.assertIn("layer", self.run_tonnx(1, "export", source, "-o", self.out)[1])
        self.assertIn("archive has its own", self.export(2, "--weights", weights)[1])
        source.write_text("def f(x):\n    return x +\n")
        self.assertIn("net.py:2:15: expected", self.run_tonnx(1, "export", source, "-o", self.out)[1])
        self.assertIn("cannot be read", self.run_tonnx(4, "export", self.folder / "none.py", "-o", self.out)[1])

    def test_verify(self):
        self.assertIn("verified", self.export(0, "--verify")[1])
        self.assertEqual(self.export(0, "--verify", "-q"), ("", ""))

    def test_a_model_with_its_weights_as_inputs_is_not_verified(self):
        self.export(0, "--verify", "--no-export-params")  # it has none
        source, weights = self.folder / "net.py", self.folder / "weights.pt"
        source.write_text("import torch\n\ndef forward(self, x):\n    return x + self.layer.shift\n")
        self.python("import sys, torch\ntorch.save({'layer.shift': torch.ones(2)}, sys.argv[1])\n", weights)
        given = ("--weights", weights, "--input", "x=float32[3,2]", "--verify")
        self.run_tonnx(0, "export", source, "-o", self.out, *given)
        self.assertIn("export it with its weights", self.run_tonnx(2, "export", source, "-o", self.out, *given, "--no-export-params")[1])

    def test_weights_that_are_inputs_have_the_order_of_the_state_dict(self):
        archive, inputs, keys = self.folder / "net.pt", self.folder / "net.args", self.folder / "keys.txt"
        self.python("import sys, torch\n"
                    "class Net(torch.nn.Module):\n"
                    "    def __init__(self):\n"
                    "        super().__init__()\n"
                    "        self.c, self.b = torch.nn.Conv1d(3, 4, 1), torch.nn.BatchNorm1d(4)\n"
                    "        self.d, self.l = torch.nn.BatchNorm1d(4), torch.nn.Linear(5, 2)\n"
                    "    def forward(self, x):\n"
                    "        return self.l(self.b(torch.relu(self.d(self.c(x)))))\n"
                    "net = Net().eval()\n"
                    "torch.jit.trace(net, torch.randn(2, 3, 5)).save(sys.argv[1])\n"
                    "torch.save((torch.randn(2, 3, 5),), sys.argv[2])\n"
                    "print(*(k for k in net.state_dict() if 'num_batches' not in k), file=open(sys.argv[3], 'w'))\n",
                    archive, inputs, keys)
        keys = keys.read_text().split()
        learned = [f"learned_{i}" for i in range(len(keys))]
        for way, names in ((["--no-export-params"], keys), (["--initializers-as-inputs", "always"], learned), (["--opset", "8"], learned)):
            with self.subTest(way=way):
                self.export(0, *way, "--input-names", ",".join(["x", *names]), archive=archive, args=inputs)
                inputs_of = "import onnx, sys\nprint(*(i.name for i in onnx.load(sys.argv[1]).graph.input))\n"
                self.assertEqual(self.python(inputs_of, self.out).split(), ["x", *names])

    def test_verify_at_sizes_of_dynamic_axes(self):
        archive = self.folder / "sizes.pt"
        self.python("import sys, torch\nm = torch.jit.ScriptModule()\n"
                    "m.define('def forward(self, x, y):\\n  return x * x.size(0), y + 1\\n')\n"
                    "m.save(sys.argv[1])", archive)
        command = ("export", archive, "-o", self.out, "--input", "x=float32[2,3]", "--input", "y=float32[3]",
                   "--dynamic-axes", "x:0=batch", "--verify")
        self.assertNotIn("warning", self.run_tonnx(0, *command)[1])
        self.run_tonnx(0, *command, "--verify-size", "batch=7")
        self.assertIn("batches", self.run_tonnx(2, *command, "--verify-size", "batches=7")[1])
        for wrong in ("batch", "batch=", "=7", "batch=many", "batch=-1"):
            self.run_tonnx(2, *command, "--verify-size", wrong)

    def test_verify_where_one_of_two_axes_is_broadcast(self):
        source = self.folder / "sum.py"
        source.write_text("def f(x, y):\n    z = x + y\n    if x.size(0) != y.size(0):\n        z = torch.rand_like(z)\n    return z\n")
        command = ("export", source, "-o", self.out, "--input", "x=float32[3,2]", "--input", "y=float32[3,2]",
                   "--dynamic", "x:0=a,y:0=b", "--verify")
        self.assertRegex(self.run_tonnx(3, *command, longest=40)[1], "at a = 1, b = [0-9]+, .* disagrees")
        self.run_tonnx(0, *command, "--no-verify-other-sizes")
        self.run_tonnx(0, *command, "--verify-size", "b=7")
        self.assertRegex(self.run_tonnx(3, *command, "--verify-size", "a=4,b=1", longest=40)[1], "at a = 4, b = 1, .* disagrees")
        self.assertIn("LibTorch does not run at a = 5, b = 4", self.run_tonnx(2, *command, "--verify-size", "a=5,b=4")[1])

    def test_axes_that_the_program_fixes(self):
        source = self.folder / "net.py"
        source.write_text("def forward(x):\n    a, b = x.unbind(0)\n    return a + b\n")
        command = ("export", source, "-o", self.out, "--input", "x=float32[2,3]", "--dynamic", "x:0=n", "--dynamic", "x:1=m")
        self.assertIn("dynamic axis n is fixed by the program", self.run_tonnx(2, *command)[1])
        for mode in ("script", "trace"):
            output = self.run_tonnx(0, *command, "--fixed-dynamic-axes", "warn", "--mode", mode, "--verify")[1]
            self.assertIn("dynamic axis n (axis 0 of 'x') keeps the example's size 2", output)
            self.assertIn("%x : Float(2, m)", self.run_tonnx(0, "print", self.out)[0])

    def test_an_axis_whose_size_a_lowering_needs_is_fixed(self):
        source = self.folder / "net.py"
        source.write_text("import torch\n\ndef forward(x, w):\n    return torch.conv2d(x, w, padding='same') * x.size(0)\n")
        command = ("export", source, "-o", self.out, "--input", "x=float32[2,1,8,8]", "--input", "w=float32[1,1,3,3]", "--dynamic", "x:0=n",
                   "--dynamic", "w:2=k")
        self.assertIn("needs a kernel of fixed size", self.run_tonnx(1, *command)[1])
        for mode in ("script", "trace"):
            warned = self.run_tonnx(0, *command, "--fixed-dynamic-axes", "warn", "--mode", mode, "--verify")[1]
            self.assertIn("dynamic axis k (axis 2 of 'w') keeps the example's size 3: aten::", warned)
            self.assertIn("needs a kernel of fixed size", warned)
            self.assertEqual(warned.count("keeps the example's size"), 1)
            text = self.run_tonnx(0, "print", self.out)[0]
            self.assertIn("%x : Float(n, 1, 8, 8)", text)
            self.assertIn("%w : Float(1, 1, 3, 3)", text)

    def test_a_declared_output_axis_is_checked(self):
        source = self.folder / "net.py"
        source.write_text("def forward(x):\n    return x * 2\n")
        command = ("export", source, "-o", self.out, "--input", "x=float32[2,4]", "--dynamic", "x:0=b")
        self.run_tonnx(0, *command, "--dynamic", "output:0=b")
        self.run_tonnx(0, *command, "--dynamic", "output:0=rows")
        output = self.run_tonnx(2, *command, "--dynamic", "output:0=b,output:1=b")[1]
        self.assertIn("dynamic axis 1 of output 'output', b, has the fixed size 4 in the model", output)
        source.write_text("def forward(x):\n    return x[x > 0]\n")
        self.assertEqual(self.run_tonnx(0, *command, "--dynamic", "output:0=k")[1], "")
        warned = self.run_tonnx(0, *command, "--dynamic", "output:0=b")[1]
        self.assertIn("dynamic axis 0 of output 'output' is declared to have the size b, which is also that of another axis", warned)

    def test_sizes_at_which_the_program_fails(self):
        source = self.folder / "net.py"
        run = ("import sys, numpy, onnxruntime\nsession = onnxruntime.InferenceSession(sys.argv[1])\nran = []\n"
               "for n in range(1, 9):\n"
               "    try:\n        session.run(None, {'x': numpy.ones((n, 3), numpy.float32)})\n        ran.append(n)\n"
               "    except Exception:\n        pass\nprint(ran)\n")
        for text, ran in (("a, b = x.split(2)\n    return a.sum(0) + b.sum(0)", "[3, 4]"),
                          ("p = x.split(2)\n    return p[0].sum(0) + p[1].sum(0)", "[3, 4, 5, 6, 7, 8]"),
                          ("a, b, c = x.chunk(3)\n    return a.sum(0) - b.sum(0) * c.sum(0)", "[3, 5, 6, 7, 8]"),
                          ("return x.narrow(0, 1, 3)", "[4, 5, 6, 7, 8]"), ("return x.view(-1, 6).view(-1)", "[2, 4, 6, 8]"),
                          ("return x[2:3].amax(0)", "[3, 4, 5, 6, 7, 8]")):
            source.write_text(f"def forward(x):\n    {text}\n")
            for opset in ("9", "17"):
                self.assertNotIn("warning", self.run_tonnx(0, "export", source, "-o", self.out, "--input", "x=float32[6,3]" if "chunk" in text
                                                           else "x=float32[4,3]", "--dynamic", "x:0=n", "--opset", opset)[1])
                self.assertIn(ran, self.python(run, self.out))
        for text in ("x.amax(0)", "x.max(0)[0]", "x.min(0)", "x.max()", "torch.aminmax(x, dim=0)", "torch.mode(x, 0)", "x.argmin(0)",
                     "x.norm(float('-inf'), 0)", "x.mean(1).max()", "x[:1].amax(0)", "x[-1:].flatten().max()", "torch.cat([x[:1], x[:1]]).amin(0)", "x[:1].cumsum(0).amax(0)", "x[:1].sort(0)[0].amin(0)",
                     "torch.zeros_like(x[:1]).amax(0) + x.sum()", "torch.cat([x[:1], x]).amax(0)",
                     "x.quantile(0.5, 1)", "x.quantile(0.5)", "torch.adaptive_avg_pool1d(x.t().unsqueeze(0), 2)",
                     "torch.adaptive_max_pool1d(x.t().unsqueeze(0), 1)[0]"):
            source.write_text(f"def forward(x):\n    return {text}\n")
            for opset in ("11", "17") if "quantile" in text or "sort" in text else ("9", "17"):
                self.assertNotIn("warning", self.run_tonnx(0, "export", source, "-o", self.out, "--input", "x=float32[4,3]", "--dynamic",
                                                           "x:0=n", "--opset", opset)[1])
                self.assertEqual(self.python(run.replace("range(1", "range(0"), self.out).strip(), "[1, 2, 3, 4, 5, 6, 7, 8]", text)
        # The program continues without rows, or raises in a place that the model lacks. The model fails.
        for text in ("y = x[:1]\n    for i in range(int(x.sum() == 0) + 1):\n        y = y * 2\n    return y.amax(0)", "return x.sum() + x[-1:].size(0)",
                     "return torch.zeros(x[:1].size(0), 3)", "y = x[:1]\n    if y.size(0) == 0:\n        y = x + 1\n    return y.sum(0)",
                     "y = torch.zeros(2, 3)\n    y[:1] = x[:1]\n    return y", "return torch.stack([row * 2 for row in x])",
                     "return torch.cat([row * 2 for row in x])"):
            source.write_text(f"def forward(x):\n    {text}\n")
            self.assertNotIn("warning", self.run_tonnx(0, "export", source, "-o", self.out, "--input", "x=float32[4,3]", "--dynamic", "x:0=n")[1])
            self.assertEqual(self.python(run.replace("range(1", "range(0"), self.out).strip(), "[1, 2, 3, 4, 5, 6, 7, 8]", text)
        source.write_text("def forward(x):\n    return x[:2].view(2, 3)\n")  # has no Reshape where the program runs
        reported = self.run_tonnx(0, "export", source, "-o", self.out, "--input", "x=float32[4,3]", "--dynamic", "x:0=n")[1]
        self.assertIn("aten::view (net.py:2): the program fails where n is 1 (shape '[2, 3]' is invalid", reported)
        source.write_text("def forward(x):\n    assert x.size(0) % 2 == 0, 'must be even'\n    return x * 2\n")
        output = self.run_tonnx(0, "export", source, "-o", self.out, "--input", "x=float32[4,3]", "--dynamic", "x:0=n")[1]
        self.assertIn("prim::RaiseException", output)
        self.assertIn("must be even", output)

    def test_the_last_token_has_a_declared_size(self):
        source = self.folder / "net.py"
        source.write_text("def forward(x):\n    return x[:, -1:] * 2\n")
        self.run_tonnx(0, "export", source, "-o", self.out, "--input", "x=float32[2,4,3]", "--dynamic", "x:0=b,x:1=t", "--verify")
        self.assertRegex(self.run_tonnx(0, "print", self.out)[0], r"%output : Float\(b, 1, 3\)")

    def test_an_empty_slice_that_is_read_has_no_declared_size(self):
        source = self.folder / "net.py"
        run = ("import sys, numpy, onnxruntime\nsession = onnxruntime.InferenceSession(sys.argv[1])\n"
               "y, m = session.run(None, {'x': numpy.ones((0, 3), numpy.float32)})\n"
               "print([o.shape for o in session.get_outputs()], y.shape, numpy.isnan(m).tolist())\n")
        source.write_text("def forward(x):\n    y = x[:1] * 2\n    return y, y.mean(0)\n")
        for dynamic, ran in (("x:0=n", "[['output_0_dim_0', 3], [3]] (0, 3) [True, True, True]"), ("x:1=n", "")):
            self.run_tonnx(0, "export", source, "-o", self.out, "--input", "x=float32[4,3]", "--dynamic", dynamic)
            if ran:
                self.assertEqual(self.python(run, self.out).strip(), ran)
        printed = self.run_tonnx(0, "print", self.out)[0]
        self.assertIn("Float(1, n)", printed)

    def test_indices_and_keys_at_which_the_program_fails(self):
        source = self.folder / "net.py"
        run = ("import sys, numpy, onnxruntime\nonnxruntime.set_default_logger_severity(4)\n"
               "session = onnxruntime.InferenceSession(sys.argv[1])\nran = []\n"
               "for i in range(-4, 7):\n"
               "    try:\n        session.run(None, {'x': numpy.ones((2, 3), numpy.float32), 'i': numpy.array(i)})\n"
               "        ran.append(i)\n"
               "    except Exception:\n        pass\nprint(ran)\n")
        in_list, in_dict = "[-3, -2, -1, 0, 1, 2]", "[0, 1, 5]"
        for text, ran in (("l = [x, x + 1, x * 2]\n    l[i].add_(1)\n    return l[0] + l[1] * l[2]", in_list),
                          ("l = [x, x + 1, x * 2]\n    l[i] = x * 3\n    return l[0] + l[1] * l[2]", in_list),
                          ("l = [[x], [x + 1, x], [x * 2]]\n    return l[i][0]", in_list),
                          ("return torch.softmax(x, i)", "[-2, -1, 0, 1]"),
                          ("return x[0].cumsum(i)", "[-1, 0]"),
                          ("return torch.cat([x[:, 0], x[:, 1]], i)", "[-1, 0]"),
                          ("return x[0, 0].sum(i)", "[-1, 0]"),
                          ("return x.narrow(0, i, 1)", "[-2, -1, 0, 1]"),
                          ("return x.select_scatter(x[0], 0, i)", "[-2, -1, 0, 1]"),
                          ("return x[torch.zeros(1, dtype=torch.long), torch.tensor([i])]", "[-3, -2, -1, 0, 1, 2]"),
                          ("return x[torch.tensor([i]), torch.zeros(1, dtype=torch.long)]", "[-2, -1, 0, 1]"),
                          ("y = x.clone()\n    y[torch.tensor([i]), torch.zeros(1, dtype=torch.long)] = 2\n    return y", "[-2, -1, 0, 1]"),
                          ("return (x, x + 1, x * 2)[i]", in_list),
                          ("return x * (0.5, 1.5, 2.5)[i]", in_list),
                          ("return x.unfold(1, i, 1)", "[0, 1, 2, 3]"),
                          ("return x.unfold(1, 2, i)", "[1, 2, 3, 4, 5, 6]"),
                          ("return {1: x}[i] * 2", "[1]"),
                          ("return x * {1: 2.5}[i]", "[1]"),
                          ("d = {0: x, 1: x + 1, 5: x * 2}\n    return d[i]", in_dict),
                          ("d = {0: x, 1: x + 1, 5: x * 2}\n    d[i].mul_(3)\n    return d[0] + d[1] * d[5]", in_dict),
                          ("y = x * 2\n    return {0: x, 1: y}.get(i, y)", str(list(range(-4, 7))))):
            source.write_text(f"def forward(x, i: int):\n    {text}\n")
            example = "i=0" if ran == "[-1, 0]" else "i=1"
            warned = self.run_tonnx(0, "export", source, "-o", self.out, "--input", "x=float32[2,3]", "--input", example, "--verify")[1]
            self.assertNotIn("does not check", warned, text)
            self.assertEqual(self.python(run, self.out).strip(), ran, text)

    def test_a_check_in_a_module_that_never_runs_causes_no_warning(self):
        archive = self.folder / "encoder.pt"
        (self.folder / "padded_encoder.py").write_text(
            "from torch import nn, Tensor\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.e = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1)\n"
            "    def forward(self, x, pad: Tensor):\n        return self.e(x, src_key_padding_mask=pad)\n")
        self.python("import sys, torch\nsys.path.insert(0, sys.argv[2])\nimport padded_encoder\nsys.path.pop(0)\n"
                    "torch.jit.script(padded_encoder.Net().eval()).save(sys.argv[1])\n", archive, self.folder)
        warned = self.run_tonnx(0, "export", archive, "-o", self.out, "--input", "x=float32[2,5,8]", "--input", "pad=bool[2,5]")[1]
        self.assertIn("asks about gradients", warned)
        self.assertNotIn("RaiseException", warned)  # self_attn runs if the mask is nested and is not, which no run shows

    def test_the_only_container_of_a_list_or_dict_is_taken_with_a_warning(self):
        source = self.folder / "net.py"
        for text, condition in (("return [[x, x + 1]][i][1]", "index is not 0 or -1"), ("l = [[x]]\n    l[i].append(x)\n    return x * len(l[0])", "index is not 0 or -1"),
                                ("return {0: [x, x + 1]}[i][1]", "key is not 0")):
            source.write_text(f"def forward(x, i: int):\n    {text}\n")
            warned = self.run_tonnx(0, "export", source, "-o", self.out, "--input", "x=float32[2,3]", "--input", "i=0", "--verify")[1]
            self.assertRegex(warned, rf"__getitem__\S* \(net.py:[23]\): the program fails where the {condition}; the model does not check this")

    def test_indices_are_checked_below_opset_11(self):
        source = self.folder / "net.py"
        run = ("import sys, numpy, onnxruntime\nonnxruntime.set_default_logger_severity(4)\n"
               "session = onnxruntime.InferenceSession(sys.argv[1])\nran = []\n"
               "for i in range(-7, 7):\n"
               "    try:\n        session.run(None, {'x': numpy.ones((2, 3), numpy.float32), 'i': numpy.array(i)})\n"
               "        ran.append(i)\n"
               "    except Exception:\n        pass\nprint(ran)\n")
        for text, ran in (("return x.select(0, i)", "[-2, -1, 0, 1]"), ("return x * [2, 3][i]", "[-2, -1, 0, 1]"),
                          ("return [[x], [x + 1, x]][i][0]", "[-2, -1, 0, 1]"), ("return x.gather(1, torch.tensor([[i]]) % 7)", "[-7, -6, -5, 0, 1, 2]"),
                          ("return x.index_fill(0, torch.tensor([i]), 5.0)", "[-2, -1, 0, 1]"),
                          ("return x.put(torch.tensor([i]), torch.ones(1), True)", "[-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5]")):
            source.write_text(f"def forward(x, i: int):\n    {text}\n")
            for opset in ("7", "10"):
                if opset == "7" and "tensor" in text:
                    continue
                self.run_tonnx(0, "export", source, "-o", self.out, "--input", "x=float32[2,3]", "--input", "i=1", "--opset", opset)
                self.assertEqual(self.python(run, self.out).strip(), ran, text)

    def test_an_operator_that_fails_on_the_example_says_what_to_do(self):
        source = self.folder / "net.py"
        for text, why in (("return x * (x.size(0) // 0)", "aten::floordiv.int (net.py:2): division by 0"),
                          ("return x * (x.size(0) % 0)", "integer modulo by zero"), ("return [x, x][5]", "list index out of range"),
                          ("return x.view(5)", "is invalid for input of size 6"),
                          ("if x.size(0) > 1:\n        raise ValueError('no')\n    return x", "raises an exception on the example inputs: ValueError: no")):
            source.write_text(f"def forward(x):\n    {text}\n")
            message = self.run_tonnx(1, "export", source, "-o", self.out, "--input", "x=float32[2,3]")[1]
            self.assertIn(why, message)
            self.assertRegex(message, "use (example )?inputs on which it runs")

    def test_a_model_that_disagrees_is_3(self):
        archive, args = self.sample("tensors.dropout2d.train_0_4")
        self.assertIn("disagrees", self.export(3, "--verify", archive=archive, args=args)[1])

    def test_F244_F245_operators_that_differ_are_reported_and_saved(self):
        source, repro = self.folder / "net.py", self.folder / "repro"
        source.write_text("def forward(x):\n    y = torch.relu(x) + 1\n    y = torch.lgamma(y)\n    return y * 2\n")
        command = ("export", source, "-o", self.out, "--input", "x=float32[64,64]")
        exact = ("--rtol", "0", "--atol", "0")  # lgamma is a formula of tonnx's own
        self.assertNotIn("differ", self.run_tonnx(0, *command, "--verify")[1])
        self.assertIn("each alone", self.run_tonnx(0, *command, "--verify-every-operator")[1])
        output = self.run_tonnx(3, *command, *exact, "--verify", "--repro", repro)[1]
        for part in ("X 10: aten::lgamma (net.py:3)", "by kind: aten::lgamma 1", "disagrees"):
            self.assertIn(part, output)
        tree = json.loads((repro / "mismatch.json").read_text())
        self.assertEqual((tree["leaves"], tree["kinds"], tree["tree"]["operators"]), (["10"], {"aten::lgamma": 1}, 4))
        self.python("import sys, pathlib, numpy, onnx, onnxruntime\nfrom onnx import numpy_helper\n"
                    "case = pathlib.Path(sys.argv[1])\nmodel = onnx.load(case / 'model.onnx')\nonnx.checker.check_model(model)\n"
                    "def read(name):\n"
                    "    return numpy_helper.to_array(onnx.load_tensor(case / 'test_data_set_0' / name))\n"
                    "session = onnxruntime.InferenceSession(case / 'model.onnx')\n"
                    "got, = session.run(None, {session.get_inputs()[0].name: read('input_0.pb')})\n"
                    "numpy.testing.assert_allclose(got, read('output_0.pb'), rtol=1e-3, atol=1e-6)\n"
                    "assert not (got == read('output_0.pb')).all()\n", repro / "test_10")
        self.assertIn("differ", self.run_tonnx(3, *command, *exact, "--verify-every-operator")[1])
        self.assertIn("nothing is compared", self.run_tonnx(2, *command, "--repro", repro)[1])

    def test_the_first_node_that_depends_on_the_inputs_is_reported(self):
        source = self.folder / "net.py"
        source.write_text("def forward(x):\n    for i in range(x.size(0)):\n        x = torch.sin(x)\n    return x * 2\n")
        paths = [self.folder / f"{n}.pt" for n in (2, 1, 3)]
        self.python("import sys, torch\nfor n, path in zip((2, 2, 3), sys.argv[1:]):\n    torch.save((torch.ones(n, n),), path)\n", *paths)
        command = ("export", source, "-o", self.out, "--args", paths[0], "--mode", "trace", "--other-args", paths[1])
        self.assertIn("the same for all", self.run_tonnx(0, *command)[1])
        output = self.run_tonnx(3, *command, "--other-args", paths[2])[1]
        for part in ("group 3", "node 3 of 3", "onnx::Mul", "onnx::Sin", "operator 3 of the recording"):
            self.assertIn(part, output)

    def test_a_limit_ends_an_export_with_its_own_message(self):
        source = self.folder / "net.py"
        source.write_text("def forward(x):\n    for i in range(1000000000):\n        x = x + 1\n    return x\n")
        err = self.run_tonnx(1, "export", source, "-o", self.out, "--input", "x=float32[2]", "--mode", "trace", "--max-steps", "1000")[1]
        self.assertIn("max_steps", err)
        self.assertNotIn("interrupted", err)
        self.assert_only("net.py")

    def test_the_tolerance_is_that_of_the_loosest_dtype_in_the_model(self):
        archive = self.folder / "half.pt"
        self.python("import sys, torch\ntorch.manual_seed(0)\n"
                    "class Net(torch.nn.Module):\n"
                    "    def __init__(self):\n        super().__init__()\n"
                    "        self.w = torch.nn.Linear(64, 64).half()\n"
                    "    def forward(self, x):\n        return self.w(x.half()).float()\n"
                    "torch.jit.trace(Net(), torch.rand(8, 64)).save(sys.argv[1])", archive)
        command = ("export", archive, "-o", self.out, "--input", "x=float32[8,64]", "--verify")
        self.run_tonnx(0, *command)
        self.assertIn("a larger rtol", self.run_tonnx(3, *command, "--rtol", "0", "--atol", "0")[1])

    def test_lists_of_ints_are_verified_as_outputs(self):
        archive = self.folder / "lists.pt"
        self.python("import sys, torch\nm = torch.jit.ScriptModule()\n"
                    "m.define('def forward(self, x):\\n'\n"
                    "         '  return x + 1, x.size(), ([x.size(0), 7], [1, 2]), [0.5], [True]\\n')\n"
                    "m.save(sys.argv[1])", archive)
        for more in ((), ("--dynamic-axes", "x:0=batch")):
            self.run_tonnx(0, "export", archive, "-o", self.out, "--input", "x=float32[2,3]", "--verify", *more)

    def test_lists_of_tensors_are_sequence_inputs_where_wanted(self):
        archive, args, empty = (self.folder / name for name in ("lists.pt", "args.pt", "empty.pt"))
        self.python("import sys, torch\nm = torch.jit.ScriptModule()\n"
                    "m.define('def forward(self, xs: List[Tensor], y):\\n  return torch.cat(xs) * y, xs, xs[0].size(1)\\n')\n"
                    "m.save(sys.argv[1])\n"
                    "torch.save(([torch.rand(2, 3), torch.rand(2, 3)], torch.rand(3)), sys.argv[2])\n"
                    "torch.save(([], torch.rand(3)), sys.argv[3])", archive, args, empty)
        command = ("export", archive, "-o", self.out, "--verify", "--sequence-inputs")
        self.run_tonnx(0, *command, "--args", args, "--opset", "11")
        self.run_tonnx(0, *command, "--args", args, "--dynamic-axes", "xs:1=n", "--dynamic-axes", "y:0=n")
        self.assertIn("opset 11", self.run_tonnx(1, *command, "--args", args, "--opset", "10")[1])
        self.assertIn("empty", self.run_tonnx(2, *command, "--args", empty)[1])
        self.assertIn("xs, y", self.run_tonnx(2, *command, "--args", args, "--dynamic-axes", "xs.0:1")[1])
        self.run_tonnx(0, "export", archive, "-o", self.out, "--verify", "--args", args, "--dynamic-axes", "xs.0:0=n")

    def test_named_tuples_are_given_as_tuples(self):
        archive, args = self.folder / "pairs.pt", self.folder / "args.pt"
        (self.folder / "pairs.py").write_text(
            "from typing import Dict, List, NamedTuple\nimport torch\n\n\n"
            "class Pair(NamedTuple):\n    a: torch.Tensor\n    b: torch.Tensor\n\n\n"
            "class Both(NamedTuple):\n    pair: Pair\n    c: torch.Tensor\n\n\n"
            "class Net(torch.nn.Module):\n"
            "    def forward(self, x: Pair, y: Both, items: List[Pair], named: Dict[str, Pair]):\n"
            "        x.a.add_(1)\n"
            "        return x.a + x.b, y, y.pair.a * y.c, items[0].b - items[1].a, named['k'].a\n")
        self.python("import sys\nsys.path.insert(0, sys.argv[1])\nimport pairs, torch\n"
                    "def pair(): return torch.rand(2), torch.rand(2)\n"
                    "torch.jit.script(pairs.Net()).save(sys.argv[2])\n"
                    "torch.save((pair(), (pair(), torch.rand(2)), [pair(), pair()], {'k': pair()}), sys.argv[3])",
                    self.folder, archive, args)
        for mode in ("script", "trace"):
            self.run_tonnx(0, "export", archive, "-o", self.out, "--args", args, "--verify", "--mode", mode)

    def test_inputs_made_from_their_description(self):
        self.run_tonnx(0, "export", self.archive, "-o", self.out, "--input", "x=float32[5]")
        self.assertIn("Float(5)", self.run_tonnx(0, "print", self.out)[0])
        self.run_tonnx(2, "export", self.archive, "-o", self.out, "--input", "x=float31[5]")
        for sizes in ("9223372036854775807,2", "1000000000,1000000000", "4294967296,4294967296"):
            err = self.run_tonnx(2, "export", self.archive, "-o", self.out, "--input", f"x=float32[{sizes}]")[1]
            self.assertRegex(err, "too large|not enough memory for a tensor of this size")
        for number in ("99999999999999999999999", "-9223372036854775809", "1e400"):
            err = self.run_tonnx(2, "export", self.archive, "-o", self.out, "--input", f"x={number}")[1]
            self.assertIn("the number does not fit in 64 bits", err)
        self.run_tonnx(2, "export", self.archive, "-o", self.out, "--args", self.args, "--input", "x=float32[5]")

    def test_refusal_names_numbers_that_can_be_fixed(self):
        source = self.folder / "net.py"
        source.write_text("def forward(x: Tensor, rate: int):\n"
                          "    return torch.conv1d(x.unsqueeze(1), torch.ones([4, 1, 3]), None, [rate])\n")
        command = ("export", source, "-o", self.out, "--input", "x=float32[2,8]", "--input", "rate=2", "--verify")
        self.assertIn("can be fixed (--fixed-axes rate)", self.run_tonnx(1, *command)[1])
        self.run_tonnx(0, *command, "--fixed-axes", "rate")

    def test_numbers_are_inputs(self):
        source = self.folder / "net.py"
        source.write_text("def forward(x: Tensor, n: int, s: float, up: bool):\n"
                          "    return (x if up else -x).sum(n) * s, x.sum(0, up)\n")
        command = ("export", source, "-o", self.out, "--input", "x=float32[2,2]", "--input", "s=0.5", "--verify")
        self.run_tonnx(0, *command, "--input", "n=-1", "--input", "up=true", "--fixed-axes", "up")
        self.assertIn("Long()", self.run_tonnx(0, "print", self.out)[0])
        self.run_tonnx(0, *command, "--input", "n=0", "--input", "up=false", "--fixed-axes", "*")
        for wrong in ("n=1.5", "n=one", "n=", "n=1,"):
            self.run_tonnx(2, *command, "--input", "up=true", "--input", wrong)

    def test_a_report_is_json(self):
        report = self.folder / "report.json"
        self.export(0, "--report", report)
        self.assertIsInstance(json.loads(report.read_text()), dict)

    def test_a_report_of_a_failure_lists_all_reasons(self):
        report = self.folder / "report.json"
        archive, args = self.sample("functions.nan_to_num.plain")
        self.export(1, "--opset", "7", "--report", report, archive=archive, args=args)
        content = json.loads(report.read_text())
        self.assertIn("aten::nan_to_num", content["error"])
        self.assertEqual(content["source_operators"], {"aten::nan_to_num": 1})
        reasons = content["reasons"]
        self.assertEqual([reason["operator"].split(".")[0] for reason in reasons], ["aten::nan_to_num"])
        self.assert_only("report.json")

    def test_a_report_of_a_failure_has_a_reason_where_no_operator_is_to_blame(self):
        report = self.folder / "report.json"
        self.export(2, "--dynamic-axes", "nope:0", "--report", report)
        content = json.loads(report.read_text())
        self.assertEqual(content["reasons"], [{"operator": "", "text": content["error"], "module": "", "source": "", "count": 1}])
        self.assertIn("'nope'", content["error"])

    def sarif(self, path):
        log = json.loads(path.read_text())
        self.assertEqual((log["version"], len(log["runs"])), ("2.1.0", 1))
        run, = log["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(sorted(rules), sorted({result["ruleId"] for result in run["results"]}))
        return run, {result["ruleId"]: result for result in run["results"]}

    def test_a_report_is_sarif_where_it_is_called_so(self):
        report, source = self.folder / "report.sarif", self.folder / "net.py"
        self.export(0, "--report", report)
        run, results = self.sarif(report)
        self.assertTrue(run["invocations"][0]["executionSuccessful"])
        self.assertIn("lowering", str(run["invocations"][0]["toolExecutionNotifications"]))
        self.assertEqual(results, {})
        source.write_text("def forward(x):\n    z = torch.grid_sampler(x.reshape([1, 1, 3, 3]), torch.zeros([1, 2, 2, 2]), 0, 0, False)\n    y = torch.linalg_eigvals(torch.matmul(x, x))\n"
                          "    return z, y, torch.ops.my_ops.thing(x)\n")
        self.run_tonnx(1, "export", source, "-o", self.out, "--input", "x=float32[3,3]", "--report", report, "--opset", "10",
                       "--schema", "my_ops::thing(Tensor x) -> Tensor")
        run, results = self.sarif(report)
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        place = results["POE0003"]["locations"][0]["physicalLocation"]
        self.assertEqual((place["artifactLocation"]["uri"], place["region"]["startLine"]), ("net.py", 3))
        self.assertEqual(sorted(results), ["POE0002", "POE0003", "POE0004"])
        self.assertEqual({result["level"] for result in results.values()}, {"error"})

    def test_warnings_are_errors_where_that_is_asked_for(self):
        self.export(0, "--warnings-as-errors")
        report = self.folder / "report.sarif"
        command = ("--custom-opset", "com.example=1")
        self.assertIn("warning", self.export(0, *command, "--report", report)[1])
        self.assertEqual(self.sarif(report)[1]["TONNX0003"]["level"], "warning")
        self.assertIn("com.example", self.export(1, *command, "--warnings-as-errors", "--report", report)[1])
        run, results = self.sarif(report)
        self.assertEqual(len(run["results"]), 1)
        self.assertEqual(results["TONNX0003"]["level"], "error")

    def test_program_passes_are_printed_and_counted(self):
        self.assertNotIn("***", self.export(0)[1])
        every = self.export(0, "--print-after", "all")[1]
        self.assertIn("*** program after fill_uninitialised (unchanged) ***\ngraph(", every)
        one = self.export(0, "--print-after", "remove_dead,fold_numbers")[1]
        self.assertEqual(set(re.findall(r"after (\w+)", one)), {"remove_dead", "fold_numbers"})
        self.assertNotIn("(unchanged)", self.export(0, "--print-changes")[1])
        self.assertIn("no pass is called 'nowhere'", self.export(2, "--print-after", "nowhere")[1])
        report = self.folder / "report.json"
        self.export(0, "--report", report)
        self.assertNotIn("passes", json.loads(report.read_text()))
        self.export(0, "--pass-statistics", "--report", report)
        passes = json.loads(report.read_text())
        self.assertEqual(passes["bounds"], [])
        self.assertEqual(set(passes["passes"]["infer_facts"]), {"runs", "changes", "seconds"})

    def test_a_report_names_a_program_that_cannot_be_loaded(self):
        report = self.folder / "report.json"
        archive = self.folder / "archive.pt"
        archive.write_bytes(self.archive.read_bytes()[:-100])
        self.export(4, "--report", report, archive=archive)
        content = json.loads(report.read_text())
        self.assertIn("archive.pt", content["error"])
        self.assertEqual([reason["text"] for reason in content["reasons"]], [content["error"]])

    def test_a_report_takes_no_other_file_s_place(self):
        archive = self.folder / "archive.pt"
        shutil.copy(self.archive, archive)
        (self.folder / "link.pt").symlink_to("archive.pt")
        before = archive.read_bytes()
        for report in (archive, self.folder / "link.pt", self.out, self.folder / "." / "model.onnx.data"):
            with self.subTest(report.name):
                self.assertIn("--report", self.export(2, "--report", report, archive=archive)[1])
        self.assertEqual(archive.read_bytes(), before)
        self.assert_only("archive.pt", "link.pt")

    def test_external_data(self):
        archive, args = self.sample("models.alexnet.nograd")
        self.export(0, "--external-data", "yes", archive=archive, args=args)
        self.assert_only("model.onnx", "model.onnx.data")
        self.run_tonnx(0, "check", self.out)

    def test_a_program_that_cannot_be_exported_is_1_and_leaves_nothing(self):
        archive, args = self.sample("functions.nan_to_num.plain")
        err = self.export(1, "--opset", "7", archive=archive, args=args)[1]
        self.assertIn("aten::nan_to_num", err)
        self.assertIn("opset 9", err)
        self.assert_only()

    def test_a_refusal_of_a_branch_names_its_line(self):
        source = self.folder / "net.py"
        source.write_text("def forward(self, x):\n    y = x + 1\n    if bool(x.sum() > 0):\n        torch.set_grad_enabled(True)\n    return y\n")
        err = self.run_tonnx(1, "export", source, "-o", self.out, "--input", "x=float32[2]", "--dynamic", "x:0=n")[1]
        self.assertIn("prim::If (net.py:3): gradients are enabled or disabled", err)

    def test_a_program_without_outputs_is_1(self):
        archive = self.folder / "none.pt"
        self.python("import sys, torch\nm = torch.jit.ScriptModule()\n"
                    "m.define('def forward(self, x):\\n  return None\\n')\nm.save(sys.argv[1])", archive)
        err = self.run_tonnx(1, "export", archive, "-o", self.out, "--input", "x=float32[2]")[1]
        self.assertIn("needs an output", err)
        self.assert_only("none.pt")

    def test_wrong_usage_is_2_and_leaves_nothing(self):
        self.run_tonnx(2)
        self.assertIn("'nonsense'", self.run_tonnx(2, "nonsense")[1])
        self.run_tonnx(2, "registry", "--opset", "99")
        self.run_tonnx(2, "export", self.archive)
        for more, text in (
            (["--opset", "6"], "opset"),
            (["--opset", "99"], "opset"),
            (["--opset", "seven"], "seven"),
            (["--dynamic-axes", "nope:0"], "'nope'"),
            (["--dynamic-axes", "x"], "NAME:AXIS"),
            (["--dynamic-axes", "x:first"], "not an integer"),
            (["--training", "sometimes"], "eval"),
            (["--external-data", "perhaps"], "archive"),
            (["--custom-opsets", "mine"], "DOMAIN=VERSION"),
            (["--nonsense"], "--nonsense"),
            (["--seed", "-1"], "--seed '-1'"),
            (["--seed", "99999999999999999999"], "--seed"),
            (["--verify", "--rtol", "nan"], "--verify-rtol is NaN"),
            (["--rtol", "1e-3"], "--verify-rtol: nothing is compared"),
            (["--verify-sizes", "n=3"], "--verify-sizes: nothing is compared"),
            (["--no-verify-other-sizes"], "--verify-other-sizes: nothing is compared"),
            (["--output-names", "\udcff"], r"'\xff' is not valid UTF-8"),
            (["--custom-opsets", "\udcff=1"], "UTF-8"),
        ):
            with self.subTest(more):
                self.assertIn(text, self.export(2, *more)[1])
        self.run_tonnx(2, "print", self.archive, "--format", "odd")
        self.assert_only()

    def test_input_files_missing_or_foreign_are_4(self):
        empty, foreign = self.folder / "empty.pt", self.folder / "foreign.pt"
        empty.touch()
        foreign.write_bytes(b"PK" + bytes(range(256)) * 8)
        for archive in (self.folder / "missing.pt", empty, foreign):
            with self.subTest(archive.name):
                self.assertIn(archive.name, self.export(4, archive=archive)[1])
        self.export(4, args=self.folder / "missing.args.pt")
        self.run_tonnx(4, "check", self.folder / "missing.onnx")
        self.run_tonnx(4, "check", self.archive)
        self.run_tonnx(4, "print", self.folder / "missing.onnx")
        self.assert_only("empty.pt", "foreign.pt")

    def test_a_path_that_cannot_be_written_is_4(self):
        for out in (pathlib.Path("/proc/model.onnx"), self.folder, self.folder / "nowhere" / "model.onnx"):
            with self.subTest(str(out)):
                self.export(4, out=out)
        self.assert_only()

    def test_a_refused_export_keeps_what_stood_there(self):
        self.out.write_text("before")
        archive, args = self.sample("functions.nan_to_num.plain")
        self.export(1, "--opset", "7", archive=archive, args=args)
        self.assertEqual(self.out.read_text(), "before")

    def test_the_output_may_take_the_place_of_the_input(self):
        archive, args = self.sample("models.alexnet.nograd")
        shutil.copy(archive, self.out)
        self.export(0, archive=self.out, args=args)
        self.run_tonnx(0, "check", self.out)
        self.assert_only("model.onnx")

    def test_F199_registry(self):
        rows = [line.split() for line in self.run_tonnx(0, "registry")[0].splitlines()]
        for row in ("aten::relu 7 lowering", "aten::copy_ 7 write", "aten::relu_ 7 write", "aten::triu_ 7 write",
                    "aten::append.t 7 container", "aten::pop.t 7 container", "prim::TupleConstruct 7 container", "prims::tanh 7 primitive",
                    "aten::is_floating_point 7 constant", "quantized::conv2d_relu 7 quantised", "aten::format 7 string", "aten::upper 7 string",
                    "prims::prod 7 primitive", "prims::iota 7 primitive", "prims::copy_to 7 primitive"):
            self.assertIn(row.split(), rows)
        names = [name for name, _, _ in rows]
        self.assertEqual(len(names), len(set(names)))
        # Operators that can never be converted are not listed.
        for name in ("aten::save", "aten::manual_seed", "aten::to_sparse", "aten::print"):
            self.assertFalse([row for row in rows if row[0].split(".")[0] == name], name)
        self.assertEqual(rows, sorted(rows))
        older = self.run_tonnx(0, "registry", "--opset", "7")[0].splitlines()
        self.assertTrue(0 < len(older) <= len(rows))

    def test_completion(self):
        scripts = {shell: self.run_tonnx(0, "completion", shell)[0] for shell in ("bash", "zsh", "fish")}
        for shell, script in scripts.items():
            for word in ("export", "registry", "completion", "dynamic-axes", "no-check"):
                self.assertIn(word, script, shell)
        self.assertIn("written by torch.save", scripts["fish"])
        words = {"": {"export", "check", "--version"}, "export --op": {"--opset"}, "print --f": {"--format"}, "export net": set()}
        for given, expected in words.items():
            program = scripts["bash"] + f'COMP_WORDS=(tonnx {given or chr(39) * 2})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n' \
                "_tonnx\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
            done = subprocess.run(["bash", "-uc", program], capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            found = set(done.stdout.split())
            self.assertTrue(expected <= found and (expected or not found), f"{given}: {found}")
        self.assertIn("one of bash, zsh, fish", self.run_tonnx(2, "completion", "tcsh")[1])

    def test_version(self):
        self.assertRegex(self.run_tonnx(0, "version")[0], r"^tonnx \d+\.\d+\.\d+ \(LibTorch .*opsets \d+ to \d+, default 17\)$")


if __name__ == "__main__":
    tool.main()
