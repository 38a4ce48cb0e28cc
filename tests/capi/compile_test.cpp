#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>

#include <ATen/core/dispatch/Dispatcher.h>
#include <gmock/gmock.h>

#include "error_matchers.h"
#include "host.h"

// TorchScript source text compiled in the process: what a host without Python writes.
using host::args;
using host::attributes;
using host::failure;
using host::two_by_three;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;
using tonnx::Args;
using tonnx::Options;
using tonnx::Program;

namespace {

tonnx::Model verified(const Program& program, const Args& inputs, const Options& options = {}) {
  tonnx::Model model = tonnx::export_program(program, inputs, options);
  model.verify(program, inputs);
  return model;
}

// The message for source text that does not compile.
std::string refused(const std::string& source, tonnx_status status = TONNX_STATUS_PROGRAM, const Args& given = {}) {
  const tonnx::Error error = failure([&] { Program::compile(source, given, "net.py"); });
  EXPECT_EQ(error.status(), status) << error.what();
  return error.what();
}

}  // namespace

TEST(Compile, AFunctionBecomesAModel) {
  const Program program = Program::compile("def relu_twice(x):\n    return torch.relu(x) * 2\n");
  EXPECT_THAT(program.methods(), ElementsAre("relu_twice"));
  const tonnx::Model model = verified(program, two_by_three());
  EXPECT_THAT(model.input_names(), ElementsAre("x"));
  EXPECT_THAT(model.text(), HasSubstr("onnx::Relu"));
}

TEST(Compile, KeysThatAreNumbersAreReturnedAsStrings) {
  const Program program = Program::compile(R"(
def forward(d: Dict[int, Tensor]) -> Tensor:
    return d[3] - d[-1]
)");
  const at::Tensor one = at::randn({2}), other = at::randn({2});
  const auto keyed = [&](const std::string& first, const std::string& second) {
    Args inputs;
    inputs.begin_dict()
        .key(first)
        .add(tonnx::Tensor::from_torch(&one))
        .key(second)
        .add(tonnx::Tensor::from_torch(&other))
        .end();
    return inputs;
  };
  EXPECT_THAT(verified(program, keyed("3", "-1")).input_names(), ElementsAre("d.3", "d.-1"));
  for (const char* wrong : {"", "1.", "99999999999999999999", "x"})
    EXPECT_EQ(failure([&] { tonnx::export_program(program, keyed("3", wrong)); }).status(), TONNX_STATUS_ARGUMENT)
        << wrong;
}

TEST(Compile, AListThatALoopCollectsNamesTheFirstOpsetThatSupportsIt) {
  const Program program = Program::compile(R"(
def forward(x: Tensor) -> Tensor:
    rows: List[Tensor] = []
    for row in x:
        rows.append(row.cumsum(0))
    return torch.stack(rows)
)");
  Options options;
  options.dynamic_axis("x", 0, "n").opset(9);
  EXPECT_THAT(failure([&] { tonnx::export_program(program, two_by_three(), options); }),
              host::is_error(TONNX_STATUS_UNSUPPORTED, HasSubstr("needs opset 11 or newer")));
  verified(program, two_by_three(), options.opset(11));
}

TEST(Compile, NumbersMayBeFixedAtTheExamples) {
  const Program program = Program::compile(R"(
def forward(x: Tensor, dims: List[Tensor], keep: bool, n: int, scale: float) -> Tensor:
    return torch.polygamma(n, x).sum(1, keep) * scale + dims[1]
)");
  Args inputs = args({at::rand({2, 3}) + 1});
  const at::Tensor one = at::ones({1});
  inputs.begin_list().add(tonnx::Tensor::from_torch(&one)).add(tonnx::Tensor::from_torch(&one)).end();
  inputs.add_bool(true).add_int(1).add_float(0.5);
  EXPECT_THAT(failure([&] { tonnx::export_program(program, inputs); }),
              host::refuses_operator("aten::polygamma", HasSubstr("must be a constant")));
  EXPECT_THAT(verified(program, inputs, Options().fixed_axis("keep").fixed_axis("n")).input_names(),
              ElementsAre("x", "dims.0", "dims.1", "scale"));
  EXPECT_THAT(verified(program, inputs, Options().fixed_axis("*").dynamic_axis("x", 1, "m")).input_names(),
              ElementsAre("x", "dims.0", "dims.1"));
  const tonnx::Error unknown = failure([&] { tonnx::export_program(program, inputs, Options().fixed_axis("keep=1")); });
  EXPECT_EQ(unknown.status(), TONNX_STATUS_ARGUMENT);
  EXPECT_THAT(unknown.what(), AllOf(HasSubstr("only keep, n, scale"), HasSubstr("a number has the example's value")));
}

TEST(Compile, WhetherTwoNamesAreOneTensorIsAskedOfNoExample) {
  const char* chosen = R"(
def forward(x: Tensor, n: int) -> Tensor:
    a = x + 1
    c = a if n > 1 else x
    return c + 10 if c is a else c
)";
  Args inputs = args({at::ones({2})});
  inputs.add_int(2);
  const Program choosing = Program::compile(chosen);
  const tonnx::Model model = verified(choosing, inputs);
  Args others = args({at::ones({2})});
  others.add_int(1);
  model.verify(choosing, others);
  const char* decided = "def forward(x: Tensor, n: int) -> Tensor:\n    y = x\n    return y + n if y is x else y\n";
  verified(Program::compile(decided), inputs);
}

TEST(Compile, ControlFlowThatARunDecidesStaysInTheModel) {
  const Program program = Program::compile(R"(
import torch
from typing import List, Tuple

def halve(x: Tensor) -> Tensor:
    while bool(x.abs().max() > 1.0):
        x = x / 2
    return x

def forward(x: Tensor, flip: bool = False) -> Tuple[Tensor, int]:
    # flip is an input where it is given, else its default
    steps = 0
    for i in range(x.size(0)):
        if bool(x[i].sum() > 0):
            steps += 1
    return (-halve(x) if flip else halve(x)), steps
)");
  const tonnx::Model model = verified(program, args({8 * at::ones({2, 3})}));
  EXPECT_THAT(model.text(), AllOf(HasSubstr("onnx::Loop"), Not(HasSubstr("flip"))));
  Options open;
  open.dynamic_axis("x", 0, "n");
  verified(program, args({8 * at::ones({2, 3})}), open).verify(program, args({-at::ones({7, 3})}));
  Args flipped = args({at::ones({2, 3})});
  flipped.key("flip").add_bool(true);
  EXPECT_THAT(verified(program, flipped).input_names(), ElementsAre("x", "flip"));
}

TEST(Compile, AWriteToWhatAnItemThatARunPicksHoldsIsNotLost) {
  const Program program = Program::compile(R"(
def forward(x):
    p = x + 2
    q = x + 1
    m = [[q], [p]]
    m[int(x[0, 0] > 1)][0].add_(10)
    return p, q
)");
  const tonnx::Model model = verified(program, args({at::zeros({2, 3})}));
  model.verify(program, args({at::ones({2, 3}) * 2}));
}

TEST(Compile, WhatALoopOverAnAxisStacksHasItsName) {
  Options open;
  open.dynamic_axis("x", 0, "steps").dynamic_axis("x", 1, "batch");
  const Program program = Program::compile(R"(
def forward(x):
    h = torch.zeros(x.size(1), 3)
    states: List[Tensor] = []
    for i in range(x.size(0)):
        h = torch.tanh(h + x[i])
        states.append(h)
    return torch.stack(states), torch.cat(states), torch.zeros(2 * len(states) + 1)
)");
  const tonnx::Model model = verified(program, args({at::randn({4, 2, 3})}), open);
  model.verify(program, args({at::randn({1, 5, 3})}));
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("output_0 : Float(steps, batch, 3)"), HasSubstr("output_1 : Float(batch*steps, 3)"),
                    HasSubstr("output_2 : Float(2*steps + 1)")));
}

TEST(Compile, WhatIsAViewWhereOneRowIsLeftIsNotWrittenAtOpenSizes) {
  Options open;
  open.dynamic_axis("x", 0, "n");
  for (const std::string form : {"x[1::2].flatten()", "x[1::2].contiguous()", "x[1::2, :2].reshape(-1)"}) {
    const Program program =
        Program::compile("def f(x):\n    x = x.clone()\n    y = " + form + "\n    y[0] = 7\n    return x, y\n");
    for (const std::int64_t rows : {2, 4}) verified(program, args({at::randn({rows, 3})}));
    EXPECT_THAT(failure([&] { tonnx::export_program(program, args({at::randn({4, 3})}), open); }),
                host::is_error(TONNX_STATUS_UNSUPPORTED, HasSubstr("may or may not share memory")))
        << form;
  }
}

TEST(Compile, WhatOneWayOfABranchPutsAwayTheOtherChangesInALaterTurn) {
  const Program program = Program::compile(R"(
def forward(x):
    sum = x.clone()
    kept = [x]
    for i in range(int(x.abs().sum())):
        if bool(x[0, 0] > i):
            kept.append(sum)
        else:
            sum.add_(1)
    return kept[-1]
)");
  EXPECT_THAT(failure([&] { tonnx::export_program(program, two_by_three()); }),
              host::is_error(TONNX_STATUS_UNSUPPORTED, HasSubstr("may or may not share memory")));
}

TEST(Compile, AContainerThatABlockReturnsTwiceIsOneObject) {
  const std::string list = "    if bool(x.sum() > -1000):\n        l = [x]\n        l.append(x + 1)\n";
  const std::string dict = "    if bool(x.sum() > -1000):\n        l = {'a': x}\n        l['b'] = x + 1\n";
  for (const std::string& body : {
           list + "        a = l\n        b = l\n    else:\n        a = [x * 2]\n        b = [x, x, x]\n"
                  "    a.append(x + 2)\n    return torch.cat(b)\n",
           list + "        a = [l, l]\n    else:\n        a = [[x], [x]]\n    a[0].append(x + 2)\n    return "
                  "torch.cat(a[1])\n",
           dict + "        a = l\n        b = l\n    else:\n        a = {'a': x}\n        b = {'a': x * 2, 'b': x}\n"
                  "    a['b'] = x + 20\n    return b['b']\n",
       }) {
    SCOPED_TRACE(body);
    const Program program = Program::compile("def forward(x):\n" + body);
    const tonnx::Model model = verified(program, args({at::ones({2, 3})}));
    model.verify(program, args({at::ones({2, 3}) * -1000}));
  }
  const Program loop = Program::compile(R"(
def forward(x):
    a = [x]
    b = [x, x]
    for i in range(int(x.abs().sum())):
        l = [x]
        l.append(x + i)
        a = l
        b = l
    a.append(x + 2)
    return torch.cat(b)
)");
  EXPECT_EQ(failure([&] { tonnx::export_program(loop, two_by_three()); }).status(), TONNX_STATUS_UNSUPPORTED);
}

TEST(Compile, AListThatGetsAnItemOfItsOwnAgainIsRefusedByName) {
  const std::string head = R"(
def forward(x):
    n = int(x.abs().sum())
    l, m = [x * 1], [x * 2]
    for i in range(n):
        l.append(x + i)
        m.append(x - i)
    for i in range(n):
        l[i].mul_(2)
        m[i].mul_(2)
)";
  tonnx::Options script;
  script.mode(TONNX_MODE_SCRIPT);
  for (const std::string change :
       {"l[i], l[0] = l[0], l[i]", "l.append(l[i])", "l.insert(0, l[i])", "l.extend([l[i], x])",
        "if bool(x[0, 0] > i):\n            l.append(l[i])", "a = l[i]\n        l.append(m[i])\n        m.append(a)"}) {
    const Program program = Program::compile(
        head + "        " + change + "\n        l[-1].add_(1)\n        m[-1].add_(1)\n    return l[0], l[-1], m[-1]\n");
    EXPECT_EQ(failure([&] { tonnx::export_program(program, two_by_three(), script); }).status(),
              TONNX_STATUS_UNSUPPORTED)
        << change;
  }
}

TEST(Compile, SelectionsOfSelectionsHaveABound) {
  std::string swaps = "def forward(x):\n    a = [x + 1]\n    b = [x + 2]\n    s = x.sum()\n";
  for (int i = 0; i < 60; ++i)
    swaps += "    if bool(s > " + std::to_string(i) + "):\n        c = a\n        a = b\n        b = c\n";
  swaps +=
      "    a.append(x)\n    b.append(x * 3)\n    a[0].add_(1)\n    b[0].mul_(2)\n    return torch.cat(a), "
      "torch.cat(b)\n";
  std::string copies = "def forward(x):\n    k = int(x.sum())\n    a = [x + 1, x * 2, x + 3]\n";
  for (int i = 0; i < 12; ++i) {
    const std::string from = std::to_string(2 * i), to = std::to_string(3 * i);
    copies += "    a[(k + " + to + ") % 3] = a[(k + " + from + ") % 3]\n";
  }
  copies += "    a[k % 3].add_(1)\n    return a[0], a[1]\n";
  const Program swapped = Program::compile(swaps);
  const tonnx::Model model = verified(swapped, two_by_three());
  model.verify(swapped, args({at::ones({2, 3}) * 3}));
  const Program copied = Program::compile(copies);
  Options script;
  script.mode(TONNX_MODE_SCRIPT);
  EXPECT_EQ(failure([&] { tonnx::export_program(copied, two_by_three(), script); }).status(), TONNX_STATUS_UNSUPPORTED);
}

TEST(Compile, AnOptionalOutputOfTwoDtypesIsRefused) {
  const Program program = Program::compile(R"(
def forward(x: Tensor, n: Tensor) -> Optional[Tensor]:
    k = int(n)
    if k > 1:
        return x > 0
    if k == 1:
        return x.double()
    return None
)",
                                           {}, "net.py");
  Options options;
  options.opset(17);
  const tonnx::Error error =
      failure([&] { tonnx::export_program(program, args({at::randn({2, 3}), at::full({}, 2, at::kLong)}), options); });
  EXPECT_THAT(error, host::is_error(TONNX_STATUS_UNSUPPORTED,
                                    AllOf(HasSubstr("net.py:"),
                                          HasSubstr("is bool after one branch and float64 after the other"))));
}

TEST(Compile, EveryFunctionIsAMethodAndForwardOrTheLastIsTheDefault) {
  const std::string functions =
      "def a(x): return x + 1\ndef forward(x): return a(x) * 2\ndef b(x): return x.sigmoid()\n";
  const Program program = Program::compile(functions);
  EXPECT_EQ(program.methods()[0], "forward");
  EXPECT_THAT(verified(program, two_by_three()).text(), Not(HasSubstr("Sigmoid")));
  Options named;
  named.method("b");
  EXPECT_THAT(verified(program, two_by_three(), named).text(), HasSubstr("Sigmoid"));

  const Program last = Program::compile("def a(x): return x + 1\ndef b(x): return a(x).sigmoid()\n");
  EXPECT_EQ(last.methods()[0], "b");
  EXPECT_THAT(verified(last, two_by_three()).text(), HasSubstr("Sigmoid"));
  named.method("c");
  const tonnx::Error error = failure([&] { tonnx::export_program(last, two_by_three(), named); });
  EXPECT_EQ(error.status(), TONNX_STATUS_ARGUMENT);
  EXPECT_THAT(error.what(), HasSubstr("no method 'c'"));
}

// A wrong dtype, rank, size or argument is reported with the operator, its line and the reason.
TEST(Compile, AWrongCallNamesOperatorLineAndReason) {
  const at::Tensor matrix = at::rand({2, 3}), volume = at::rand({1, 2, 4, 4}), whole = at::ones({2, 3}, at::kLong);
  struct Row {
    const char* call;
    at::Tensor x;
    const char* name;
    const char* reason;
    // LibTorch's own refusal of the example, or a refusal of the lowering.
    tonnx_status status = TONNX_STATUS_PROGRAM;
  };
  const Row rows[] = {
      {"x.sum(7)", matrix, "aten::sum", "got 7"},
      {"x @ x", matrix, "aten::matmul", "2x3"},
      {"x @ x.t().double()", matrix, "aten::matmul", "its tensors are float32 and float64 and must have the same dtype",
       TONNX_STATUS_UNSUPPORTED},
      {"torch.bmm(x, x)", matrix, "aten::bmm", "3D"},
      {"torch.cat([x, x[0]])", matrix, "aten::cat", "number of dimensions"},
      {"x.view(4, -1)", matrix, "aten::view", "shape '[4, -1]'"},
      {"x[5]", matrix, "aten::select", "index 5"},
      {"x.topk(9)", matrix, "aten::topk", "k"},
      {"torch.linalg.inv(x)", matrix, "aten::linalg_inv", "square"},
      {"torch.where(x, x, x)", matrix, "aten::where", "boolean"},
      {"torch.max_pool2d(x, 9)", volume, "aten::max_pool2d", "too small"},
      {"torch.embedding(x, x)", matrix, "aten::embedding", "scalar type"},
      {"torch.bitwise_and(x, x)", matrix, "aten::bitwise_and", "it accepts integers and bools, not float32",
       TONNX_STATUS_UNSUPPORTED},
      {"x ^ x", matrix, "aten::", "it accepts integers and bools, not float32", TONNX_STATUS_UNSUPPORTED},
      {"~x", matrix, "aten::bitwise_not", "it accepts integers and bools, not float32", TONNX_STATUS_UNSUPPORTED},
      {"torch.bitwise_left_shift(x, x)", matrix, "aten::bitwise_left_shift", "it accepts integers, not float32",
       TONNX_STATUS_UNSUPPORTED},
      {"torch.bincount(x[0])", matrix, "aten::bincount", "argument 'self' must hold integers",
       TONNX_STATUS_UNSUPPORTED},
      {"torch.complex(x, x.double()).real", matrix, "aten::complex", "second argument"},
      {"x ** -1", whole, "aten::pow", "negative integer powers"},
      {"x.flip([0, -2])", matrix, "aten::flip", "argument 'dims' names axis 0 twice", TONNX_STATUS_UNSUPPORTED},
      {"x.index_put([torch.tensor([0])], torch.zeros(2))", matrix, "aten::index_put",
       "argument 'values' must have the shape of the written elements", TONNX_STATUS_UNSUPPORTED},
      {"torch.conv_transpose2d(x, torch.ones(2, 1, 3, 3), None, 1, 0, 2)", volume, "aten::conv_transpose2d",
       "argument 'output_padding' is 2", TONNX_STATUS_UNSUPPORTED},
      {"torch._pad_circular(x, [3, -2])", volume[0], "aten::_pad_circular", "wraps around more than are left",
       TONNX_STATUS_UNSUPPORTED},
      {"torch.multinomial(x, 2)", whole, "aten::multinomial", "floating"},
      {"torch.multinomial(x, 0)", matrix, "aten::multinomial", "n_sample"},
      {"x.masked_scatter(x, x)", matrix, "aten::masked_scatter", "bool", TONNX_STATUS_UNSUPPORTED},
      {"torch.prelu(x, x)", matrix, "aten::prelu", "parameter numbers"},
  };
  for (const Row& row : rows) {
    const Program program = Program::compile("def f(x):\n    return " + std::string(row.call) + "\n", {}, "net.py");
    const tonnx::Error error = failure([&] { tonnx::export_program(program, args({row.x})); });
    EXPECT_THAT(error,
                host::is_error(row.status, AllOf(HasSubstr(row.name), HasSubstr("net.py:2"), HasSubstr(row.reason))))
        << row.call;
  }
}

TEST(Compile, AListOfRunTimeLengthWithTwoDtypesNamesThem) {
  const std::string source =
      "def f(x):\n    r = [x[0]]\n    for i in range(x.size(0)):\n        r.append(r[-1].double() + x[i])\n    return "
      "r[-1].float()\n";
  const Program program = Program::compile(source, {}, "net.py");
  Options open;
  open.dynamic_axis("x", 0, "n");
  const tonnx::Error error = failure([&] { tonnx::export_program(program, args({at::rand({4, 3})}), open); });
  EXPECT_THAT(error, host::is_error(TONNX_STATUS_UNSUPPORTED,
                                    AllOf(HasSubstr("net.py:4"),
                                          HasSubstr("contains float32 and float64 tensors; cast them to one dtype"))));
}

TEST(Compile, AnUncheckedReadOfMemoryIsRefusedWhereARunMayComeToIt) {
  for (const char* before :
       {"    ", "    if bool(x.sum() > 9):\n        ", "    for i in range(int(x[0])):\n        "}) {
    const std::string source =
        "def f(x):\n" + std::string(before) + "x = x + torch._reshape_alias(x, [4], [1])\n    return x\n";
    const Program program = Program::compile(source, {}, "net.py");
    const tonnx::Error error = failure([&] { tonnx::export_program(program, args({at::rand({4})}), Options()); });
    EXPECT_THAT(error, host::refuses_operator("aten::_reshape_alias",
                                              AllOf(HasSubstr("aten::_reshape_alias (net.py:"),
                                                    HasSubstr("may access memory outside its arguments"))));
  }
}

TEST(Compile, TheLastLineNeedsNoNewline) {
  const Program program = Program::compile("def f(x):\n    return x + 1");
  const auto model = tonnx::export_program(program, args({at::rand({2, 3})}));
  model.verify(program, args({at::rand({2, 3})}));
}

TEST(Compile, AttributesAreWeightsUnderTheirNames) {
  const at::Tensor weight = at::randn({3, 4}), bias = at::randn({4});
  Args given = attributes({{"fc.weight", weight}, {"fc.bias", bias}, {"shift", at::ones({4})}});
  given.key("steps").add_int(2);
  given.key("name").add_string("affine");
  const std::string source =
      "def scale(x, factor: float):\n    return x * factor\n"
      "def affine(self, x):\n    return x @ self.fc.weight + self.fc.bias\n"
      "def forward(self, x):\n"
      "    y = self.affine(x) + self.shift\n"
      "    for i in range(self.steps):\n"
      "        if self.name == 'affine':\n"
      "            y = scale(y, 0.5)\n"
      "    return y\n";
  const Program program = Program::compile(source, given);
  Options inputs;
  inputs.export_params(false);
  EXPECT_THAT(verified(program, two_by_three()).input_names(), ElementsAre("x"));
  EXPECT_THAT(tonnx::export_program(program, two_by_three(), inputs).input_names(),
              testing::UnorderedElementsAre("x", "fc.weight", "fc.bias", "shift"));

  Args dict;
  dict.begin_dict();
  for (const auto& [name, tensor] : {std::pair("fc.weight", weight), std::pair("fc.bias", bias)})
    dict.key(name).add(tonnx::Tensor::from_torch(&tensor));
  dict.end();
  verified(Program::compile("def f(self, x): return x @ self.fc.weight + self.fc.bias\n", dict), two_by_three());
}

TEST(Compile, WhatARunWritesToAttributesIsUndone) {
  const at::Tensor count = at::zeros({1}), weight = at::ones({3});
  const Program program = Program::compile(
      "def forward(self, x):\n    self.count += 1\n    self.weight.mul_(2)\n    return x * self.weight + self.count\n",
      attributes({{"count", count}, {"weight", weight}}));
  const tonnx::Model model = verified(program, two_by_three());
  model.verify(program, two_by_three());
  EXPECT_EQ(count.item<float>(), 0);
  EXPECT_EQ(weight.sum().item<float>(), 3);
}

TEST(Compile, TiedWeightsAreOne) {
  const at::Tensor weight = at::randn({3, 3});
  const Program program =
      Program::compile("def f(self, x): return x @ self.a @ self.b\n", attributes({{"a", weight}, {"b", weight}}));
  Options inputs;
  inputs.export_params(false);
  EXPECT_THAT(tonnx::export_program(program, two_by_three(), inputs).input_names(), ElementsAre("x", "a"));
}

TEST(Compile, TheProgramKeepsItsTextAndItsAttributes) {
  Program program = [] {
    std::string source = "def f(self, x): return x + self.shift\n";
    Program made = Program::compile(source, attributes({{"shift", at::full({3}, 2.0)}}));
    source.assign(source.size(), '#');
    return made;
  }();
  verified(program, two_by_three());
}

TEST(Compile, NamesOfPythonAreThere) {
  const std::string source =
      "import math\n"
      "def f(x: torch.Tensor):\n"
      "    y = torch.arange(3, dtype=torch.float32) * math.pi + math.sqrt(2.0) + math.floor(2.5)\n"
      "    return (x + y).to(torch.float64), torch.linalg.vector_norm(x), torch.full((2,), -inf).clamp(min=-1.0)\n";
  EXPECT_THAT(verified(Program::compile(source), two_by_three()).text(), HasSubstr("onnx::Cast"));
}

// LibTorch divides by the step as an integer, which ends the process where that is 0; export tries other steps than the
// example's.
TEST(Compile, AStepBelowOneIsNotTriedOnIntegers) {
  const Program steps =
      Program::compile("def f(x, step: float): return torch.arange(0, 8.5, step, dtype=torch.int64)\n");
  Args inputs = two_by_three();
  inputs.add_float(1.5);
  verified(steps, inputs);
}

// LibTorch divides the least integer by -1, and numbers modulo 0, which ends the process.
TEST(Compile, IntegersWithoutAQuotientAreRefused) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const auto said = [](const std::string& result, std::int64_t a, std::int64_t b) {
    const Program program = Program::compile("import math\ndef f(x, a: int, b: int):\n    " + result + "\n");
    Args inputs = two_by_three();
    inputs.add_int(a).add_int(b);
    const tonnx::Error error = failure([&] { verified(program, inputs); });
    EXPECT_EQ(error.status(), TONNX_STATUS_PROGRAM) << error.what();
    return std::string(error.what());
  };
  for (const char* result : {"return x + a // b", "return x + a % b", "return x + math.gcd(b, a)",
                             "q, r = divmod(a, b)\n    return x + q + r"})
    EXPECT_THAT(said(result, kLeast, -1), HasSubstr("-9223372036854775808 divided by -1 does not fit in int64"))
        << result;
  EXPECT_THAT(said("return x + a % b", 5, 0), HasSubstr("aten::remainder: integer modulo by zero"));
  for (const auto dtype : {at::kLong, at::kInt}) {
    const at::Tensor a =
        at::tensor({dtype == at::kLong ? kLeast : std::numeric_limits<std::int32_t>::min(), std::int64_t{7}}, dtype);
    const at::Tensor b = at::tensor({-1, 2}, dtype);
    const Program truncated = Program::compile("def f(x, y): return torch.div(x, y, rounding_mode='trunc')\n");
    const tonnx::Error error = failure([&] { verified(truncated, args({a, b})); });
    EXPECT_THAT(error, host::is_error(TONNX_STATUS_PROGRAM,
                                      HasSubstr("aten::div: the least integer divided by -1 does not fit in int")));
    verified(
        Program::compile(
            "def f(x, y): return x // y, x % y, torch.fmod(x, y), x % -1, torch.div(x, y, rounding_mode='floor')\n"),
        args({a, b}));
  }
}

// LibTorch's compiler folds divisions of constants, which ends the process if they have no quotient.
TEST(Compile, ConstantsWithoutAQuotientAreRefusedWithTheirLine) {
  const auto refused = [](const std::string& line) {
    const std::string source =
        "import math\ndef f(x):\n    n = -9223372036854775807 - 1\n    z = 0\n    " + line + "\n";
    return failure([&] { tonnx::export_program(Program::compile(source, {}, "net.py"), two_by_three()); });
  };
  const auto no_quotient = HasSubstr("-9223372036854775808 divided by -1 does not fit in int64");
  for (const char* line :
       {"return x + float(n // -1)", "return x + float(n % -1)", "return x + float(-9223372036854775808 % -1)",
        "return x + float(math.gcd(n, -1))", "return x + float(torch.remainder(n, b=-1))",
        "q, r = divmod(n, z - 1)\n    return x + float(q + r)"})
    EXPECT_THAT(refused(line), host::is_error(TONNX_STATUS_PROGRAM, AllOf(no_quotient, HasSubstr("net.py:5")))) << line;
  for (const char* line : {"return x + float(3 % 0)", "return x + float(3 % z)", "return x + float(3 // z)",
                           "q, r = divmod(3, z)\n    return x + float(q + r)"})
    EXPECT_THAT(refused(line), host::is_error(TONNX_STATUS_PROGRAM, HasSubstr("net.py:5"))) << line;
  EXPECT_THAT(failure([] { Program::compile("def f(x, n: int = 3 % 0):\n    return x + n\n", {}, "net.py"); }),
              host::is_error(TONNX_STATUS_PROGRAM, HasSubstr("must be a constant")));
  verified(Program::compile(
               "def f(x, n: int = 9 // 2):\n"
               "    k = 4\n"
               "    q, r = divmod(n * 5, k)\n"
               "    k = k % 3\n"
               "    return x.view(-1, 1)[:: (7 // (k + 2))] * float(q % (k + 1)) + float(r // -k), x % n, '%d' % k\n"),
           two_by_three());
}

TEST(Compile, ACompileErrorIsReportedWithItsLocation) {
  EXPECT_THAT(refused("def f(x):\n    return x +\n"), StartsWith("net.py:2:15: expected"));
  EXPECT_THAT(refused("def f(x):\n    y = x\n    return z(y)\n"), StartsWith("net.py:3:12: undefined value z"));
  EXPECT_THAT(refused("def f(x"), StartsWith("net.py:1:8: expected"));
  EXPECT_THAT(refused("def f(x):\n    return x $ 1\n"), StartsWith("net.py:2:14: expected a valid token"));
  EXPECT_THAT(refused("def f(x: Foo):\n    return x\n"), StartsWith("net.py:1:10: Unknown type name 'Foo'"));
  EXPECT_THAT(refused("def f(self, x):\n    return self.weight\n"),
              AllOf(StartsWith("net.py:2:"), HasSubstr("'weight' does not exist; pass the content of self"),
                    Not(HasSubstr("0x"))));
  EXPECT_THAT(refused("def f(x):\n    retrun x\n"),
              StartsWith("net.py:2:12: the code before this is not a TorchScript statement"));
  EXPECT_THAT(refused("def f(x):\n  return g(x)\ndef g(x: int):\n  return x.foo\n"), StartsWith("net.py:4:"));
  EXPECT_THAT(refused("def f(x):\n    return torch.relu(x, 3)\n"),
              AllOf(StartsWith("net.py:2:12: "), HasSubstr("at most 1 arguments"), Not(HasSubstr("HERE"))));
  EXPECT_THAT(refused(""), HasSubstr("no function"));
  EXPECT_THAT(refused("# nothing\n\n"), HasSubstr("no function"));
  const tonnx::Error unnamed = failure([] { Program::compile("def f(x:\n"); });
  EXPECT_THAT(unnamed, host::is_error(TONNX_STATUS_PROGRAM, StartsWith("source:1:")));
}

TEST(Compile, WhatATextCannotHoldIsRefusedByName) {
  EXPECT_THAT(refused("x = 3\ndef f(x): return x\n"), StartsWith("net.py:1:1: 'x=3' is not allowed"));
  EXPECT_THAT(refused("class A:\n    pass\n"), StartsWith("net.py:1:1: 'class"));
  EXPECT_THAT(refused("import numpy as np\ndef f(x): return x\n"), HasSubstr("import numpy as np"));
  EXPECT_THAT(refused("import torch as t\ndef f(x): return x\n"), HasSubstr("net.py:1:1"));
  EXPECT_THAT(refused("@torch.no_grad()\ndef f(x): return x\n"), HasSubstr("net.py:1:1"));
  EXPECT_THAT(refused("def f(x): return torch.nn.functional.relu(x)\n"), HasSubstr("torch.nn is Python"));
  EXPECT_THAT(refused("def f(x): return x\ndef f(y): return y + 1\n"),
              AllOf(StartsWith("net.py:2:5"), HasSubstr("twice")));
  EXPECT_THAT(refused("def f(self, x): return x\ndef f(y): return y + 1\n"), HasSubstr("twice"));
}

TEST(Compile, AFunctionIsNotHiddenByOneOfTheLanguage) {
  for (const char* name : {"max", "min", "abs", "len", "sum", "pow", "round", "range", "sorted", "zip", "list", "math"})
    EXPECT_THAT(refused("def " + std::string(name) + "(x):\n    return x\ndef f(x):\n    return x\n"),
                HasSubstr("name of the language"));
  verified(Program::compile("def relu(x): return x + 3\ndef f(x): return relu(x)\n"), two_by_three());
}

TEST(Compile, AnOperatorThatIsNotKnownIsUnsupported) {
  const tonnx::Error error =
      failure([] { Program::compile("def f(x):\n    return torch.ops.nowhere.nothing(x)\n", {}, "net.py"); });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(error.what(), AllOf(StartsWith("net.py:2:"), HasSubstr("operator nowhere::nothing is not known here")));
  tonnx::register_operator("compile_test::later(Tensor x) -> Tensor");
  const Program program = Program::compile("def f(x):\n    return torch.ops.compile_test.later(x)\n", {}, "dir/net.py");
  const tonnx::Error later = failure([&] { tonnx::export_program(program, two_by_three()); });
  EXPECT_EQ(later.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(later.what(), HasSubstr("net.py:2"));
  const std::string boxes = "def f(b, s): return torch.ops.torchvision.nms(b, s, 0.5)\n";
  EXPECT_THAT(Program::compile(boxes).methods(), ElementsAre("f"));
}

TEST(Compile, ElementsAreWrittenInTheTensorsOwnDtypeAsInLibTorch) {
  const Program fits = Program::compile(
      "def f(x):\n    y = torch.zeros([2, 3], dtype=torch.int64)\n    y[x > 0] = torch.tensor([2.5])\n    return y\n");
  verified(fits, two_by_three());
  const Program differs = Program::compile(
      "def f(x):\n    y = torch.zeros([2, 3], dtype=torch.int64)\n    y[x > 0] = x[x > 0]\n    return y\n");
  EXPECT_THAT(failure([&] { tonnx::export_program(differs, two_by_three()); }),
              host::is_error(TONNX_STATUS_UNSUPPORTED,
                             HasSubstr("argument 'values' must be int64 like the tensor, not float32")));
}

TEST(Compile, ReflectionsNeedTheAxesThatLibTorchTakes) {
  const auto reflects = [](const char* input, const char* pads) {
    return Program::compile("def f(x):\n    return torch.ops.aten.pad(" + std::string(input) + ", " + pads +
                            ", 'reflect')\n");
  };
  verified(reflects("x", "[1, 1]"), two_by_three());
  verified(reflects("x[None, None]", "[1, 1, 0, 1]"), two_by_three());
  for (const auto& [input, pads] : {std::pair("x", "[1, 1, 0, 1]"), std::pair("x[None, None]", "[1, 1]")})
    EXPECT_THAT(failure([&] { tonnx::export_program(reflects(input, pads), two_by_three()); }),
                host::is_error(TONNX_STATUS_UNSUPPORTED, HasSubstr("in this mode; this one has rank")));
}

TEST(Compile, EmptyOutputsAreReportedByTheirKind) {
  const Program program = Program::compile(
      "def f(x):\n    l: List[Tensor] = []\n    d: Dict[str, Tensor] = {}\n    m: List[Tensor] = []\n"
      "    for i in range(x.size(0) - 2):\n        m.append(x)\n    return x + 1, (l, d), m, None, 'text'\n");
  const tonnx::Model model = verified(program, two_by_three());
  EXPECT_THAT(model.warnings(),
              UnorderedElementsAre("an output that is an empty list is left out; the option sequence_outputs keeps it",
                                   "an output that is an empty dict is left out", "an output that is None is left out",
                                   "an output that is a string is left out"));
}

TEST(Compile, NumbersInListsAndDictsAreReportedAsNoInputs) {
  const Program program = Program::compile(
      "def f(x, l: List[int], d: Dict[str, float], t: Tuple[int, float]):\n    return x * l[0] + d['a'] * t[1] + "
      "t[0]\n");
  Args given = two_by_three();
  given.begin_list().add_int(2).add_int(0).end().begin_dict().key("a").add_float(1.5).end();
  given.begin_tuple().add_int(4).add_float(0.5).end();
  EXPECT_THAT(verified(program, given).warnings(),
              UnorderedElementsAre("argument 'l' is [2, 0] in the model, not an input",
                                   "argument 'd' is {\"a\": 1.5} in the model, not an input"));
}

TEST(Compile, AFailureDefinesNoOperators) {
  const std::size_t operators = c10::Dispatcher::singleton().getAllOpNames().size();
  for (const char* source : {"def f(x):\n    return foo(x)\n", "def f(x:\n", "def f(x):\n    return torch.no_such(x)\n",
                             "def f(x):\n    return torch.ops.nowhere.nothing(x)\n"})
    EXPECT_THROW(Program::compile(source), tonnx::Error);
  EXPECT_EQ(c10::Dispatcher::singleton().getAllOpNames().size(), operators);
}

TEST(Compile, ASchemaSaysWhatItsOperatorWrites) {
  tonnx::register_operator("compile_test::inc_(Tensor(a!) x, float v) -> Tensor(a!)");
  const Program program =
      Program::compile("def f(x):\n    return torch.ops.compile_test.inc_(x.clone(), 1.0)\n", {}, "net.py");
  const tonnx::Error error = failure([&] { tonnx::export_program(program, two_by_three()); });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("compile_test::inc (net.py:2)"), HasSubstr("register a symbolic")));
}

TEST(Compile, ADictThatGainsAKeyIsSetByATextOfARun) {
  const Program program = Program::compile(
      "def f(x):\n    d = {'a': x, 'b': x * 2}\n    d['c'] = x * 3\n    d['a' if float(x.sum()) > 1 else 'b'] = x * "
      "10\n"
      "    return d['c' if float(x.sum()) > 2 else 'b']\n");
  const tonnx::Model model = tonnx::export_program(program, args({at::full({2, 3}, 1.0)}));
  for (const double value : {1.0, 0.25, -1.0}) model.verify(program, args({at::full({2, 3}, value)}));
}

TEST(Compile, PiecesWhosePlacesARunDecidesAreNotWritten) {
  const Program program = Program::compile(
      "def f(x, t):\n    p = torch.tensor_split(x * 1, t, dim=1)\n    p[0].add_(5)\n    return p[0]\n");
  const tonnx::Error error =
      failure([&] { tonnx::export_program(program, args({at::ones({2, 4}), at::arange(1, 3)})); });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(error.what(), HasSubstr("whose place is not known"));
}

// From passes and lowering, in branches and loops. The code after a refused write is checked as well.
TEST(Compile, AllRefusalsAreReportedAtOnce) {
  const Program program = Program::compile(R"(def f(x):
    l: List[Tensor] = []
    y = x.clone()
    for i in range(y.size(0)):
        l.append(y[i])
    y.add_(1)
    text = "{}".format(float(x[0, 0]))
    m = l * x.size(0)
    d: Dict[int, int] = {}
    for i in range(x.size(0)):
        d[int(x[i, 0])] = i
    if bool(x.sum() > 0):
        a = torch.ones(2, dtype=torch.int64)
    else:
        a = torch.ones(2)
    b = x
    for j in range(int(x.sum())):
        b = b + torch.poisson(x.abs())
    pieces = torch.tensor_split(x * 1, x[0, :1].long().abs() % 3, dim=1)
    pieces[0].add_(5)
    return l, m, text == "1.5", a, b, pieces[0] + 1, d
)",
                                           {}, "net.py");
  Options options;
  options.dynamic_axis("x", 0, "n");
  const tonnx::Error error = failure([&] { tonnx::export_program(program, two_by_three(), options); });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("add_.Scalar (net.py:6): writes to a value that may"), HasSubstr("format (net.py:7)"),
                    HasSubstr("mul.left_t (net.py:8)"), HasSubstr("If (net.py:12): the value is int64"),
                    HasSubstr("poisson (net.py:18)"), HasSubstr("add_.Scalar (net.py:20): writes to a piece of")));
  EXPECT_EQ(std::ranges::count(std::string_view(error.what()), '\n'), 7) << error.what();
}

TEST(Compile, NothingOutsideIsReached) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "tonnx_compile_test.bin";
  std::filesystem::remove(file);
  const std::string make = "torch.from_file('" + file.string() + "', True, 4)";
  EXPECT_THAT(refused("def f(x, y: Tensor = " + make + "):\n    return x\n"), HasSubstr("default"));
  EXPECT_THAT(refused("def f(x, y: List[Tensor] = [" + make + "]):\n    return x\n"), HasSubstr("default"));
  const Program program = Program::compile("def f(x):\n    return x + " + make + "\n");
  const tonnx::Error exported = failure([&] { tonnx::export_program(program, args({at::ones({4})})); });
  EXPECT_EQ(exported.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(exported.what(), HasSubstr("from_file"));
  EXPECT_FALSE(std::filesystem::exists(file));
  verified(Program::compile("def f(x, n: int = -2, s: Tuple[float, bool] = (1.5, True)): return x * n + s[0]\n"),
           two_by_three());
}

TEST(Compile, WrongAttributesAreRefusedByName) {
  const std::string source = "def f(self, x): return x\n";
  const at::Tensor one = at::ones({1});
  EXPECT_THAT(refused(source, TONNX_STATUS_ARGUMENT, args({one})), HasSubstr("needs a name"));
  EXPECT_THAT(refused(source, TONNX_STATUS_ARGUMENT, attributes({{"a", one}, {"a.b", one}})),
              HasSubstr("attribute 'a'"));
  EXPECT_THAT(refused(source, TONNX_STATUS_ARGUMENT, attributes({{"a.b", one}, {"a", one}})),
              HasSubstr("attribute 'a'"));
  EXPECT_THAT(refused(source, TONNX_STATUS_ARGUMENT, attributes({{"a..b", one}})), HasSubstr("empty name"));
  EXPECT_THAT(refused(source, TONNX_STATUS_ARGUMENT, attributes({{"", one}})), HasSubstr("empty name"));
  EXPECT_THAT(refused(source, TONNX_STATUS_ARGUMENT, attributes({{"f", one}})), HasSubstr("function"));
  EXPECT_THAT(refused(source, TONNX_STATUS_ARGUMENT, attributes({{"training", one}})), HasSubstr("training"));
}

TEST(Compile, TrainingFollowsTheOptions) {
  const Program program = Program::compile("def f(self, x): return x + 1 if self.training else x.sigmoid()\n");
  EXPECT_THAT(verified(program, two_by_three()).text(), HasSubstr("Sigmoid"));
  Options preserve, train;
  preserve.training(TONNX_TRAINING_PRESERVE);
  train.training(TONNX_TRAINING_TRAIN);
  EXPECT_THAT(verified(program, two_by_three(), preserve).text(), HasSubstr("Sigmoid"));
  EXPECT_THAT(verified(program, two_by_three(), train).text(), Not(HasSubstr("Sigmoid")));
}

TEST(Compile, PythonsExceptionsAreRaised) {
  for (const char* raised :
       {"ValueError", "ValueError('too many axes')", "RuntimeError('axes', x.dim())", "NotImplementedError()"}) {
    const Program program = Program::compile(
        "def f(x):\n    if x.dim() > 2:\n        raise " + std::string(raised) + "\n    return x * 2\n", {}, "net.py");
    verified(program, two_by_three());
    const tonnx::Error error = failure([&] { tonnx::export_program(program, args({at::ones({1, 2, 3})})); });
    EXPECT_EQ(error.status(), TONNX_STATUS_PROGRAM) << raised;
    EXPECT_THAT(error.what(), AllOf(HasSubstr("raises an exception"), HasSubstr("net.py:3"))) << raised;
  }
  EXPECT_THAT(refused("def f(x):\n    raise Mine('no')\n    return x\n"),
              StartsWith("net.py:2:11: undefined value Mine"));
}

TEST(Compile, OperatorsThatAreNotKnownAreNamedAtOnce) {
  const tonnx::Error error = failure([] {
    Program::compile(
        "def f(x):\n    y = torch.ops.nowhere.one(x)\n    y = torch.ops.nowhere.one(torch.ops.elsewhere.two(y))\n"
        "    return torch.ops.aten.relu(y) + torch.ops.nowhere.three(y)\n",
        {}, "net.py");
  });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_EQ(error.class_name(), "UnsupportedOperatorError");
  EXPECT_THAT(
      error.what(),
      HasSubstr("operators are not known here: nowhere::one, elsewhere::two, nowhere::three; load the libraries"));
  ASSERT_EQ(error.reasons().size(), 3u);
  EXPECT_EQ(error.reasons()[1].op, "elsewhere::two");
  EXPECT_EQ(error.reasons()[1].source, "net.py:3");
}
