#include <stdexcept>
#include <thread>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "host.h"

// Recording the caller's own code: what becomes of its results, weights and modules, and of its failures.
using host::failure;
using host::numbers;
using host::tensor;
using testing::HasSubstr;
using testing::Not;
using tonnx::Program;
using tonnx::Trace;

namespace {

// Exports the trace, verifies the model and returns its text form.
std::string exported(const Program& program, const tonnx::Options& options = {}) {
  const auto model = tonnx::export_program(program, tonnx::Args(), options);
  model.verify(program, tonnx::Args());
  return model.text();
}

// A trace through the C API with a callback of its own, whose user_data counts how often it is destroyed.
struct Traced {
  tonnx_status status = TONNX_STATUS_OK;
  std::string message;
  int called = 0;
  int destroyed = 0;
  std::function<int32_t(tonnx_trace*)> body;

  Program* operator()(const tonnx_args* args) {
    tonnx_program* program = reinterpret_cast<tonnx_program*>(this);
    tonnx_error* error = nullptr;
    status = tonnx_program_trace(&program, &Traced::run, this, &Traced::destroy, args, nullptr, &error);
    message = tonnx_error_message(error);
    EXPECT_EQ(tonnx_error_status(error), status);
    EXPECT_EQ(program == nullptr, status != TONNX_STATUS_OK);
    EXPECT_EQ(destroyed, 1) << "destroy runs once, before the call returns";
    tonnx_error_free(error);
    tonnx_program_free(program);
    return nullptr;
  }

  static int32_t run(tonnx_trace* trace, void* user_data) {
    auto* self = static_cast<Traced*>(user_data);
    ++self->called;
    return self->body(trace);
  }
  static void destroy(void* user_data) { ++static_cast<Traced*>(user_data)->destroyed; }
};

}  // namespace

TEST(Trace, F2_TheCodeRunsOnceAndNeverInAnExport) {
  int runs = 0;
  const auto run = [&](Trace& t) {
    ++runs;
    const at::Tensor y = tensor(t.input(0)).relu() + 1;
    t.output(&y, "y");
  };
  const auto exported = [](const Program& program) {
    for (const std::int32_t opset : {11, 17}) {
      const auto model = tonnx::export_program(program, tonnx::Args(), tonnx::Options().opset(opset));
      model.verify(program, tonnx::Args());
      EXPECT_THAT(model.text(), HasSubstr("Relu"));
    }
  };
  const Program once = Program::trace(run, host::args({numbers()}));
  EXPECT_EQ(runs, 1);
  exported(once);
  EXPECT_EQ(runs, 1);
  const Program often = Program::trace(run, host::args({numbers()}), tonnx::TraceOptions().dynamic_axis(0, 0, "rows"));
  const int of_trace = runs;
  EXPECT_GT(of_trace, 2) << "once for each size";
  exported(often);
  EXPECT_EQ(runs, of_trace);
}

TEST(Trace, F5_AFailingCallbacksTextComesOut) {
  const auto args = host::args({numbers()});
  Traced record;
  record.body = [](tonnx_trace* trace) {
    tonnx_trace_fail(trace, "the robot has no arm", nullptr, nullptr);
    return 1;
  };
  record(args.get());
  EXPECT_EQ(record.status, TONNX_STATUS_CALLBACK);
  EXPECT_EQ(record.message, "the robot has no arm");
  EXPECT_EQ(record.called, 1);
}

TEST(Trace, TheCauseOfAFailureComesOut) {
  struct NoArm : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  tonnx::TraceOptions options;
  options.dynamic_axis(0, 0, "rows");
  for (const bool first : {true, false}) {
    int runs = 0;
    try {
      const auto example = host::args({at::ones({3, 2})});
      tonnx::Recording recording(example, options);
      do {
        const at::Tensor y = host::tensor(recording.input(0)) + 1;
        recording.output(&y);
        if (++runs > 1 || first) recording.fail("no arm", std::make_exception_ptr(NoArm("no arm")));
      } while (recording.next());
      FAIL() << "it is not refused";
    } catch (const tonnx::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("no arm"));
      EXPECT_EQ(error.status(), first ? TONNX_STATUS_CALLBACK : TONNX_STATUS_PROGRAM);
      ASSERT_TRUE(error.cause());
      EXPECT_THROW(std::rethrow_exception(error.cause()), NoArm);
    }
  }
}

TEST(Trace, AFailureWithoutATextOrWithoutACodeIsStillAFailure) {
  const auto args = host::args({numbers()});
  Traced silent;
  silent.body = [](tonnx_trace*) { return -7; };
  silent(args.get());
  EXPECT_EQ(silent.status, TONNX_STATUS_CALLBACK);
  EXPECT_THAT(silent.message, HasSubstr("no reason"));

  Traced warned;
  warned.body = [](tonnx_trace* trace) {
    EXPECT_EQ(tonnx_trace_output(trace, nullptr, tonnx_trace_input(trace, 0), nullptr), TONNX_STATUS_OK);
    tonnx_trace_fail(trace, "on second thoughts", nullptr, nullptr);
    return 0;
  };
  warned(args.get());
  EXPECT_EQ(warned.status, TONNX_STATUS_CALLBACK);
  EXPECT_EQ(warned.message, "on second thoughts");
}

TEST(Trace, ArgumentsOfOtherSizesAreReported) {
  const auto given = [](std::int64_t rows) { return host::args({at::ones({rows, 3})}); };
  const auto code = [](tonnx::Trace& trace) {
    const at::Tensor y = host::tensor(trace.input(0)) + 1;
    trace.output(&y);
  };
  const tonnx::Program fixed = tonnx::Program::trace(code, given(2));
  EXPECT_THAT(tonnx::export_program(fixed, given(2)).warnings(), testing::IsEmpty());
  EXPECT_THAT(tonnx::export_program(fixed, tonnx::Args()).warnings(), testing::IsEmpty());
  EXPECT_THAT(tonnx::export_program(fixed, given(5)).warnings(),
              testing::ElementsAre(HasSubstr("differ from those of the trace")));
  tonnx::TraceOptions open;
  open.dynamic_axis(0, 0, "rows");
  EXPECT_THAT(tonnx::export_program(tonnx::Program::trace(code, given(2), open), given(5)).warnings(),
              testing::IsEmpty());
}

TEST(Trace, ACallbackWithoutOutputsIsRefused) {
  const auto args = host::args({numbers()});
  Traced record;
  record.body = [](tonnx_trace*) { return 0; };
  record(args.get());
  EXPECT_EQ(record.status, TONNX_STATUS_ARGUMENT);
  EXPECT_THAT(record.message, HasSubstr("no tensor"));
}

TEST(Trace, UserDataIsDestroyedOnceWhateverIsRefused) {
  const auto args = host::args({numbers()});
  int destroyed = 0;
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  const auto copy = [](tonnx_trace* trace, void*) {
    return tonnx_trace_output(trace, nullptr, tonnx_trace_input(trace, 0), nullptr) == TONNX_STATUS_OK ? 0 : 1;
  };
  tonnx_program* program = nullptr;
  EXPECT_EQ(tonnx_program_trace(nullptr, copy, &destroyed, count, args.get(), nullptr, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(tonnx_program_trace(&program, nullptr, &destroyed, count, args.get(), nullptr, nullptr),
            TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(tonnx_program_trace(&program, copy, &destroyed, count, nullptr, nullptr, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(destroyed, 3);
  tonnx::Args open;
  open.begin_list();
  EXPECT_EQ(tonnx_program_trace(&program, copy, &destroyed, count, open.get(), nullptr, nullptr),
            TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(destroyed, 4);
  ASSERT_EQ(tonnx_program_trace(&program, copy, &destroyed, count, args.get(), nullptr, nullptr), TONNX_STATUS_OK);
  EXPECT_EQ(destroyed, 5);
  tonnx_program_free(program);
  ASSERT_EQ(tonnx_program_trace(&program, copy, &destroyed, nullptr, args.get(), nullptr, nullptr), TONNX_STATUS_OK);
  EXPECT_EQ(destroyed, 5);
  tonnx_program_free(program);
}

TEST(Trace, AnExceptionOfALambdaComesOutUnchanged) {
  struct Odd {};
  const auto args = host::args({numbers()});
  EXPECT_THROW(Program::trace([](Trace&) { throw Odd(); }, args), Odd);
  EXPECT_THROW(Program::trace([](Trace&) { throw std::out_of_range("far"); }, args), std::out_of_range);
  // LibTorch's own refusal, from the middle of the recording; the next trace on this thread is none the worse.
  EXPECT_THROW(Program::trace([](Trace& t) { at::mm(tensor(t.input(0)), tensor(t.input(0))); }, args), c10::Error);
  const auto program = Program::trace(
      [](Trace& t) {
        const at::Tensor y = tensor(t.input(0)).relu();
        t.output(&y);
      },
      args);
  EXPECT_THAT(exported(program), HasSubstr("onnx::Relu"));
}

TEST(Trace, ANestedTraceIsRefusedAndTheOuterOneSurvives) {
  const auto args = host::args({numbers()});
  tonnx_status inner = TONNX_STATUS_OK;
  const auto program = Program::trace(
      [&](Trace& t) {
        const at::Tensor before = tensor(t.input(0)).relu();
        inner = failure([&] { Program::trace([](Trace& n) { n.output(n.input(0)); }, args); }).status();
        const at::Tensor after = before.sigmoid();
        t.output(&after);
      },
      args);
  EXPECT_EQ(inner, TONNX_STATUS_ARGUMENT);
  const std::string text = exported(program);
  EXPECT_THAT(text, HasSubstr("onnx::Relu"));
  EXPECT_THAT(text, HasSubstr("onnx::Sigmoid"));
}

TEST(Trace, AnArchiveIsLoadedAndExportedInsideOfATrace) {
  const auto args = host::args({numbers()});
  std::string inner;
  const auto program = Program::trace(
      [&](Trace& t) {
        const at::Tensor before = tensor(t.input(0)).tanh();
        const auto net = host::program("torch.relu(x)");
        const auto model = tonnx::export_program(net, args);
        model.verify(net, args);
        inner = model.text();
        const at::Tensor after = before.sigmoid();
        t.output(&after);
      },
      args);
  EXPECT_THAT(inner, HasSubstr("onnx::Relu"));
  const std::string text = exported(program);
  EXPECT_THAT(text, HasSubstr("onnx::Tanh"));
  EXPECT_THAT(text, HasSubstr("onnx::Sigmoid"));
  EXPECT_THAT(text, Not(HasSubstr("onnx::Relu")));
}

TEST(Trace, OperatorsThatAnExportRunsAreNotRecorded) {
  const auto args = host::args({numbers()});
  const auto program = Program::trace(
      [&](Trace& t) {
        const auto net = host::program("torch.gelu(torch.gelu(x))");
        tonnx::export_program(net, args);
        const at::Tensor result = tensor(t.input(0)).sigmoid();
        t.output(&result);
      },
      args);
  EXPECT_THAT(program.text(args), Not(HasSubstr("constant_")));
  EXPECT_THAT(exported(program), HasSubstr("onnx::Sigmoid"));
}

TEST(Trace, WeightsAreNamedAndUndeclaredOnesNumbered) {
  const at::Tensor weight = at::randn({3, 4}), bias = at::randn({4}), scale = at::rand({4}) + 0.5;
  const auto program = Program::trace(
      [&](Trace& t) {
        t.weight("layer.weight", &weight);
        const at::Tensor y = (at::mm(tensor(t.input(0)), weight) + bias) * scale;
        t.output(&y, "y");
      },
      host::args({numbers()}));
  const std::string text = exported(program);
  EXPECT_THAT(text, HasSubstr("layer.weight"));
  EXPECT_THAT(text, HasSubstr("constant_0"));
  EXPECT_THAT(text, HasSubstr("constant_1"));
  EXPECT_THAT(text, Not(HasSubstr("constant_2")));
  EXPECT_THAT(text, HasSubstr("%y"));
}

TEST(Trace, AViewOfADeclaredWeightSharesItsBytes) {
  const at::Tensor weight = at::randn({400, 300}) / 20;  // so that the sums do not lose their last digits
  const auto program = Program::trace(
      [&](Trace& t) {
        t.weight("weight", &weight);
        const at::Tensor y = at::mm(tensor(t.input(0)), weight.t()).relu();
        const at::Tensor z = at::mm(y, weight);
        t.output(&z);
      },
      host::args({at::randn({2, 300})}));
  const auto model = tonnx::export_program(program, tonnx::Args());
  model.verify(program, tonnx::Args());
  EXPECT_THAT(model.text(), HasSubstr("weight"));
  EXPECT_LT(model.bytes().size(), 2 * 400 * 300 * sizeof(float)) << "the weight is stored once";

  // A view made before the recording, of a weight that is declared.
  const at::Tensor turned = weight.t();
  const auto outside = Program::trace(
      [&](Trace& t) {
        t.weight("weight", &weight);
        const at::Tensor y = at::mm(at::mm(tensor(t.input(0)), turned), weight);
        t.output(&y);
      },
      host::args({at::randn({2, 300})}));
  const auto second = tonnx::export_program(outside, tonnx::Args());
  second.verify(outside, tonnx::Args());
  EXPECT_THAT(second.text(), HasSubstr("weight"));
}

TEST(Trace, AWrongWeightOrOutputIsRefused) {
  const at::Tensor undefined, weight = at::ones({3});
  Program::trace(
      [&](Trace& t) {
        EXPECT_EQ(failure([&] { t.weight("w", &undefined); }).status(), TONNX_STATUS_ARGUMENT);
        EXPECT_EQ(failure([&] { t.weight("w", nullptr); }).status(), TONNX_STATUS_ARGUMENT);
        EXPECT_EQ(failure([&] { t.weight("", &weight); }).status(), TONNX_STATUS_ARGUMENT);
        EXPECT_EQ(failure([&] { t.output(&undefined); }).status(), TONNX_STATUS_ARGUMENT);
        EXPECT_EQ(failure([&] { t.output(nullptr, "y"); }).status(), TONNX_STATUS_ARGUMENT);
        EXPECT_EQ(failure([&] { t.leave(); }).status(), TONNX_STATUS_ARGUMENT);
        EXPECT_EQ(t.input_count(), 1u);
        EXPECT_EQ(t.input(1), nullptr);
        t.output(t.input(0));
      },
      host::args({numbers()}));
}

TEST(Trace, ModulesNest) {
  const auto args = host::args({numbers()});
  const auto record = [&](bool leave) {
    return Program::trace(
        [&](Trace& t) {
          t.enter("Net", "");
          t.enter("Block", "block");
          t.enter("Act", "act");
          const at::Tensor y = tensor(t.input(0)).nan_to_num();
          if (leave) {
            t.leave();
            t.leave();
            t.leave();
            EXPECT_EQ(failure([&] { t.leave(); }).status(), TONNX_STATUS_ARGUMENT);
          }
          t.output(&y);
        },
        host::args({numbers()}));
  };
  for (const bool leave : {true, false}) {
    const auto program = record(leave);
    tonnx::Options options;
    options.opset(7);
    const auto error = failure([&] { tonnx::export_program(program, args, options); });
    ASSERT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED) << error.what();
    EXPECT_EQ(error.reasons().at(0).op, "aten::nan_to_num");
    EXPECT_EQ(error.reasons().at(0).module, "block.act");
  }
  // A module that was entered and not left does not affect the next trace.
  const auto next = Program::trace(
      [&](Trace& t) {
        const at::Tensor y = tensor(t.input(0)).nan_to_num();
        t.output(&y);
      },
      host::args({numbers()}));
  tonnx::Options options;
  options.opset(7);
  EXPECT_EQ(failure([&] { tonnx::export_program(next, args, options); }).reasons().at(0).module, "");
}

TEST(Trace, TwoThreadsRecordAtOnce) {
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < texts.size(); ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        const auto program = Program::trace(
            [&](Trace& t) {
              at::Tensor y = tensor(t.input(0));
              for (std::size_t k = 0; k <= i; ++k) {
                y = i % 2 ? y.sigmoid() : y.tanh();
                std::this_thread::yield();
              }
              t.output(&y);
            },
            host::args({numbers()}));
        texts[i] = exported(program);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string mine = i % 2 ? "onnx::Sigmoid" : "onnx::Tanh", other = i % 2 ? "onnx::Tanh" : "onnx::Sigmoid";
    std::size_t count = 0;
    for (std::size_t at = texts[i].find(mine); at != std::string::npos; at = texts[i].find(mine, at + 1)) ++count;
    EXPECT_EQ(count, i + 1) << texts[i];
    EXPECT_THAT(texts[i], Not(HasSubstr(other)));
  }
}

TEST(Trace, WhatTheTracerCannotSeeIsRefusedByName) {
  const auto error = failure([] {
    Program::trace(
        [&](Trace& t) {
          t.enter("Net", "");
          t.enter("Act", "act");
          const at::Tensor y = tensor(t.input(0)).relu();
          t.leave();
          t.leave();
          y.data_ptr<float>()[0] = 100;
          t.output(&y, "y");
        },
        host::args({numbers()}));
  });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(error.what(), HasSubstr("the result of aten::relu in act"));
  EXPECT_THAT(error.what(), HasSubstr("copy_"));
}

TEST(Trace, F100_ATensorReadAsANumberIsReported) {
  const auto program = Program::trace(
      [&](Trace& t) {
        const at::Tensor& x = tensor(t.input(0));
        const at::Tensor y = x * x.sum().item<double>();
        t.output(&y);
      },
      host::args({numbers()}));
  const auto model = tonnx::export_program(program, tonnx::Args());
  model.verify(program, tonnx::Args());
  EXPECT_FALSE(model.warnings().empty()) << "a value that depends on the input is a constant of the model";
}

TEST(Trace, F92_AQuantisedInputHasItsScaleAsInput) {
  const at::Tensor one = at::quantize_per_tensor(at::arange(6.f).view({2, 3}), 0.5, 3, at::kQInt8);
  const at::Tensor channels = at::quantize_per_channel(at::arange(6.f).view({2, 3}), at::tensor({0.5, 2.0}),
                                                       at::tensor({1, 0}), 0, at::kQUInt8);
  const auto program = Program::trace(
      [&](Trace& t) {
        const at::Tensor y = tensor(t.input(0)).dequantize() + tensor(t.input(1)).dequantize() * tensor(t.input(2));
        t.output(&y, "y");
        t.output(t.input(1), "same");
      },
      host::args({one, channels, numbers()}));
  const auto model = tonnx::export_program(program, tonnx::Args());
  model.verify(program, tonnx::Args());
  EXPECT_TRUE(model.warnings().empty());
  std::vector<std::string> names;
  const tonnx::Contents contents = model.contents();
  for (const tonnx::Value& value : contents.inputs()) names.push_back(value.name());
  EXPECT_THAT(names, testing::ElementsAre("input_0", "input_0_scale", "input_0_zero_point", "input_1", "input_1_scale",
                                          "input_1_zero_point", "input_2"));
}

TEST(Trace, F92_AScaleThatTheHostReadsIsReported) {
  const at::Tensor input = at::quantize_per_tensor(at::arange(6.f).view({2, 3}), 0.5, 3, at::kQInt8);
  const auto program = Program::trace(
      [&](Trace& t) {
        const at::Tensor& x = tensor(t.input(0));
        const at::Tensor y = x.dequantize() * x.q_scale();
        t.output(&y);
      },
      host::args({input}));
  EXPECT_THAT(tonnx::export_program(program, tonnx::Args()).warnings(), testing::Contains(HasSubstr("constant")));
  const auto branching = Program::trace(
      [&](Trace& t) {
        const at::Tensor& x = tensor(t.input(0));
        const at::Tensor y = x.q_scale() > 0.3 ? x.dequantize() * 2 : x.dequantize();
        t.output(&y);
      },
      host::args({input}), tonnx::TraceOptions().other_values(true));
  EXPECT_THAT(tonnx::export_program(branching, tonnx::Args()).warnings(), testing::Contains(HasSubstr("constant")));
}

TEST(Trace, F92_QuantisedInputsMayHaveDynamicAxes) {
  const at::Tensor one = at::quantize_per_tensor(at::arange(6.f).view({2, 3}), 0.5, 3, at::kQInt8);
  const at::Tensor channels = at::quantize_per_channel(at::arange(6.f).view({2, 3}), at::tensor({0.5, 2.0, 0.25}),
                                                       at::tensor({1, 0, 2}), 1, at::kQUInt8);
  const auto run = [](Trace& t) {
    const at::Tensor a = tensor(t.input(0)), b = tensor(t.input(1)), c = tensor(t.input(2));
    const at::Tensor y = a.dequantize() + b.dequantize() * c / static_cast<double>(a.size(0));
    const at::Tensor again = at::quantize_per_tensor(y, 0.5, 1, at::kQUInt8);
    t.output(&y, "y");
    t.output(&again, "again");
    t.output(t.input(1), "same");
  };
  tonnx::TraceOptions options;
  for (const std::size_t input : {0, 1, 2}) options.dynamic_axis(input, 0, "rows");
  const auto program = Program::trace(run, host::args({one, channels, numbers()}), options);
  const auto model = tonnx::export_program(program, tonnx::Args());
  model.verify(program, tonnx::Args());
  EXPECT_TRUE(model.warnings().empty());
  const tonnx::Contents contents = model.contents();
  for (const tonnx::Value& value : contents.inputs()) {
    const bool is_part = value.name().ends_with("_scale") || value.name().ends_with("_zero_point");
    ASSERT_EQ(value.rank(), is_part ? (value.name().starts_with("input_1") ? 1u : 0u) : 2u) << value.name();
    if (!is_part) {
      EXPECT_EQ(value.dim_symbol(0), "rows") << value.name();
    }
  }
  tonnx::TraceOptions columns;
  columns.dynamic_axis(1, -1, "columns");
  EXPECT_THAT(failure([&] { Program::trace(run, host::args({one, channels, numbers()}), columns); }),
              host::is_error(TONNX_STATUS_UNSUPPORTED, HasSubstr("channel axis of a quantised tensor")));
}

// The model of a trace takes each path of the code that depends on a size, or the trace is refused.
TEST(Trace, F92_SizesOfQuantisedInputsAreFollowed) {
  const at::Tensor input = at::quantize_per_tensor(at::arange(6.f).view({2, 3}), 0.5, 3, at::kQInt8);
  enum class Inputs { Resized, Empty, Varied, Made };
  const auto traced = [&](const auto& code, Inputs inputs = Inputs::Resized) {
    tonnx::TraceOptions options;
    options.dynamic_axis(0, 0, "rows");
    if (inputs == Inputs::Empty) options.size("rows", 0);
    if (inputs == Inputs::Varied) options.other_values(true);
    if (inputs == Inputs::Made)
      options.resize([](const std::map<std::string, std::int64_t>& sizes) {  // each with another scale
        const std::int64_t rows = sizes.at("rows");
        return host::args(
            {at::quantize_per_tensor(at::ones({rows, 3}), 0.25 * static_cast<double>(rows), 0, at::kQInt8)});
      });
    return Program::trace(
        [&](Trace& t) {
          const at::Tensor y = code(tensor(t.input(0)));
          t.output(&y, "y");
        },
        host::args({input}), options);
  };
  const auto verify = [](const Program& program) {
    tonnx::export_program(program, tonnx::Args()).verify(program, tonnx::Args());
  };
  for (const Inputs inputs : {Inputs::Resized, Inputs::Empty, Inputs::Varied, Inputs::Made}) {
    verify(traced([](const at::Tensor& x) { return x.dequantize().view({x.size(0) * 3}) * x.size(0); }, inputs));
    verify(traced([](const at::Tensor& x) { return at::cat({x, x}, 0).int_repr(); }, inputs));
    EXPECT_EQ(failure([&] {
                traced([](const at::Tensor& x) { return x.size(0) == 2 ? x.dequantize() : x.dequantize() + 1; },
                       inputs);
              }).status(),
              TONNX_STATUS_UNSUPPORTED);
  }
  // A scale that the host reads would be a constant.
  EXPECT_EQ(
      failure([&] { traced([](const at::Tensor& x) { return x.dequantize() * x.q_scale(); }, Inputs::Made); }).status(),
      TONNX_STATUS_UNSUPPORTED);
}

TEST(Trace, AnInputMayBeAnOutput) {
  const auto program = Program::trace(
      [](Trace& t) {
        t.output(t.input(0), "same");
        t.output(t.input(0), "again");
        const at::Tensor y = tensor(t.input(1)) + 1;
        t.output(&y, "more");
      },
      host::args({numbers(), numbers()}), tonnx::TraceOptions().single_run(true));
  const auto model = tonnx::export_program(program, tonnx::Args());
  model.verify(program, tonnx::Args());
  EXPECT_EQ(model.input_names(), (std::vector<std::string>{"input_0", "input_1"}));
  EXPECT_EQ(model.output_names(), (std::vector<std::string>{"same", "again", "more"}));

  // Also where they are named dynamic.
  tonnx::Options options;
  options.dynamic_axis("input_0", 0, "rows").dynamic_axis("input_1", 0, "rows").dynamic_axis("again", 0, "rows");
  EXPECT_THAT(tonnx::export_program(program, tonnx::Args(), options).text(), HasSubstr("%again"));
}

TEST(Trace, AWeightMayBeAnOutput) {
  const at::Tensor weight = at::randn({3});
  const auto program = Program::trace(
      [&](Trace& t) {
        t.weight("w", &weight);
        t.output(&weight);
        const at::Tensor y = tensor(t.input(0)) + weight;
        t.output(&y);
      },
      host::args({numbers()}));
  exported(program);
}

TEST(Trace, AWriteOnTheInputStaysInTheTrace) {
  const at::Tensor given = numbers();
  const at::Tensor before = given.clone();
  const auto program = Program::trace(
      [](Trace& t) {
        at::Tensor& x = tensor(t.input(0));
        x.add_(1);
        x.select(0, 1).mul_(10);
        const at::Tensor y = x.relu();
        t.output(&y);
        t.output(&x);
      },
      host::args({given}));
  EXPECT_TRUE(at::equal(given, before)) << "the caller's tensor is not written";
  exported(program);
}

TEST(Trace, TensorsOfSizeZero) {
  const at::Tensor empty = at::zeros({0, 3}), weight = at::randn({3, 2});
  const auto program = Program::trace(
      [&](Trace& t) {
        t.weight("weight", &weight);
        const at::Tensor y = at::cat({at::mm(tensor(t.input(0)), weight), tensor(t.input(1))}, 0);
        t.output(&y);
        const at::Tensor z = tensor(t.input(0)) * 2;
        t.output(&z);
      },
      host::args({empty, at::ones({1, 2})}));
  exported(program);
}

TEST(Trace, DynamicAxesAndOtherDtypes) {
  const auto program = Program::trace(
      [](Trace& t) {
        const at::Tensor y = at::where(tensor(t.input(1)), tensor(t.input(0)), tensor(t.input(0)).neg());
        t.output(&y, "y");
      },
      tonnx::Args()
          .key("x")
          .add([] {
            const at::Tensor x = at::randn({4, 2}, at::kDouble);
            return tonnx::Tensor::from_torch(&x);
          }())
          .key("mask")
          .add([] {
            const at::Tensor m = at::rand({4, 1}) > 0.5;
            return tonnx::Tensor::from_torch(&m);
          }()),
      tonnx::TraceOptions().dynamic_axis(0, 0, "rows").dynamic_axis(1, 0, "rows"));
  const std::string text = exported(program);
  EXPECT_THAT(text, HasSubstr("Double(rows, 2)"));
  EXPECT_THAT(text, HasSubstr("Bool(rows, 1)"));
}

TEST(Trace, GradModeIsTheCallers) {
  at::Tensor weight = at::randn({3});
  weight.set_requires_grad(true);
  const auto program = Program::trace(
      [&](Trace& t) {
        EXPECT_TRUE(at::GradMode::is_enabled());
        t.weight("weight", &weight);
        const at::Tensor y = tensor(t.input(0)) * weight;
        EXPECT_TRUE(y.requires_grad());
        t.output(&y);
      },
      host::args({numbers()}));
  EXPECT_THAT(exported(program), HasSubstr("weight"));
}

TEST(Trace, TheRecordedProgramHasATextFormAndOneMethod) {
  const auto program = Program::trace(
      [](Trace& t) {
        const at::Tensor y = tensor(t.input(0)).relu();
        t.output(&y);
      },
      host::args({numbers()}));
  EXPECT_EQ(program.methods(), std::vector<std::string>{"forward"});
  EXPECT_THAT(program.text(tonnx::Args()), HasSubstr("aten::relu"));
  tonnx::Options options;
  options.method("encode");
  EXPECT_THAT(failure([&] { tonnx::export_program(program, tonnx::Args(), options); }),
              host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("encode")));
}
