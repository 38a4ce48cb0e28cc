#include <algorithm>
#include <stdexcept>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/custom_function.h>

#include "error_matchers.h"
#include "host.h"
#include "tonnx/torch.hpp"

// Named regions of a trace: functions that symbolics convert as a whole.
using host::failure;
using host::numbers;
using testing::HasSubstr;
using testing::Not;
using tonnx::Attributes;
using tonnx::Graph;
using tonnx::Node;
using tonnx::Program;
using tonnx::Trace;
using tonnx::Value;
using Results = std::optional<std::vector<Value>>;
using Tensors = std::vector<at::Tensor>;

namespace {

std::string model_text(const Program& program, const tonnx::Options& options = {},
                       const tonnx::Registry& registry = {}) {
  const auto model = tonnx::export_program(program, tonnx::Args(), options, registry);
  model.verify(program, tonnx::Args());
  return model.text();
}

// The documentation's MyRelu: forward is input.clamp(min=0).
struct MyRelu : torch::autograd::Function<MyRelu> {
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) { return x.clamp_min(0); }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 const torch::autograd::variable_list& gradients) {
    return gradients;
  }
};

Program relu_program(const tonnx::TraceOptions& options = {}) {
  return tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        const at::Tensor y = tonnx::function(trace, "MyRelu", {in[0]}, [&] { return MyRelu::apply(in[0]); });
        return y * 2;
      },
      {numbers()}, options);
}

Results clip(Graph& graph, const Node& node, const std::vector<Value>& inputs) {
  const float zero = 0;
  Value result =
      graph.op("Clip", {inputs[0], graph.constant(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {}, &zero, sizeof zero))});
  result.copy_type(node.output());
  return std::vector<Value>{result};
}

Results foreign(Graph& graph, const Node& node, const std::vector<Value>& inputs) {
  Value result = graph.op("my::Function", {inputs[0]}, Attributes().set_string("name", node.overload()));
  result.copy_type(node.output());
  return std::vector<Value>{result};
}

tonnx::Options unchecked() {
  tonnx::Options options;
  options.custom_opset("my", 1);
  return options;
}

}  // namespace

TEST(TracedFunction, F62_F213_IsInlinedByDefault) {
  const std::string text = model_text(relu_program());
  EXPECT_THAT(text, HasSubstr("Mul"));
  EXPECT_THAT(text, Not(HasSubstr("PythonOp")));
  EXPECT_THAT(text, Not(HasSubstr("function")));
}

TEST(TracedFunction, F208_F209_F216_ItsOwnSymbolicComesFirst) {
  tonnx::Registry registry;
  registry.add("prim::PythonOp", 9, foreign);
  registry.add("prim::PythonOp.MyRelu", 9, clip);
  const std::string text = model_text(relu_program(), {}, registry);
  EXPECT_THAT(text, HasSubstr("Clip"));
  EXPECT_THAT(text, Not(HasSubstr("my::Function")));
}

TEST(TracedFunction, F211_OneSymbolicServesAllAndReadsTheName) {
  tonnx::Registry registry;
  std::string name;
  registry.add("prim::PythonOp", 1, [&](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
    EXPECT_EQ(node.op(), "prim::PythonOp");
    name = inputs.at(node.argument_index("name")).to_string();
    if (name != "MyRelu") return std::nullopt;
    return clip(graph, node, inputs);
  });
  EXPECT_THAT(model_text(relu_program(), {}, registry), HasSubstr("Clip"));
  EXPECT_EQ(name, "MyRelu");
}

TEST(TracedFunction, F211_OneThatIsDeclinedIsInlined) {
  tonnx::Registry registry;
  int calls = 0;
  registry.add("prim::PythonOp", 1, [&](Graph&, const Node&, const std::vector<Value>&) -> Results {
    ++calls;
    return std::nullopt;
  });
  EXPECT_THAT(model_text(relu_program(), {}, registry), Not(HasSubstr("PythonOp")));
  EXPECT_EQ(calls, 1);

  tonnx::Options options;
  options.autograd_inlining(false);
  const auto error = failure([&] { model_text(relu_program(), options, registry); });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(error.what(), HasSubstr("MyRelu"));
}

TEST(TracedFunction, F215_WithoutAnythingTheErrorNamesIt) {
  tonnx::Options options;
  options.autograd_inlining(false);
  const auto error = failure([&] { model_text(relu_program(), options); });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(error.what(), HasSubstr("the function 'MyRelu' has no symbolic"));
}

TEST(TracedFunction, F62_F214_FallthroughKeepsIt) {
  tonnx::Options options;
  options.operator_export_type(TONNX_OPERATOR_EXPORT_TYPE_FALLTHROUGH);
  const auto kept = [&] { return tonnx::export_program(relu_program(), tonnx::Args(), options).text(); };
  EXPECT_THAT(kept(), HasSubstr("prim::PythonOp[name=\"MyRelu\"]"));
  EXPECT_THAT(kept(), HasSubstr("Mul"));
  options.operator_export_type(TONNX_OPERATOR_EXPORT_TYPE_ATEN_FALLBACK);
  EXPECT_THAT(kept(), HasSubstr("prim::PythonOp[name=\"MyRelu\"]"));
  options.autograd_inlining(true);
  EXPECT_THAT(kept(), Not(HasSubstr("PythonOp")));
}

TEST(TracedFunction, F210_ArgumentsAndSeveralOutputs) {
  const auto program = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        const auto both = tonnx::function(
            trace, "Scaled", {in[0], in[1]}, [&] { return std::make_pair(in[0] * 1.5, in[1] + 3); },
            Attributes().set_float("alpha", 1.5).set_int("beta", 3).set_string("mode", "up").set_ints("axes", {0, 1}));
        return both.first - both.second;
      },
      {numbers(), numbers() + 1});
  model_text(program);
  tonnx::Registry registry;
  int calls = 0;
  registry.add("prim::PythonOp.Scaled", 9,
               [&calls](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
                 ++calls;
                 EXPECT_EQ(inputs.size(), 7u);
                 EXPECT_EQ(node.argument_index("alpha"), 2);
                 EXPECT_EQ(inputs[2].to_float(), 1.5);
                 EXPECT_EQ(inputs[3].to_int(), 3);
                 EXPECT_EQ(inputs[4].to_string(), "up");
                 EXPECT_EQ(inputs[5].to_ints(), (std::vector<std::int64_t>{0, 1}));
                 EXPECT_EQ(node.output_count(), 2u);
                 EXPECT_EQ(node.output(1).dim(1), 3);
                 const float alpha = 1.5, beta = 3;
                 const auto number = [&](const float& v) {
                   return graph.constant(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {}, &v, sizeof v));
                 };
                 return std::vector<Value>{graph.op("Mul", {inputs[0], number(alpha)}),
                                           graph.op("Add", {inputs[1], number(beta)})};
               });
  model_text(program, {}, registry);
  EXPECT_GT(calls, 0);
}

TEST(TracedFunction, F212_TheSymbolicReadsTypesAndGradientFlags) {
  const at::Tensor weight = at::ones({3}).requires_grad_();
  const auto program = tonnx::trace(
      [&](Trace& trace, const Tensors& in) {
        trace.weight("w", &weight);
        return tonnx::function(trace, "Product", {in[0], weight}, [&] { return in[0] * weight; });
      },
      {numbers()});
  tonnx::Registry registry;
  bool is_called = false;
  registry.add("prim::PythonOp.Product", 9,
               [&](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
                 is_called = true;
                 EXPECT_FALSE(inputs[0].requires_grad());
                 EXPECT_TRUE(inputs[1].requires_grad());
                 EXPECT_TRUE(node.output().requires_grad());
                 EXPECT_EQ(node.output().dtype(), TONNX_DTYPE_FLOAT32);
                 EXPECT_EQ(node.output().dim(0), 2);
                 return std::vector<Value>{graph.op("Mul", {inputs[0], inputs[1]})};
               });
  model_text(program, {}, registry);
  EXPECT_TRUE(is_called);
}

// The documentation's MyLogExp; its body has what no symbolic is asked for.
TEST(TracedFunction, ABodyWithoutConversionDoesNotMatter) {
  const auto program = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        return tonnx::function(trace, "Digits", {in[0]}, [&] { return at::_standard_gamma(in[0].abs() + 1); });
      },
      {numbers()});
  tonnx::Registry registry;
  registry.add("prim::PythonOp.Digits", 9, foreign);
  const auto model = tonnx::export_program(program, tonnx::Args(), unchecked(), registry);
  EXPECT_THAT(model.text(), HasSubstr("my::Function[name=\"Digits\"]"));
  EXPECT_THAT(model.text(), Not(HasSubstr("Abs")));
}

TEST(TracedFunction, NestedOnesAreHiddenOrConverted) {
  const auto program = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        return tonnx::function(trace, "Outer", {in[0]}, [&] {
          const at::Tensor x = in[0] + 1;
          return tonnx::function(trace, "Inner", {x}, [&] { return x.clamp_min(0); }) * 3;
        });
      },
      {numbers()});
  EXPECT_THAT(model_text(program), HasSubstr("Mul"));
  tonnx::Registry inner, outer;
  inner.add("prim::PythonOp.Inner", 9, clip);
  EXPECT_THAT(model_text(program, {}, inner), HasSubstr("Clip"));
  outer.add("prim::PythonOp.Outer", 9, foreign);
  outer.add("prim::PythonOp.Inner", 9, foreign);
  const std::string text = tonnx::export_program(program, tonnx::Args(), unchecked(), outer).text();
  EXPECT_THAT(text, HasSubstr("my::Function[name=\"Outer\"]"));
  EXPECT_THAT(text, Not(HasSubstr("Inner")));
}

TEST(TracedFunction, SizesOfSeveralRunsReachTheSymbolic) {
  tonnx::TraceOptions options;
  options.dynamic_axis(0, 0, "rows");
  const auto program = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        const auto rows = in[0].size(0);
        return tonnx::function(
            trace, "Padded", {in[0]}, [&] { return at::constant_pad_nd(in[0], {0, 0, 0, rows}); },
            Attributes().set_int("rows", rows));
      },
      {numbers()}, options);
  EXPECT_THAT(model_text(program), HasSubstr("rows"));
  tonnx::Registry registry;
  bool is_constant = true;
  registry.add("prim::PythonOp.Padded", 9, [&](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    is_constant = inputs[1].is_constant();
    EXPECT_EQ(inputs[0].dim_symbol(0), "rows");
    const float zero = 0;
    Value none = graph.constant(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {}, &zero, sizeof zero));
    return std::vector<Value>{
        graph.op("Concat", {inputs[0], graph.op("Mul", {inputs[0], none})}, Attributes().set_int("axis", 0))};
  });
  model_text(program, {}, registry);
  EXPECT_FALSE(is_constant) << "it follows the size";
}

TEST(TracedFunction, RunsThatCallAnotherOneAreRefused) {
  tonnx::TraceOptions options;
  options.dynamic_axis(0, 0, "rows");
  const auto error = failure([&] {
    tonnx::trace(
        [](Trace& trace, const Tensors& in) {
          return tonnx::function(trace, in[0].size(0) > 5 ? "Large" : "Small", {in[0]}, [&] { return in[0] + 1; });
        },
        {numbers()}, options);
  });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(error.what(), HasSubstr("Large"));
}

TEST(TracedFunction, ATensorOfTheBodyMayBeReadOutside) {
  const auto program = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        at::Tensor inner;
        const at::Tensor y = tonnx::function(trace, "MyRelu", {in[0]}, [&] {
          inner = in[0] + 1;
          return (inner - 1).clamp_min(0);
        });
        return y + inner;
      },
      {numbers()});
  tonnx::Registry registry;
  registry.add("prim::PythonOp.MyRelu", 9, clip);
  EXPECT_THAT(model_text(program), Not(HasSubstr("PythonOp")));
  EXPECT_THAT(model_text(program, {}, registry), HasSubstr("Clip"));
}

TEST(TracedFunction, WritesToItsInputsAreKept) {
  // The function adds 1 to its input and returns the clamped value from before.
  const auto program = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        at::Tensor x = in[0] * 1;
        const at::Tensor y = tonnx::function(trace, "MyRelu", {x}, [&] {
          const at::Tensor result = x.clamp_min(0);
          x.add_(1);
          return result;
        });
        return std::make_pair(y, x);
      },
      {numbers()});
  model_text(program);
  tonnx::Registry registry;
  registry.add("prim::PythonOp.MyRelu", 9, clip);
  EXPECT_THAT(model_text(program, {}, registry), HasSubstr("Clip"));
}

TEST(TracedFunction, WritesToItsOutputAreKept) {
  const auto program = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        at::Tensor y = tonnx::function(trace, "MyRelu", {in[0]}, [&] { return in[0].clamp_min(0); });
        y.select(0, 0).add_(5);
        return y;
      },
      {numbers()});
  model_text(program);
  tonnx::Registry registry;
  registry.add("prim::PythonOp.MyRelu", 9, clip);
  EXPECT_THAT(model_text(program, {}, registry), HasSubstr("Clip"));
}

TEST(TracedFunction, OutputsThatShareWrittenMemoryCanOnlyBeInlined) {
  const auto in_place = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        at::Tensor x = in[0] * 1;
        return tonnx::function(trace, "MyRelu", {x}, [&] { return x.clamp_min_(0); }) + x;
      },
      {numbers()});
  const auto view = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        at::Tensor x = in[0] * 1;
        at::Tensor y = tonnx::function(trace, "MyRelu", {x}, [&] { return x.view({-1}); });
        x.add_(1);
        return y * 2;
      },
      {numbers()});
  const auto written_view = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        at::Tensor first;
        at::Tensor y = tonnx::function(trace, "MyRelu", {in[0]}, [&] {
          const at::Tensor result = in[0].clamp_min(0);
          first = result.select(0, 0);
          return result;
        });
        y.add_(1);
        return y + first;
      },
      {numbers()});
  tonnx::Registry registry;
  registry.add("prim::PythonOp.MyRelu", 9, clip);
  for (const Program* program : {&in_place, &view, &written_view}) {
    model_text(*program);
    const auto error = failure([&] { model_text(*program, {}, registry); });
    EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
    EXPECT_THAT(error.what(), HasSubstr("function 'MyRelu' shares memory"));
  }
}

TEST(TracedFunction, ItsInputMayBeItsOutput) {
  const auto program = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        const at::Tensor x = in[0].clamp_min(0);
        return tonnx::function(trace, "MyRelu", {x}, [&] { return x; }) + x;
      },
      {numbers()});
  model_text(program);
  tonnx::Registry registry;
  int calls = 0;
  registry.add("prim::PythonOp.MyRelu", 9, [&](Graph& graph, const Node& node, const std::vector<Value>& inputs) {
    ++calls;
    return clip(graph, node, inputs);
  });
  model_text(program, {}, registry);
  EXPECT_GT(calls, 0);
}

TEST(TracedFunction, ASymbolicThatDiffersIsFound) {
  tonnx::Registry registry;
  registry.add("prim::PythonOp.MyRelu", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{graph.op("Neg", {inputs[0]})};
  });
  const auto found = tonnx::find_mismatch(relu_program(), tonnx::Args(), {}, &registry);
  EXPECT_THAT(found.text(), HasSubstr("by kind: tonnx::function 1"));
}

TEST(TracedFunction, WrittenStateIsKept) {
  const at::Tensor weight = at::ones({3});
  const auto program = tonnx::trace(
      [&](Trace& trace, const Tensors& in) {
        trace.weight("w", &weight);
        return tonnx::function(trace, "Step", {in[0], weight},
                               [&] {
                                 const at::Tensor result = (in[0] * weight).abs();
                                 weight.add_(1);
                                 return result;
                               }) +
               weight;
      },
      {numbers()});
  tonnx::Registry registry;
  registry.add("prim::PythonOp.Step", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{graph.op("Abs", {graph.op("Mul", {inputs[0], inputs[1]})})};
  });
  for (const bool written : {false, true}) {
    tonnx::Options options;
    options.written_outputs(written);
    model_text(program, options);
    const std::string text = model_text(program, options, registry);
    EXPECT_EQ(text.find("w_written") != std::string::npos, written) << text;
  }
}

// A size that depends on data, complex numbers, no elements, and an output without readers.
TEST(TracedFunction, TensorsOfAllKinds) {
  tonnx::TraceOptions options;
  options.dynamic_axis(0, 0, "rows");
  const auto program = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        const at::Tensor x = in[0], complex = at::complex(x, x + 1), none = x.narrow(0, 0, 0);
        const auto found = tonnx::function(trace, "Found", {x}, [&] { return Tensors{x.abs(), at::nonzero(x)}; });
        tonnx::function(trace, "Unused", {x}, [&] { return x + 3; });
        return Tensors{found[1] * 2,
                       tonnx::function(trace, "Real", {complex}, [&] { return at::real(complex).clone(); }),
                       tonnx::function(trace, "None", {none}, [&] { return none.abs(); })};
      },
      {numbers()}, options);
  model_text(program);
  tonnx::Registry registry;
  registry.add("prim::PythonOp", 9, [](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
    const std::int64_t zero = 0;
    EXPECT_NE(node.overload(), "Unused");
    if (node.overload() == "Found")
      return std::vector<Value>{graph.op("Abs", {inputs[0]}),
                                graph.op("Transpose", {graph.op("NonZero", {inputs[0]})})};
    if (node.overload() == "None") return std::vector<Value>{graph.op("Abs", {inputs[0]})};
    EXPECT_EQ(inputs[0].rank(), 3u);
    Value first = graph.constant(tonnx::Tensor(TONNX_DTYPE_INT64, {}, &zero, sizeof zero));
    return std::vector<Value>{graph.op("Gather", {inputs[0], first}, Attributes().set_int("axis", 2))};
  });
  model_text(program, {}, registry);
}

TEST(TracedFunction, AnExportInsideIsApart) {
  const auto other = relu_program();
  const auto program = tonnx::trace(
      [&](Trace& trace, const Tensors& in) {
        return tonnx::function(trace, "MyRelu", {in[0]}, [&] {
          tonnx::export_program(other, tonnx::Args());
          return in[0].clamp_min(0);
        });
      },
      {numbers()});
  model_text(program);
}

// The code catches what leaves a function: the function is dropped, and its operators stay, those of an inner one as a
// function.
TEST(TracedFunction, AnExceptionDropsIt) {
  tonnx::TraceOptions options;
  options.dynamic_axis(0, 0, "rows");
  const auto program = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        at::Tensor y = in[0];
        try {
          tonnx::function(trace, "Broken", {in[0]}, [&]() -> at::Tensor {
            const tonnx::Trace::Module module(trace, "Linear", "fc");
            y = tonnx::function(trace, "MyRelu", {y}, [&] { return y.clamp_min(0); });
            y = at::sigmoid(y);
            throw std::runtime_error("no kernel");
          });
        } catch (const std::runtime_error&) {
          y = at::exp(y);
        }
        return tonnx::function(trace, "Last", {y}, [&] { return y + 1; });
      },
      {numbers()}, options);
  model_text(program);
  tonnx::Registry registry;
  std::vector<std::string> converted;
  registry.add("prim::PythonOp", 9, [&](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
    converted.push_back(node.overload());
    if (node.overload() == "MyRelu") return clip(graph, node, inputs);
    return std::nullopt;
  });
  const std::string text = model_text(program, {}, registry);
  EXPECT_THAT(text, HasSubstr("Clip"));
  EXPECT_THAT(text, HasSubstr("Sigmoid"));
  EXPECT_THAT(text, HasSubstr("Exp"));
  EXPECT_EQ(std::ranges::count(converted, "Broken"), 0);
  EXPECT_GT(std::ranges::count(converted, "Last"), 0);
}

// Of `body`, by the module of the node that it records at its end.
std::string module_after(const std::function<void(Trace&, const at::Tensor&)>& body) {
  const auto program = tonnx::trace(
      [&](Trace& trace, const Tensors& in) {
        body(trace, in[0]);
        return at::sigmoid(in[0]);
      },
      {numbers()});
  std::string module = "no node";
  tonnx::Registry registry;
  registry.add("aten::sigmoid", 9, [&](Graph&, const Node& node, const std::vector<Value>&) -> Results {
    module = node.module();
    return std::nullopt;
  });
  model_text(program, {}, registry);
  return module;
}

TEST(TracedFunction, DroppingItLeavesTheModulesThatWereEnteredInIt) {
  const auto drop = [](Trace& trace, const at::Tensor& x, const std::function<void()>& body) {
    try {
      tonnx::function(trace, "Broken", {x}, [&]() -> at::Tensor {
        body();
        throw std::runtime_error("no kernel");
      });
    } catch (const std::runtime_error&) {
    }
  };
  EXPECT_EQ(module_after([&](Trace& trace, const at::Tensor&) { trace.enter("Outer", "outer"); }), "outer");
  EXPECT_EQ(module_after([&](Trace& trace, const at::Tensor& x) {
              trace.enter("Outer", "outer");
              drop(trace, x, [&] {
                trace.enter("Linear", "fc");
                trace.enter("Linear", "inner");
              });
              EXPECT_EQ(trace.depth(), 1);
            }),
            "outer");
  EXPECT_EQ(module_after([&](Trace& trace, const at::Tensor& x) {
              trace.enter("Outer", "outer");
              drop(trace, x, [&] {
                trace.enter("Linear", "fc");
                drop(trace, x, [&] { trace.enter("Linear", "inner"); });
                EXPECT_EQ(trace.depth(), 2);
              });
            }),
            "outer");
  // The module's object outlives the function.
  EXPECT_EQ(module_after([&](Trace& trace, const at::Tensor& x) {
              trace.enter("Outer", "outer");
              Trace::Function one(trace, "One", {&x});
              const Trace::Module module(trace, "Linear", "fc");
              one.abandon();
            }),
            "outer");
  EXPECT_EQ(module_after([&](Trace& trace, const at::Tensor& x) { drop(trace, x, [&] { trace.enter("A", "a"); }); }),
            "");
}

TEST(TracedFunction, OnlyCodeOutsideOfItIsWarnedOfPointers) {
  const auto program = [](bool is_outside) {
    return tonnx::trace(
        [is_outside](Trace& trace, const Tensors& in) {
          const at::Tensor y = tonnx::function(trace, "Kernel", {in[0]}, [&] {
            at::Tensor made = in[0] * 2;
            EXPECT_NE(made.data_ptr<float>(), in[0].data_ptr<float>());
            return made.relu();
          });
          if (is_outside) y.data_ptr<float>();
          return y + 1;
        },
        {numbers()});
  };
  tonnx::Options strict;
  strict.warnings_as_errors(true);
  model_text(program(false), strict);
  EXPECT_THAT(failure([&] { model_text(program(true), strict); }),
              host::is_error(TONNX_STATUS_WARNING, HasSubstr("a pointer to the elements of")));
}

TEST(TracedFunction, ItsOutputsMayShareMemoryWithEachOther) {
  const auto program = tonnx::trace(
      [](Trace& trace, const Tensors& in) {
        auto both = tonnx::function(trace, "Pair", {in[0]}, [&] {
          const at::Tensor y = in[0].clamp_min(0);
          return std::make_pair(y, y.select(0, 0));
        });
        both.first.add_(1);
        return both.second * 2;
      },
      {numbers()});
  model_text(program);
  tonnx::Registry registry;
  registry.add("prim::PythonOp.Pair", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    ADD_FAILURE() << "it was called";
    return std::vector<Value>{inputs[0], graph.op("Identity", {inputs[0]})};
  });
  EXPECT_THAT(failure([&] { model_text(program, {}, registry); }),
              host::is_error(TONNX_STATUS_UNSUPPORTED, HasSubstr("function 'Pair' shares memory")));
}

TEST(TracedFunction, MisuseIsAnArgumentError) {
  const auto refused = [](const std::function<void(tonnx::Recording&)>& body) {
    const auto example = host::args({numbers()});
    tonnx::Recording recording(example);
    const auto error = failure([&] {
      body(recording);
      recording.output(recording.input(0));
      recording.next();
    });
    EXPECT_EQ(error.status(), TONNX_STATUS_ARGUMENT) << error.what();
    return std::string(error.what());
  };
  using tonnx::Recording;
  EXPECT_THAT(refused([](Recording& r) { Trace::Function(r, "Open", {r.input(0)}); }),
              HasSubstr("function 'Open' was not ended"));
  EXPECT_THAT(refused([](Recording& r) {
                const void* x = r.input(0);
                Trace::Function one(r, "One", {x});
                one.end({x});
                one.end({x});
              }),
              HasSubstr("no function is open"));
  EXPECT_THAT(refused([](Recording& r) {
                Trace::Function one(r, "One", {r.input(0)});
                one.abandon();
                one.abandon();
              }),
              HasSubstr("no function is open"));
  EXPECT_THAT(refused([](Recording& r) { Trace::Function(r, "One", {}).end({}); }), HasSubstr("has no output"));
  EXPECT_THAT(refused([](Recording& r) { Trace::Function(r, "my::One", {}); }), HasSubstr("not a name"));
  EXPECT_THAT(refused([](Recording& r) { Trace::Function(r, "", {}); }), HasSubstr("not a name"));
  EXPECT_THAT(refused([](Recording& r) { Trace::Function(r, "One", {nullptr}); }), HasSubstr("is null"));
  EXPECT_THAT(refused([](Recording& r) { Trace::Function(r, "One", {}, Attributes().set_int("name", 1)); }),
              HasSubstr("must not be 'name'"));
  EXPECT_THAT(refused([](Recording& r) { Trace::Function(r, "One", {}, Attributes().set_strings("a", {"b"})); }),
              HasSubstr("argument 'a'"));
  EXPECT_THAT(refused([](Recording& r) {
                Trace::Function one(r, "One", {r.input(0)});
                r.enter("Linear", "fc");
                one.end({r.input(0)});
              }),
              HasSubstr("a module that was entered in the function is open"));
  EXPECT_THAT(refused([](Recording& r) {
                r.enter("Linear", "fc");
                Trace::Function one(r, "One", {r.input(0)});
                r.leave();
              }),
              HasSubstr("a function that was begun in the module is open"));
}
