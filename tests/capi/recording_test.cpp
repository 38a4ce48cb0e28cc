#include <filesystem>
#include <fstream>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/library.h>

#include "host.h"

// A trace between begin and end, without a callback: its recording, and the state after it is abandoned.
using host::failure;
using host::numbers;
using host::tensor;
using testing::HasSubstr;
using tonnx::Recording;

namespace {

// An operator with a memory of its own, which no recording holds.
at::Tensor count(const at::Tensor& x) {
  static int calls = 0;
  const at::AutoDispatchBelowADInplaceOrView inside;
  return x + ++calls;
}

bool tracing() { return torch::jit::tracer::isTracing(); }

// A trace that works, so an earlier one has left no state.
void expect_works() {
  EXPECT_FALSE(tracing());
  const auto args = host::args({numbers()});
  Recording recording(args);
  const at::Tensor y = tensor(recording.input(0)).relu();
  recording.output(&y);
  EXPECT_FALSE(recording.next());
  const auto program = recording.end();
  EXPECT_FALSE(tracing());
  const auto model = tonnx::export_program(program, args);
  model.verify(program);
  EXPECT_THAT(model.text(), HasSubstr("onnx::Relu"));
}

}  // namespace

TORCH_LIBRARY(recording_test, library) { library.def("count(Tensor x) -> Tensor", &count); }

TEST(Recording, F98_ReturnsTheProgramOfACallback) {
  const auto args = host::args({numbers()});
  const at::Tensor weight = at::randn({3, 4});
  const auto body = [&](tonnx::Trace& trace) {
    trace.weight("weight", &weight);
    const tonnx::Trace::Module module(trace, "Linear", "fc");
    const at::Tensor y = tensor(trace.input(0)).matmul(weight);
    trace.output(&y, "y");
  };
  Recording recording(args);
  body(recording);
  const auto program = recording.end();
  const auto called = tonnx::Program::trace(body, args);
  EXPECT_EQ(tonnx::export_program(program, args).bytes(), tonnx::export_program(called, args).bytes());
  expect_works();
}

TEST(Recording, ThatIsAbandonedStops) {
  const auto args = host::args({numbers()});
  {
    Recording recording(args);
  }
  expect_works();
  {
    Recording recording(args);
    const at::Tensor y = tensor(recording.input(0)).relu();
    recording.output(&y);
    recording.next();
  }
  expect_works();
  EXPECT_THROW(
      {
        Recording recording(args);
        at::mm(tensor(recording.input(0)), tensor(recording.input(0)));
      },
      c10::Error);
  expect_works();
  {
    Recording recording(args);
    EXPECT_EQ(failure([&] { recording.end(); }).status(), TONNX_STATUS_ARGUMENT) << "there is no result";
    EXPECT_FALSE(tracing());
  }
  expect_works();
}

TEST(Recording, ThatIsFreedByAnotherThreadStopsAtTheNextOperator) {
  const auto args = host::args({numbers()});
  tonnx_trace* trace = nullptr;
  ASSERT_EQ(tonnx_trace_begin(&trace, args.get(), nullptr, nullptr), TONNX_STATUS_OK);
  std::thread([&] { tonnx_trace_free(trace); }).join();
  const at::Tensor y = numbers().relu();
  EXPECT_TRUE(y.defined());
  expect_works();
}

TEST(Recording, BelongsToItsThread) {
  const auto args = host::args({numbers()});
  Recording recording(args);
  const at::Tensor y = tensor(recording.input(0)).relu();
  std::thread([&] {
    const auto refused = [&](auto&& call) {
      const tonnx::Error error = failure(call);
      EXPECT_EQ(error.status(), TONNX_STATUS_ARGUMENT);
      EXPECT_THAT(error.what(), HasSubstr("thread"));
    };
    refused([&] { recording.next(); });
    refused([&] { recording.end(); });
    refused([&] { recording.output(&y); });
    refused([&] { recording.weight("w", &y); });
    refused([&] { recording.enter("A", "a"); });
    refused([&] { recording.leave(); });
    EXPECT_EQ(recording.input_count(), 0u);
    EXPECT_EQ(recording.input(0), nullptr);
    expect_works();
  }).join();
  recording.output(&y);
  const auto program = recording.end();
  tonnx::export_program(program, args).verify(program);
}

TEST(Recording, NestedIsRefusedAndTheOuterOneSurvives) {
  const auto args = host::args({numbers()});
  Recording recording(args);
  const at::Tensor before = tensor(recording.input(0)).relu();
  EXPECT_EQ(failure([&] { Recording inner(args); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(failure([&] { tonnx::Program::trace([](tonnx::Trace& t) { t.output(t.input(0)); }, args); }).status(),
            TONNX_STATUS_ARGUMENT);
  const at::Tensor after = before.sigmoid();
  recording.output(&after);
  const auto program = recording.end();
  const std::string text = tonnx::export_program(program, args).text();
  EXPECT_THAT(text, HasSubstr("onnx::Relu"));
  EXPECT_THAT(text, HasSubstr("onnx::Sigmoid"));
}

TEST(Recording, HasEndedAfterItsEnd) {
  const auto args = host::args({numbers()});
  Recording recording(args);
  const at::Tensor y = tensor(recording.input(0)).relu();
  recording.output(&y);
  const auto program = recording.end();
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { recording.next(); }, [&] { recording.end(); }, [&] { recording.output(&y); },
           [&] { recording.weight("w", &y); }, [&] { recording.enter("A", "a"); }, [&] { recording.leave(); }})
    EXPECT_EQ(failure(call).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(recording.input_count(), 0u);
  EXPECT_EQ(recording.input(0), nullptr);
  tonnx::export_program(program, args).verify(program);
}

TEST(Recording, AnInputMayBeOwned) {
  const auto args = host::args({numbers()});
  Recording recording(args);
  {
    const std::unique_ptr<at::Tensor> own(static_cast<at::Tensor*>(recording.new_input(0)));
    EXPECT_TRUE(own->is_same(tensor(recording.input(0))));
    const at::Tensor y = own->relu();
    recording.output(&y);
  }
  EXPECT_EQ(failure([&] { recording.new_input(1); }).status(), TONNX_STATUS_ARGUMENT);
  const auto program = recording.end();
  EXPECT_EQ(failure([&] { recording.new_input(0); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_THAT(program.text(args), HasSubstr("aten::relu"));
}

TEST(Recording, AFailedOneReportsTheHostsMessage) {
  const auto args = host::args({numbers()});
  tonnx_trace* trace = nullptr;
  ASSERT_EQ(tonnx_trace_begin(&trace, args.get(), nullptr, nullptr), TONNX_STATUS_OK);
  EXPECT_EQ(tonnx_trace_output(trace, nullptr, tonnx_trace_input(trace, 0), nullptr), TONNX_STATUS_OK);
  tonnx_trace_fail(trace, "the robot has no arm", nullptr, nullptr);
  tonnx_program* program = nullptr;
  tonnx_error* error = nullptr;
  EXPECT_EQ(tonnx_trace_end(&program, trace, &error), TONNX_STATUS_CALLBACK);
  EXPECT_STREQ(tonnx_error_message(error), "the robot has no arm");
  EXPECT_EQ(program, nullptr);
  tonnx_error_free(error);
  tonnx_trace_free(trace);
  expect_works();
}

TEST(Recording, ACallbacksTraceEndsWithTheCallback) {
  const auto args = host::args({numbers()});
  tonnx_program* program = nullptr;
  const auto callback = [](tonnx_trace* trace, void*) -> std::int32_t {
    std::int32_t again = 0;
    tonnx_program* early = nullptr;
    EXPECT_EQ(tonnx_trace_next(&again, trace, nullptr), TONNX_STATUS_ARGUMENT);
    EXPECT_EQ(tonnx_trace_end(&early, trace, nullptr), TONNX_STATUS_ARGUMENT);
    tonnx_trace_free(trace);
    return tonnx_trace_output(trace, nullptr, tonnx_trace_input(trace, 0), nullptr);
  };
  EXPECT_EQ(tonnx_program_trace(&program, callback, nullptr, nullptr, args.get(), nullptr, nullptr), TONNX_STATUS_OK);
  tonnx_program_free(program);
}

TEST(Recording, WeightsAreCopiedUnlessTheyAreShared) {
  const auto args = host::args({numbers()});
  for (const bool share : {false, true}) {
    at::Tensor weight = at::ones({3}), view = weight.slice(0, 1), captured = at::full({3}, 2.f);
    tonnx::TraceOptions options;
    options.share_weights(share);
    Recording recording(args, options);
    recording.weight("weight", &weight);
    recording.weight("view", &view);
    const at::Tensor y = tensor(recording.input(0)) * weight * captured + view.sum();
    recording.output(&y);
    const auto program = recording.end();
    weight.fill_(5);
    captured.fill_(7);
    const auto model = tonnx::export_program(program, args);
    if (share) {
      EXPECT_EQ(failure([&] { model.verify(program); }).status(), TONNX_STATUS_VERIFICATION);
    } else {
      model.verify(program);
    }
  }
}

TEST(Recording, TheExampleMayBeWrittenToAfterwards) {
  at::Tensor example = at::ones({2, 3});
  const auto args = host::args({example});
  Recording recording(args);
  const at::Tensor y = tensor(recording.input(0)) * 2;
  recording.output(&y);
  EXPECT_FALSE(recording.next());
  example.fill_(7);
  const auto program = recording.end();
  example.fill_(8);
  tonnx::export_program(program, tonnx::Args()).verify(program);
}

TEST(Recording, FilesOfArgumentsThatAreLoadedInsideAreNotRecorded) {
  const std::string path = ::testing::TempDir() + "/recorded_args.pt";
  const std::vector<char> bytes = torch::jit::pickle_save(c10::IValue(at::full({2, 3}, 5.f)));
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const auto args = host::args({numbers()});
  Recording recording(args);
  const tonnx::Args loaded = tonnx::Args::load(path);
  const at::Tensor y = tensor(recording.input(0)) + 1;
  recording.output(&y);
  const auto program = recording.end();
  std::filesystem::remove(path);
  EXPECT_EQ(loaded.tensor(0).dtype(), TONNX_DTYPE_FLOAT32);
  const std::string text = program.text(args);
  EXPECT_THAT(text, HasSubstr("aten::add"));
  EXPECT_EQ(text.find("aten::full"), std::string::npos) << text;
  EXPECT_EQ(text.find("constant_"), std::string::npos) << text;
  tonnx::export_program(program, args).verify(program);
}

TEST(Recording, IsRefusedIfASecondRunReturnsSomethingElse) {
  const auto args = host::args({numbers()});
  const auto op = c10::Dispatcher::singleton()
                      .findSchemaOrThrow("recording_test::count", "")
                      .typed<at::Tensor(const at::Tensor&)>();
  const auto body = [&](tonnx::Trace& trace) {
    const at::Tensor y = op.call(tensor(trace.input(0)).relu()).sigmoid();
    trace.output(&y);
  };
  const auto error = failure([&] { tonnx::Program::trace(body, args); });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  const std::string place = "operator 2 of the recording, on the float32[2,3] of operator 1";
  EXPECT_THAT(error.what(),
              HasSubstr("recording_test::count (" + place + ") is the first operator with another result"));
  EXPECT_EQ(error.reasons().at(0).source, place);
  tonnx::TraceOptions options;
  options.replay(false);
  EXPECT_THAT(tonnx::Program::trace(body, args, options).text(args), HasSubstr("recording_test::count"));
  expect_works();
}
