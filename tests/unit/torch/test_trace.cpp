#include <algorithm>
#include <memory>
#include <stdexcept>
#include <thread>

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "asked.h"
#include "ir/error.h"
#include "ir/printer.h"
#include "modules.h"
#include "torch/recording.h"
#include "torch/trace.h"

namespace tonnx {
namespace {

using test::kinds;
using test::ramp;
using torch::Recording;

// A recording of one call of `function`.
template <class Function>
torch::Traced trace(const Function& function, const ir::Arguments& arguments) {
  Recording recording(arguments);
  function(recording.inputs(), recording);
  return recording.end();
}

at::Tensor& at_input(std::span<void* const> inputs, std::size_t i = 0) { return *static_cast<at::Tensor*>(inputs[i]); }

ir::Arguments one(std::vector<std::int64_t> dims) { return {{ir::Constant{ramp(std::move(dims))}}, {}}; }

TEST(Trace, DeclaredWeightsKeepTheirNamesAlsoWithGradients) {
  const at::Tensor weight = at::ones({3, 2}).requires_grad_();
  const at::Tensor bias = at::ones({3}).requires_grad_();
  const auto traced = trace(
      [&](std::span<void* const> inputs, Recording& outputs) {
        outputs.add_weight(&weight, "fc.weight");
        outputs.add_weight(&bias, "fc.bias");
        torch::begin_trace_scope("Net", "");
        torch::begin_trace_scope("Linear", "fc");
        const at::Tensor y = at::linear(at_input(inputs), weight, bias);
        torch::end_trace_scope();
        outputs.add_output(&y, "y");
        torch::end_trace_scope();
      },
      one({4, 2}));
  const ir::Graph& graph = *traced.program.graph;
  ir::verify(graph, "trace");
  ASSERT_EQ(graph.weights().size(), 2u);
  EXPECT_EQ(graph.weights()[0]->name(), "fc.weight");
  EXPECT_EQ(graph.inputs()[0]->name(), "input");
  EXPECT_EQ(traced.program.output_names, std::vector<std::string>{"y"});
  EXPECT_EQ(kinds(graph), std::vector<std::string>{"aten::linear"});
  EXPECT_EQ(graph.outputs()[0]->node()->location().scope->text(), "Net/Linear[fc]");
  ASSERT_EQ(traced.outputs.size(), 1u);
  EXPECT_NEAR(traced.outputs[0].as_double(0), 1.1, 1e-6);
}

TEST(Trace, UndeclaredTensorsBecomeWeights) {
  const at::Tensor declared = at::ones({4, 4});
  const at::Tensor view = declared.transpose(0, 1).slice(0, 0, 2);
  const at::Tensor free = at::ones({2}).requires_grad_();
  const at::Tensor plain = at::ones({2});
  const auto traced = trace(
      [&](std::span<void* const> inputs, Recording& outputs) {
        outputs.add_weight(&declared, "w");
        const at::Tensor y = at_input(inputs).matmul(view.transpose(0, 1)) + free + plain + 2.5;
        outputs.add_output(&y);
      },
      one({1, 4}));
  const ir::Graph& graph = *traced.program.graph;
  std::vector<std::string> names;
  for (const ir::Value* w : graph.weights()) names.push_back(w->name());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"constant_0", "constant_1", "w_1"})) << ir::print(graph);
  EXPECT_NEAR(traced.outputs[0].as_double(0), 5.1, 1e-5);
}

TEST(Trace, WritesAreRecordedAndInputsOfTheCallerStay) {
  const ir::Tensor example = ramp({3});
  const auto traced = trace(
      [](std::span<void* const> inputs, Recording& outputs) {
        at::Tensor& x = at_input(inputs);
        x.slice(0, 1, 3).add_(1);
        outputs.add_output(&x);
      },
      {{ir::Constant{example}}, {}});
  const auto all = kinds(*traced.program.graph);
  EXPECT_EQ(all, (std::vector<std::string>{"aten::slice.Tensor", "aten::add_.Scalar"}))
      << ir::print(*traced.program.graph);
  EXPECT_TRUE(example.equals(ramp({3})));
  EXPECT_NEAR(traced.outputs[0].as_double(1), 1.1, 1e-6);
}

TEST(Trace, NestedArgumentsAreFlattened) {
  const ir::Constant pair{ir::Constant::Tuple{{ir::Constant{ramp({2})}, ir::Constant{ramp({2})}}, {}}};
  const auto traced = trace(
      [](std::span<void* const> inputs, Recording& outputs) {
        ASSERT_EQ(inputs.size(), 3u);
        const at::Tensor y = at_input(inputs, 0) + at_input(inputs, 1);
        outputs.add_output(&y);
        outputs.add_output(inputs[2]);
      },
      {{pair}, {{"scale", ir::Constant{2.0}}}});
  EXPECT_EQ(traced.program.graph->inputs()[1]->name(), "input.1");
  EXPECT_EQ(traced.program.graph->inputs()[2]->name(), "scale");
  EXPECT_EQ(traced.program.graph->outputs().size(), 2u);
}

TEST(Trace, AFailingFunctionLeavesNoState) {
  const auto failing = [](std::span<void* const>, Recording&) { throw std::runtime_error("mine"); };
  try {
    trace(failing, one({1}));
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "mine");
  }
  const auto good = [](std::span<void* const> inputs, Recording& outputs) {
    const at::Tensor y = at_input(inputs) * 2;
    outputs.add_output(&y);
  };
  EXPECT_EQ(kinds(*trace(good, one({1})).program.graph).size(), 1u);
  EXPECT_THROW(trace([](std::span<void* const>, Recording&) {}, one({1})), ir::Error);
  EXPECT_EQ(kinds(*trace(good, one({1})).program.graph).size(), 1u);
}

TEST(Trace, ANestedTraceIsRefusedAndTheOuterOneSurvives) {
  bool refused = false;
  const auto traced = trace(
      [&](std::span<void* const> inputs, Recording& outputs) {
        try {
          trace([](std::span<void* const> in, Recording& out) { out.add_output(in[0]); }, one({1}));
        } catch (const ir::Error& e) {
          refused = e.code() == ir::Code::Argument;
        }
        const at::Tensor y = at_input(inputs).relu();
        outputs.add_output(&y);
      },
      one({2}));
  EXPECT_TRUE(refused);
  EXPECT_EQ(kinds(*traced.program.graph), std::vector<std::string>{"aten::relu"});
}

TEST(Recording, GoesFromConstructionToEnd) {
  const at::Tensor weight = at::ones({2});
  torch::Recording recording(one({2}));
  EXPECT_THROW(torch::Recording(one({2})), ir::Error);
  recording.add_weight(&weight, "w");
  const at::Tensor y = at_input(recording.inputs()) * weight;
  recording.add_output(&y, "y");
  const auto traced = recording.end();
  at::ones({1}).neg();  // no part of it
  EXPECT_EQ(kinds(*traced.program.graph), std::vector<std::string>{"aten::mul.Tensor"});
  ASSERT_EQ(traced.program.graph->weights().size(), 1u);
  EXPECT_EQ(traced.program.graph->weights()[0]->name(), "w");
  EXPECT_THROW(recording.end(), ir::Error);
  EXPECT_THROW(recording.add_output(&y), ir::Error);
  EXPECT_THROW(recording.add_weight(&weight, "w"), ir::Error);
}

TEST(Recording, ADroppedRecordingLeavesNoState) {
  {
    torch::Recording recording(one({2}));
  }
  torch::Recording recording(one({2}));
  const at::Tensor y = at_input(recording.inputs()).neg();
  recording.add_output(&y);
  EXPECT_EQ(kinds(*recording.end().program.graph), std::vector<std::string>{"aten::neg"});
}

TEST(Recording, EndsOnItsThreadAndMayBeDroppedByAnother) {
  auto recording = std::make_unique<torch::Recording>(one({2}));
  const at::Tensor y = at_input(recording->inputs()).neg();
  recording->add_output(&y);
  std::thread([&] {
    EXPECT_THROW(recording->end(), ir::Error);
    recording.reset();
  }).join();
  const at::Tensor z = y.abs();
  torch::Recording next(one({2}));
  const at::Tensor w = at_input(next.inputs()) + z;
  next.add_output(&w);
  EXPECT_EQ(kinds(*next.end().program.graph), std::vector<std::string>{"aten::add.Tensor"});
}

}  // namespace
}  // namespace tonnx
