#include <filesystem>
#include <unistd.h>

#include <gmock/gmock.h>

#include "host.h"

// The option "mode": a script's control flow is kept, or the script is run and recorded.
using host::args;
using host::failure;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using tonnx::Args;
using tonnx::Options;
using tonnx::Program;

namespace {

Options mode(std::int32_t mode) {
  Options options;
  options.mode(mode);
  return options;
}

Options trace() { return mode(TONNX_MODE_TRACE); }

std::string refused(const Program& program, const Args& inputs, const Options& options) {
  const tonnx::Error error = failure([&] { tonnx::export_program(program, inputs, options); });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED) << error.what();
  return error.what();
}

// A loop that no constant ends, so that it stays a Loop in mode script.
const char* const kGrows = R"(
def forward(x: Tensor, y: Tensor) -> Tensor:
    while y.size(0) < 9:
        y = torch.cat([y, y * 0.5 + x.sum()])
    return x * y.sum()
)";

}  // namespace

TEST(Mode, ATraceUnrollsWhatAScriptKeeps) {
  const Program program = Program::compile(kGrows);
  const Args inputs = args({at::randn({4, 3}), at::randn({2})});
  Options open = mode(TONNX_MODE_SCRIPT);
  open.dynamic_axis("x", 0, "n").dynamic_axis("y", 0, "m");
  const tonnx::Model script = tonnx::export_program(program, inputs, open);
  EXPECT_THAT(script.text(), HasSubstr("onnx::Loop"));
  EXPECT_THAT(script.report(), HasSubstr(R"("mode": "script")"));
  Options options = trace();
  options.dynamic_axis("x", 0, "n");
  const tonnx::Model traced = tonnx::export_program(program, inputs, options);
  EXPECT_THAT(traced.text(), AllOf(HasSubstr("%x : Float(n, 3)"), Not(HasSubstr("onnx::Loop"))));
  EXPECT_THAT(traced.input_names(), ElementsAre("x", "y"));
  EXPECT_THAT(traced.report(), HasSubstr(R"("mode": "trace")"));
  traced.verify(program, inputs);
  traced.verify(program, args({at::randn({7, 3}), at::randn({2})}));
}

TEST(Mode, AutoSaysWhatItFound) {
  const Args inputs = args({at::randn({4, 3})});
  EXPECT_THAT(tonnx::export_program(Program::compile("def f(x):\n    return x * 2\n"), inputs).report(),
              HasSubstr(R"("mode": "graph")"));
  const char* branch = "def f(x):\n    if bool(x.sum() > 0):\n        return x\n    return x * 2\n";
  EXPECT_THAT(tonnx::export_program(Program::compile(branch), inputs).report(), HasSubstr(R"("mode": "script")"));
}

// More turns than are written out, and a dict of tuples in each.
TEST(Mode, AutoRecordsAScriptThatIsRefused) {
  const Program program = Program::compile(R"(
def forward(x: Tensor) -> Tuple[Tensor, int]:
    d: Dict[int, Tuple[Tensor, int]] = {}
    i = 0
    while i < 300:
        d[i] = (x[:, i % 3] * 0.01, i)
        i += 1
    total = x[:, 0]
    for k in d.keys():
        total = total * 0.5 + d[k][0]
    return total, x.size(0) * 2
)");
  const Args inputs = args({at::randn({4, 3})});
  const tonnx::Model model = tonnx::export_program(program, inputs);
  model.verify(program, inputs);
  model.verify(program, args({at::randn({4, 3})}));
  EXPECT_THAT(model.report(), AllOf(HasSubstr(R"("mode": "trace")"), HasSubstr("the script was recorded")));
}

// No run shows which branch a size takes that was not tried.
TEST(Mode, AutoRecordsNoDynamicAxes) {
  const Program program = Program::compile(R"(
def forward(x: Tensor) -> Tensor:
    d: Dict[int, Tuple[Tensor, int]] = {}
    i = 0
    while i < 300:
        d[i] = (x[:, i % 3], i)
        i += 1
    y = d[0][0]
    if x.size(0) > 1000:
        y = y * 3
    return y
)");
  const Args inputs = args({at::randn({4, 3})});
  tonnx::export_program(program, inputs).verify(program, inputs);
  EXPECT_THAT(refused(program, inputs, mode(TONNX_MODE_AUTO).dynamic_axis("x", 0, "n")),
              HasSubstr("changes a dict whose keys are not known"));
}

TEST(Mode, TextOfElementsIsNotRecorded) {
  const Program program = Program::compile(
      "def f(x):\n    y = x + 1\n    if str(x[:1] > 100).find('1') >= 0:\n        y = y * 2\n    return y\n");
  const Args inputs = args({at::ones({4})});
  EXPECT_THAT(refused(program, inputs, trace()), HasSubstr("converts elements of a tensor to text"));
  EXPECT_NE(refused(program, inputs, mode(TONNX_MODE_AUTO)), "");
}

TEST(Mode, AutoReachesNothingOutside) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tonnx_mode_" + std::to_string(getpid()));
  const Program program =
      Program::compile("def f(x):\n    return x + torch.from_file('" + path.string() + "', True, 4)\n");
  EXPECT_THAT(refused(program, args({at::ones({4})}), trace()), HasSubstr("from_file"));
  EXPECT_THAT(refused(program, args({at::ones({4})}), mode(TONNX_MODE_AUTO)), HasSubstr("from_file"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Mode, AutoRefusesWhatARecordingWouldFix) {
  const Program program = Program::compile(R"(
def forward(x: Tensor) -> Tensor:
    d: Dict[int, Tuple[Tensor, int]] = {}
    for i in range(int(x.sum())):
        d[i] = (x * i, i)
    return x * len(d)
)");
  const Args inputs = args({at::ones({2, 3})});
  EXPECT_THAT(refused(program, inputs, mode(TONNX_MODE_AUTO)), HasSubstr("changes a dict whose keys are not known"));
  EXPECT_THAT(refused(program, inputs, mode(TONNX_MODE_SCRIPT)), HasSubstr("changes a dict whose keys are not known"));
}

TEST(Mode, ATraceReturnsSizesOfDynamicAxes) {
  const Program program = Program::compile(
      "def f(x: Tensor) -> Tuple[Tensor, Tensor, int]:\n    return x, torch.tensor(x.size(0)), x.size(0) * 2\n");
  const Args inputs = args({at::randn({4, 3})});
  Options options = trace();
  options.dynamic_axis("x", 0, "n");
  const tonnx::Model model = tonnx::export_program(program, inputs, options);
  model.verify(program, inputs);
  model.verify(program, args({at::randn({7, 3})}));
}

TEST(Mode, ATraceHasTheScriptsWeights) {
  const char* source = R"(
def forward(self, x: Tensor) -> Dict[str, Tensor]:
    for _ in range(2):
        x = x @ self.layer.weight + self.bias
    return {"doubled": x * 2, "x": x}
)";
  const at::Tensor weight = at::randn({3, 3}), bias = at::randn({3});
  Args state;
  state.key("layer.weight").add(tonnx::Tensor::from_torch(&weight));
  state.key("bias").add(tonnx::Tensor::from_torch(&bias));
  const Program program = Program::compile(source, state);
  const Args inputs = args({at::randn({4, 3})});
  const tonnx::Model model = tonnx::export_program(program, inputs, trace());
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("%layer.weight : Float(3, 3)"), HasSubstr("%bias : Float(3)"), HasSubstr("%doubled")));
  model.verify(program, inputs);
}

TEST(Mode, ListsTuplesAndNumbersOfTheArguments) {
  const Program program = Program::compile(R"(
def forward(x: List[Tensor], pair: Tuple[Tensor, Tensor], scale: float = 0.25) -> Tensor:
    total = pair[0] * pair[1]
    for t in x:
        total = total + t * scale
    return total
)");
  Args inputs;
  const at::Tensor a = at::randn({2}), b = at::randn({2}), c = at::randn({2});
  inputs.begin_list().add(tonnx::Tensor::from_torch(&a)).add(tonnx::Tensor::from_torch(&b)).end();
  inputs.begin_tuple().add(tonnx::Tensor::from_torch(&c)).add(tonnx::Tensor::from_torch(&a)).end();
  const tonnx::Model model = tonnx::export_program(program, inputs, trace());
  model.verify(program, inputs);
  EXPECT_THAT(model.input_names(), ElementsAre("x.0", "x.1", "pair.0", "pair.1"));
  inputs.add_float(0.5);
  EXPECT_THAT(refused(program, inputs, trace()),
              HasSubstr("argument 'scale' is a number, which a recording turns into a constant"));
}

// A recording has a list of zeros in place of undefined memory.
TEST(Mode, ZerosThatTheProgramWritesAreContent) {
  const Program program =
      Program::compile("def forward(x: Tensor):\n    return x.index_select(0, torch.tensor([0])) + x\n");
  const Args inputs = args({at::randn({4, 3})});
  Options options = trace();
  options.dynamic_axis("x", 0, "n");
  tonnx::export_program(program, inputs, options).verify(program, inputs);
}

TEST(Mode, BoolsAreResults) {
  const Program program = Program::compile(
      "def forward(x: Tensor):\n    return x.dtype == torch.float32, x.is_cuda, torch.full([2], True, "
      "dtype=torch.bool), x + 1\n");
  const Args inputs = args({at::randn({2, 3})});
  const tonnx::Model model = tonnx::export_program(program, inputs, trace());
  EXPECT_EQ(model.output_names().size(), 4u);
  model.verify(program, inputs);
}

TEST(Mode, ListsOfNumbersAreOneResultEach) {
  const Program program = Program::compile(R"(
def forward(x: Tensor):
    turns: List[bool] = []
    for i in range(x.size(0)):
        turns.append(i % 2 == 0)
    return [x.size(0), 3], [float(x.size(0)), 0.5], [True, False], turns, x + 1
)");
  const Args inputs = args({at::randn({4, 3})});
  for (const std::int32_t how : {TONNX_MODE_SCRIPT, TONNX_MODE_TRACE}) {
    const tonnx::Model model = tonnx::export_program(program, inputs, mode(how));
    EXPECT_EQ(model.output_names().size(), 5U);
    model.verify(program, inputs);
  }
  const tonnx::Model open = tonnx::export_program(program, inputs, mode(TONNX_MODE_SCRIPT).dynamic_axis("x", 0, "n"));
  EXPECT_EQ(open.output_names().size(), 5U);
  open.verify(program, args({at::randn({7, 3})}));
}

TEST(Mode, ComplexNumbersAreResults) {
  const Program program =
      Program::compile("def forward(x: Tensor):\n    return x.size(0) * (1 + 2j), [3j, 4 - 1j], x + 1\n");
  const Args inputs = args({at::randn({4, 3})});
  for (const std::int32_t how : {TONNX_MODE_SCRIPT, TONNX_MODE_TRACE})
    tonnx::export_program(program, inputs, mode(how)).verify(program, inputs);
}

TEST(Mode, WhatElementsDecideIsRefused) {
  const Args inputs = args({at::randn({4, 3})});
  const Program branch =
      Program::compile("def f(x):\n    if bool(x.sum() > 100):\n        return x\n    return x * 2\n");
  EXPECT_THAT(refused(branch, inputs, trace()), HasSubstr("the code read elements of a tensor"));
  tonnx::export_program(branch, inputs, mode(TONNX_MODE_SCRIPT)).verify(branch, inputs);
  const Program list = Program::compile(
      "def f(x):\n    total = 0.0\n    values: List[List[float]] = x.tolist()\n    for v in values:\n        total += "
      "v[0]\n    return x * total\n");
  EXPECT_THAT(refused(list, inputs, trace()), HasSubstr("tolist() reads elements"));
}

TEST(Mode, WhatADynamicSizeDecidesIsRefused) {
  const Program program =
      Program::compile("def f(x):\n    for i in range(x.size(0)):\n        x = x + i\n    return x\n");
  Options options = trace();
  options.dynamic_axis("x", 0, "n");
  EXPECT_THAT(refused(program, args({at::randn({4, 3})}), options),
              HasSubstr("the code takes another path at another size"));
}
