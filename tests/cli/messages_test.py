"""Messages of the command line for programs that cannot be exported or verified: messages_test.py TONNX SAMPLES"""

import json
import pathlib
import tempfile

import tool

PROGRAMS = '''
import sys, torch
from typing import Dict, List, Optional, Tuple
from torch import Tensor, nn

operators = torch.library.Library("says", "DEF")
for schema in ("one(Tensor x) -> Tensor", "two(Tensor x) -> Tensor", "number(Tensor x) -> float", "each(Tensor(a!)[] xs) -> ()",
               "first(Tensor(a!) x) -> ()", "second(Tensor(a!) x) -> ()"):
    operators.define(schema)
for name in ("one", "two"):
    operators.impl(name, lambda x: x.clone(), "CompositeExplicitAutograd")
operators.impl("number", lambda x: float(x.sum()), "CompositeExplicitAutograd")
for name in ("each", "first", "second"):
    operators.impl(name, lambda x: None, "CompositeExplicitAutograd")


@torch.jit.script
class Pair:
    def __init__(self, a: Tensor, b: Tensor):
        self.a = a
        self.b = b

    def total(self) -> Tensor:
        return self.a + self.b


class Object(nn.Module):
    def forward(self, x: Tensor, p: Pair) -> Tensor:
        return x * p.total()


class Objects(nn.Module):
    def forward(self, x: Tensor, p: List[Pair]) -> Tensor:
        return x * p[0].a


class MaybeObject(nn.Module):
    def forward(self, x: Tensor, p: Optional[Pair] = None) -> Tensor:
        return x + 1 if p is None else x * p.b


class Halves(nn.Module):
    def forward(self, x: Tensor):
        return x.reshape(x.size(0) * 2, 2), x.reshape(-1, 2), x.view(x.size(0), 2, 2)


class Baked(nn.Module):
    def forward(self, x: Tensor):
        return x.reshape(2, -1)


class Maybe(nn.Module):
    def forward(self, x: Tensor) -> Optional[Tensor]:
        return x * 2 if bool(x.sum() > 0) else None


class MaybeSecond(nn.Module):
    def forward(self, x: Tensor) -> Tuple[Tensor, Optional[Tensor]]:
        y: Optional[Tensor] = None
        if bool(x.sum() > 0):
            y = x * 2
        return x + 1, y


class Nested(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        rows: List[List[Tensor]] = []
        for i in range(x.size(0)):
            rows.append([x[i], x[i] * 2])
        return rows[-1][0]


class Known(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.nonzero() + 1


class Number(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x * torch.ops.says.number(x))


class Several(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.ops.says.one(x) + torch.ops.says.two(torch.ops.says.one(x)) * torch.ops.says.number(x)


class Each(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y, z = x.clone(), x * 2
        torch.ops.says.each([y, z])
        return y + z


class Writers(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.clone()
        torch.ops.says.first(y)
        torch.ops.says.second(y)
        return y + 1


class Bounded(nn.Module):
    def forward(self, x: Tensor):
        n = x.sum().long().item()
        torch._check(n > 3)
        return torch.zeros(n) + 1


class Twice(nn.Module):
    def forward(self, x: Tensor):
        n = x.sum().long().item()
        torch._check(n <= 40)
        y = torch.zeros(n)
        torch._check(n <= 40)
        return y + 1


class Selected(nn.Module):
    def forward(self, x: Tensor):
        y = x[x > 1]
        return x.nonzero() * 2, y, torch.masked_select(x, x > 2), torch.unique(x)


class Even(nn.Module):
    def forward(self, x: Tensor):
        y = x.nonzero()
        torch._check(y.size(0) % 2 == 0)
        return y.reshape(y.size(0) // 2, 4)


class FixedSize(nn.Module):
    def forward(self, x: Tensor):
        return x[x > 3].view(4) * 2


class FixedNumber(nn.Module):
    def forward(self, x: Tensor):
        n = x.sum().long().item()
        torch._check(n + 2 == 30)
        return torch.zeros(n) + n


class EqualSizes(nn.Module):
    def forward(self, x: Tensor):
        rows = x[:, 1].nonzero()
        torch._check(rows.size(0) == x.size(0))
        return x + rows


class Asserted(nn.Module):
    def forward(self, x: Tensor):
        torch._assert_async((x >= 0).all(), "must not be negative")
        return x * 2


class Branches(nn.Module):
    def forward(self, x: Tensor, f: bool, n: int):
        y = torch.zeros(2, 4)
        if f:
            y = x.expand(2, 4)
        for i in range(n):
            if x.size(0) > 6:
                raise ValueError("too many")
            y = y + torch.bmm(x.unsqueeze(1), torch.ones(2, 4, 4)).sum() * i
        return y


folder, x = sys.argv[1], torch.arange(8.).reshape(2, 4)
torch.jit.script(Asserted()).save(f"{folder}/Asserted.pt")
torch.jit.trace(Asserted(), x).save(f"{folder}/AssertedTraced.pt")
torch.jit.script(Branches()).save(f"{folder}/Branches.pt")
for module in (Bounded, Twice, Selected, Even, Asserted):
    program = torch.export.export(module(), (x,))
    torch.export.save(program, f"{folder}/{module.__name__}.pt2")
    torch.export.save(program.run_decompositions(), f"{folder}/{module.__name__}Decomposed.pt2")
for module, sizes in ((FixedSize, None), (FixedNumber, None), (EqualSizes, ({0: torch.export.Dim.DYNAMIC},))):
    program = torch.export.export(module(), (x,), dynamic_shapes=sizes)
    torch.export.save(program, f"{folder}/{module.__name__}.pt2")
    torch.export.save(program.run_decompositions(), f"{folder}/{module.__name__}Decomposed.pt2")
for module in (Object, Objects, MaybeObject, Halves, Baked, Maybe, MaybeSecond, Nested, Known, Number, Several):
    torch.jit.script(module()).save(f"{folder}/{module.__name__}.pt")
for module in (Halves, Baked):
    torch.jit.trace(module(), x).save(f"{folder}/{module.__name__}Traced.pt")
for module in (Each, Writers):
    for name, decompose in (("", False), ("Decomposed", True)):
        program = torch.export.export(module(), (x,))
        torch.export.save(program.run_decompositions() if decompose else program, f"{folder}/{module.__name__}{name}.pt2")
torch.save((x, (x, x)), f"{folder}/object.args")
torch.save((x, [(x, x)]), f"{folder}/objects.args")
'''
INPUT = ("--input", "x=float32[2,4]")
LIST = ("--schema", "says::each(Tensor(a!)[] xs) -> ()")


class Messages(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.programs = pathlib.Path(folder.name)
        (cls.programs / "says_programs.py").write_text(PROGRAMS)  # TorchScript reads the source of a class from its file
        cls("says").python("import sys; sys.path.insert(0, sys.argv[1]); import says_programs", cls.programs)

    def says(self, code, program, *more, args=None):
        given = ("--args", self.programs / args) if args else INPUT
        report = self.folder / "report.json"
        text = self.run_tonnx(code, "export", self.programs / program, "-o", self.out, *given, *more, "--report", report)[1]
        return text, json.loads(report.read_text())

    def test_an_object_as_argument_is_named_with_what_it_holds(self):
        for program, args, form in (("Object.pt", "object.args", "is an object"), ("Objects.pt", "objects.args", "contains objects")):
            for more in ((), ("--mode", "trace")):
                text, report = self.says(1, program, *more, args=args)
                self.assertIn(f"argument 'p' {form} of script class Pair (a: Tensor, b: Tensor)", text)
                self.assertNotIn("selected by a branch", text)
                self.assertEqual(report["reasons"][0]["operator"], "")
        self.assertIn("is an object of script class Pair", self.says(1, "Object.pt")[0])
        self.says(0, "MaybeObject.pt", "--verify", "--warnings-as-errors")

    def test_a_constant_that_cannot_be_the_size_is_not_warned_of(self):
        axes = ("--dynamic", "x:0=n", "--verify")
        for program in ("Halves.pt", "HalvesTraced.pt", "Baked.pt"):
            self.says(0, program, *axes, "--warnings-as-errors")
        text, report = self.says(1, "BakedTraced.pt", *axes, "--warnings-as-errors")
        self.assertIn("the constant 2 equals the example size of dynamic axis n", text)
        self.assertEqual(len(report["reasons"]), 1)

    def test_a_result_that_may_be_none_is_not_said_to_have_other_axes(self):
        for program in ("Maybe.pt", "MaybeSecond.pt"):
            self.says(0, program, "--warnings-as-errors", "--verify")

    def test_folding_that_was_not_asked_for_is_not_missed(self):
        for mode in ("train", "preserve"):
            self.says(0, "Known.pt", "--training", mode, "--warnings-as-errors")
            text = self.says(1, "Known.pt", "--training", mode, "--warnings-as-errors", "--constant-folding")[0]
            self.assertIn("constant folding in training mode", text)

    def test_training_mode_that_drops_nothing_is_not_warned_of(self):
        source = self.folder / "net.py"
        for rate, code in (("0.0", 0), ("0.5", 1)):
            source.write_text(f"import torch\n\ndef forward(self, x):\n    return torch.dropout(x, {rate}, True)\n")
            self.run_tonnx(code, "export", source, "-o", self.out, *INPUT, "--warnings-as-errors")

    def test_an_operator_that_a_pass_makes_is_reported_as_that_of_the_source(self):
        reason = self.says(1, "Nested.pt", "--dynamic", "x:0=n", "--opset", "11")[1]["reasons"][0]
        self.assertEqual(reason["operator"], "aten::__getitem__.t")
        self.assertIn("a list in a list, whose length is known only at run time needs opset 13", reason["text"])
        self.says(0, "Nested.pt", "--dynamic", "x:0=n", "--opset", "13", "--verify")

    def test_F271_a_model_that_onnx_runtime_is_too_old_for_does_not_differ(self):
        text = self.run_tonnx(4, "export", self.programs / "Known.pt", "-o", self.out, *INPUT, "--opset", "28", "--verify")[1]
        self.assertRegex(text, r"ONNX Runtime [0-9.]+ is too old to verify this model")
        self.assertNotIn("operators that differ", text)

    def test_an_operator_that_returns_a_scalar_is_the_one_that_is_refused(self):
        reasons = self.says(1, "Number.pt", "--schema", "says::number(Tensor x) -> float")[1]["reasons"]
        self.assertEqual([reason["operator"] for reason in reasons], ["says::number"])

    def test_an_operator_that_writes_to_a_list_says_so(self):
        for program in ("Each.pt2", "EachDecomposed.pt2"):
            text, report = self.says(1, program, *LIST)
            self.assertEqual([reason["operator"] for reason in report["reasons"]], ["says::each"], program)
            self.assertIn("it writes to the tensors of the list 'xs', which has no ONNX form; return new tensors instead", text)

    def test_operators_without_a_schema_are_named_at_once(self):
        names = lambda report: sorted(reason["operator"] for reason in report["reasons"])
        text, report = self.says(1, "Several.pt")
        self.assertEqual(names(report), ["says::number", "says::one", "says::two"])
        self.assertIn("uses operators that are not known here", text)
        self.assertEqual(names(self.says(1, "Several.pt", "--schema", "says::one(Tensor x) -> Tensor")[1]), ["says::number", "says::two"])
        for program in ("Writers.pt2", "WritersDecomposed.pt2"):
            text, report = self.says(1, program)
            self.assertEqual([name.split(".")[0] for name in names(report)], ["says::first", "says::second"], program)

    def test_a_check_of_data_is_reported(self):
        for program, operator, condition in (("Bounded", "_assert_scalar", "3 < u0"), ("Even", "_assert_scalar", "Eq(Mod(u0, 2), 0)"),
                                             ("Asserted", "_assert_async", "must not be negative")):
            for end in ("", "Decomposed"):
                warnings = self.says(0, f"{program}{end}.pt2")[1]["warnings"]
                self.assertTrue([w for w in warnings if operator in w and condition in w and "the model does not check" in w], warnings)
        for end in ("", "Decomposed"):
            warnings = self.says(0, f"Twice{end}.pt2")[1]["warnings"]
            self.assertEqual(len([w for w in warnings if "u0 <= 40" in w]), 1, warnings)
            self.assertFalse([w for w in warnings if "on node" in w], warnings)
        for end in ("", "Decomposed"):  # what torch.export checks of every such size
            self.says(0, f"Selected{end}.pt2", "--warnings-as-errors")

    def test_numbers_of_data_that_an_archive_fixes_are_reported(self):
        for program, condition in (("FixedSize", "Eq(u0, 4)"), ("FixedNumber", "Eq(u0, 28)"), ("EqualSizes", "Eq(u0, s77)")):
            for end in ("", "Decomposed"):
                warnings = self.says(0, f"{program}{end}.pt2")[1]["warnings"]
                self.assertTrue([w for w in warnings if condition in w and "assumes the condition" in w], (program, end, warnings))

    def test_sizes_at_which_a_branch_or_a_loop_fails_are_reported(self):
        warnings = self.says(0, "Branches.pt", "--input", "f=true", "--input", "n=2", "--dynamic", "x:0=rows")[1]["warnings"]
        for text in ("aten::expand", "prim::RaiseException", "too many", "aten::bmm"):
            self.assertTrue([w for w in warnings if text in w and "it runs this and rows is" in w], (text, warnings))


if __name__ == "__main__":
    tool.main()
