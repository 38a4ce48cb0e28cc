#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <pthread.h>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <unistd.h>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "error_matchers.h"
#include "host.h"

// The events that an observer receives, and cancelling the call at each of them.
using host::args;
using host::failure;
using host::is_error;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsSupersetOf;
using tonnx::Args;
using tonnx::Event;
using tonnx::Model;
using tonnx::Observer;
using tonnx::Options;
using tonnx::Program;
using tonnx::TraceOptions;
using tonnx::VerifyOptions;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

struct Seen {
  std::int32_t kind, level, category;
  std::string stage;
  std::int64_t done, total;
  bool is_bytes;
  std::string text, module, source;
};

Observer collector(std::vector<Seen>& seen) {
  return Observer([&seen](const Event& event) {
    seen.push_back({event.kind(), event.level(), event.category(), event.stage(), event.done(), event.total(),
                    event.is_bytes(), event.text(), event.module(), event.source()});
  });
}

std::set<std::string> stages_of(const std::vector<Seen>& seen) {
  std::set<std::string> stages;
  for (const Seen& each : seen) stages.insert(each.stage);
  return stages;
}

// The events of one kind.
std::vector<Seen> of_kind(std::vector<Seen> seen, std::int32_t kind) {
  std::erase_if(seen, [&](const Seen& each) { return each.kind != kind; });
  return seen;
}

// A program with a loop of a dynamic trip count, one that is unrolled, and a write to a buffer.
Program loops() {
  const at::Tensor weight = at::randn({3, 3}), count = at::zeros({3});
  Args state;
  state.key("layer.weight").add(tonnx::Tensor::from_torch(&weight));
  state.key("layer.count").add(tonnx::Tensor::from_torch(&count));
  return Program::compile(R"(
def forward(self, x):
    for i in range(2):
        x = torch.relu(torch.mm(x, self.layer.weight))
    for i in range(int(x.sum())):
        x = x + 1
    self.layer.count.add_(1)
    return x
)",
                          state, "net.py");
}

Args all_ones() { return args({at::ones({2, 3})}); }

// Cancels a call at its first event, then again at its second one, and so on until the call ends before that. `check`
// runs after each attempt.
std::size_t cancel_at_each_event(const std::function<void(const Observer&)>& call, const std::function<void()>& check) {
  for (std::size_t k = 1;; ++k) {
    std::size_t count = 0;
    Observer observer([&](const Event&) { return ++count != k; });
    observer.level(TONNX_LEVEL_DEBUG);
    try {
      call(observer);
      EXPECT_LT(count, k);
      return count;
    } catch (const tonnx::Error& error) {
      EXPECT_THAT(error, is_error(TONNX_STATUS_CANCELLED, HasSubstr("cancelled"))) << "at event " << k;
      EXPECT_EQ(error.class_name(), "CancelledError");
      EXPECT_EQ(count, k) << "events after the one that cancelled";
      if (error.status() != TONNX_STATUS_CANCELLED) return count;
    }
    check();
  }
}

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Runs `call` with an observer that cancels once `after` has passed; returns the seconds of processor time from then to
// the end of the call, or nullopt if the call ended before.
std::optional<double> latency(const std::function<void(const Observer&)>& call, std::chrono::milliseconds after) {
  std::stop_source source;
  clockid_t own{};
  ::pthread_getcpuclockid(::pthread_self(), &own);
  double asked = 0;
  Clock::time_point begin;
  std::jthread timer([&](const std::stop_token& over) {
    const Clock::time_point end = Clock::now() + after;
    while (Clock::now() < end && !over.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    asked = seconds_of(own);
    begin = Clock::now();
    source.request_stop();
  });
  const Observer observer(source.get_token());
  try {
    call(observer);
    return std::nullopt;
  } catch (const tonnx::Error& error) {
    const double end = seconds_of(own);
    EXPECT_EQ(error.status(), TONNX_STATUS_CANCELLED) << error.what();
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
    timer.join();
    return end - asked;
  }
}

// From a cancel to the end of the call, in processor time: other programs may delay this one.
// Calls take about ten times as long under a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kLongest = 2;
#else
constexpr double kLongest = 0.2;
#endif

// Cancels a call that takes some seconds at `count` times, spread over its duration.
void expect_quick_cancels(const std::function<void(const Observer&)>& call, int count) {
  const Clock::time_point start = Clock::now();
  call(Observer([](const Event&) {}));
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  EXPECT_GT(whole.count(), 250) << "the call is too short to be cancelled";
  double longest = 0;
  for (int i = 0; i < count; ++i)
    if (const auto seconds = latency(call, whole * i / count)) longest = std::max(longest, *seconds);
  testing::Test::RecordProperty("longest_ms", static_cast<int>(longest * 1000));
  EXPECT_LT(longest, kLongest) << "of a call of " << whole.count() << " ms";
}

TEST(Observers, F72_ReceiveWhatAnExportDoes) {
  std::vector<Seen> seen;
  Observer observer = collector(seen);
  observer.level(TONNX_LEVEL_DEBUG);
  const Program program = loops();
  const Model model = export_program(program, all_ones(), Options().observer(observer));
  EXPECT_THAT(stages_of(seen),
              IsSupersetOf({"import", "program passes", "lowering", "model passes", "names and checker"}));
  const std::vector<Seen> logs = of_kind(seen, TONNX_EVENT_LOG), warnings = of_kind(seen, TONNX_EVENT_WARNING);
  EXPECT_THAT(logs, Contains(testing::AllOf(Field(&Seen::text, HasSubstr("the loop stays a Loop: its trip count")),
                                            Field(&Seen::level, TONNX_LEVEL_INFO),
                                            Field(&Seen::source, HasSubstr("net.py:5")))));
  EXPECT_THAT(logs, Contains(Field(&Seen::text, HasSubstr("the loop is unrolled: it has 2 iterations"))));
  EXPECT_THAT(logs, Contains(Field(&Seen::text, HasSubstr("aten::mm is converted by the lowering aten::mm"))));
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_EQ(warnings[0].category, TONNX_CATEGORY_STATE);
  EXPECT_EQ(tonnx::category_name(warnings[0].category), "state");
  EXPECT_THAT(model.warnings(), ElementsAre(warnings[0].text));
  bool counts = false;
  for (const Seen& each : of_kind(seen, TONNX_EVENT_PROGRESS)) {
    EXPECT_LE(each.done, each.total > 0 ? each.total : each.done) << each.stage;
    counts |= each.stage == "lowering" && each.total > 0;
  }
  EXPECT_TRUE(counts);
}

TEST(Observers, ReceiveLogsOfTheirLevelOnly) {
  std::vector<Seen> info, none;
  const Program program = loops();
  export_program(program, all_ones(), Options().observer(collector(info)));
  EXPECT_THAT(of_kind(info, TONNX_EVENT_LOG), Contains(Field(&Seen::text, HasSubstr("imported"))));
  for (const Seen& each : of_kind(info, TONNX_EVENT_LOG)) EXPECT_EQ(each.level, TONNX_LEVEL_INFO) << each.text;
  Observer warnings = collector(none);
  warnings.level(TONNX_LEVEL_WARNING);
  export_program(program, all_ones(), Options().observer(warnings));
  EXPECT_THAT(of_kind(none, TONNX_EVENT_LOG), testing::IsEmpty());
  EXPECT_EQ(of_kind(none, TONNX_EVENT_WARNING).size(), 1);
}

TEST(Observers, ReceiveWarningsOfAnExportThatFails) {
  std::vector<Seen> seen;
  const at::Tensor count = at::zeros({3});
  Args state;
  state.key("count").add(tonnx::Tensor::from_torch(&count));
  const Program program = Program::compile(R"(
def forward(self, x):
    self.count.add_(1)
    return torch.linalg.ldl_factor(x)[0]
)",
                                           state, "net.py");
  Options options;
  options.mode(TONNX_MODE_SCRIPT).observer(collector(seen));
  EXPECT_EQ(failure([&] { export_program(program, args({at::eye(3)}), options); }).status(), TONNX_STATUS_UNSUPPORTED);
  const std::vector<Seen> warnings = of_kind(seen, TONNX_EVENT_WARNING);
  ASSERT_THAT(warnings, Contains(Field(&Seen::category, TONNX_CATEGORY_STATE)));
  EXPECT_THAT(warnings, Contains(Field(&Seen::source, "net.py:3")));
}

TEST(Observers, ReceiveTheOperatorOfAWarning) {
  torch::jit::Module inner("Inner"), outer("Net");
  inner.define("def forward(self, x):\n    return x.add_(1)\n");
  outer.register_module("inner", inner);
  outer.define("def forward(self, x):\n    return self.inner.forward(x)\n");
  std::vector<Seen> seen;
  export_program(host::load(outer), all_ones(), Options().observer(collector(seen)));
  EXPECT_THAT(of_kind(seen, TONNX_EVENT_WARNING), ElementsAre(Field(&Seen::module, "inner")));
}

TEST(Observers, ReceiveTracesAndVerifications) {
  std::vector<Seen> seen, verified;
  const auto code = [](tonnx::Trace& trace) {
    const at::Tensor& x = host::tensor(trace.input(0));
    const at::Tensor y = x * 2 + x.sum().item<float>();
    trace.output(&y);
  };
  const Program program =
      Program::trace(code, all_ones(), TraceOptions().other_values(false).observer(collector(seen)));
  EXPECT_THAT(stages_of(seen), ElementsAre("trace"));
  EXPECT_THAT(of_kind(seen, TONNX_EVENT_WARNING), Contains(Field(&Seen::category, TONNX_CATEGORY_TRACE)));
  const Model model = export_program(program, all_ones());
  model.verify(program, all_ones(), VerifyOptions().observer(collector(verified)));
  EXPECT_THAT(stages_of(verified), Contains("verification"));
}

TEST(Observers, CancelAnExportAtEachEvent) {
  const Program program = loops();
  const std::string whole = export_program(program, all_ones()).bytes();
  const std::size_t count = cancel_at_each_event(
      [&](const Observer& observer) {
        EXPECT_EQ(export_program(program, all_ones(), Options().observer(observer)).bytes(), whole);
      },
      [&] { EXPECT_EQ(export_program(program, all_ones()).bytes(), whole); });
  EXPECT_GT(count, 20);
}

TEST(Observers, CancelARecordedScriptAtEachEvent) {
  const auto options = [] { return std::move(Options().mode(TONNX_MODE_TRACE).dynamic_axis("x", 0, "n")); };
  const Program plain = host::program("torch.relu(torch.mm(x, x.t())).sum(0)");
  const std::string whole = export_program(plain, all_ones(), options()).bytes();
  const std::size_t count = cancel_at_each_event(
      [&](const Observer& observer) {
        EXPECT_EQ(export_program(plain, all_ones(), options().observer(observer)).bytes(), whole);
      },
      [&, k = 0]() mutable {
        if (++k % 10 != 0) return;
        EXPECT_EQ(export_program(plain, all_ones(), options()).bytes(), whole);
      });
  EXPECT_GT(count, 10);
}

TEST(Observers, CancelATraceAtEachEvent) {
  const auto code = [](tonnx::Trace& trace) {
    const at::Tensor y = at::relu(host::tensor(trace.input(0))).flatten();
    trace.output(&y);
  };
  const auto options = [] { return std::move(TraceOptions().dynamic_axis(0, 0, "n")); };
  const std::size_t count = cancel_at_each_event(
      [&](const Observer& observer) { Program::trace(code, all_ones(), options().observer(observer)); },
      [&] { Program::trace(code, all_ones(), options()); });
  EXPECT_GT(count, 5);
}

TEST(Observers, EndTheTraceThatTheyCancel) {
  int count = 0;
  const TraceOptions options = std::move(TraceOptions().observer(Observer([&](const Event&) { return ++count != 2; })));
  tonnx::Recording recording(all_ones(), options);
  recording.output(recording.input(0));
  EXPECT_EQ(failure([&] { recording.next(); }).status(), TONNX_STATUS_CANCELLED);
  EXPECT_EQ(failure([&] { recording.next(); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(failure([&] { recording.end(); }).status(), TONNX_STATUS_ARGUMENT);
  tonnx::Recording other(all_ones());
  other.output(other.input(0));
  EXPECT_FALSE(other.next());
}

TEST(Observers, CancelAVerificationAtEachEvent) {
  const Program program = host::program("torch.relu(torch.mm(x, x.t()))");
  const Model model = export_program(program, all_ones(), Options().dynamic_axis("x", 0, "n"));
  const std::size_t count = cancel_at_each_event(
      [&](const Observer& observer) { model.verify(program, all_ones(), VerifyOptions().observer(observer)); },
      [&] { model.verify(program, all_ones()); });
  EXPECT_GE(count, 2);
}

TEST(Observers, CancelASearchAtEachEvent) {
  const Program program = host::program("torch.relu(torch.mm(x, x.t())).sum(0)");
  std::set<std::string> stages;
  const std::size_t count = cancel_at_each_event(
      [&](const Observer& observer) {
        find_mismatch(program, all_ones(), Options(), nullptr, VerifyOptions().every_operator(true).observer(observer));
      },
      [] {});
  EXPECT_GT(count, 10);
  EXPECT_FALSE(find_mismatch(program, all_ones()).found());
  std::vector<Seen> seen;
  find_mismatch(program, all_ones(), Options().observer(collector(seen)), nullptr,
                VerifyOptions().every_operator(true));
  EXPECT_THAT(stages_of(seen), IsSupersetOf({"lowering", "verification", "search"}));
}

TEST(Observers, CancelASaveAtEachEventAndLeaveNoFile) {
  const at::Tensor weight = at::randn({1 << 22});
  Args state;
  state.key("weight").add(tonnx::Tensor::from_torch(&weight));
  const Program program = Program::compile("def forward(self, x):\n    return x * self.weight\n", state, "net.py");
  const Model model = export_program(program, args({at::ones({1})}));
  for (const std::int32_t where : {TONNX_EXTERNAL_DATA_NO, TONNX_EXTERNAL_DATA_YES, TONNX_EXTERNAL_DATA_EACH}) {
    const host::Folder folder;
    const std::string path = folder.path() / "model.onnx";
    const std::size_t count = cancel_at_each_event(
        [&](const Observer& observer) {
          model.save(path, tonnx::SaveOptions().external_data(where).observer(observer));
        },
        [&] { EXPECT_THAT(folder.names(), ElementsAre()); });
    EXPECT_GE(count, 2);
    EXPECT_THAT(folder.names(), Contains("model.onnx"));
  }
  std::vector<Seen> seen;
  const host::Folder folder;
  model.save(folder.path() / "model.onnx", tonnx::SaveOptions().observer(collector(seen)));
  EXPECT_EQ(seen.front().stage, "writing");
  EXPECT_TRUE(seen.back().is_bytes);
  EXPECT_EQ(seen.back().done, seen.back().total);
  EXPECT_EQ(seen.back().total, static_cast<std::int64_t>(fs::file_size(folder.path() / "model.onnx")));
}

TEST(Observers, ExceptionsOfTheirFunctionsAreTheCause) {
  const Program program = loops();
  const Observer observer([](const Event&) { throw std::out_of_range("the list of events is full"); });
  try {
    export_program(program, all_ones(), Options().observer(observer));
    FAIL() << "the export succeeded";
  } catch (const tonnx::Error& error) {
    EXPECT_THAT(error, is_error(TONNX_STATUS_CALLBACK, testing::StrEq("the list of events is full")));
    EXPECT_THROW(std::rethrow_exception(error.cause()), std::out_of_range);
  }
  export_program(program, all_ones());
}

TEST(Observers, MayCallTonnxWithOtherObjects) {
  const Program program = loops(), other = loops();
  int calls = 0, refused = 0;
  const Observer observer([&](const Event&) {
    ++calls;
    export_program(other, all_ones(), Options().mode(calls % 2 ? TONNX_MODE_AUTO : TONNX_MODE_SCRIPT));
    try {
      export_program(program, all_ones());
    } catch (const tonnx::Error& error) {
      EXPECT_THAT(error, is_error(TONNX_STATUS_ARGUMENT, HasSubstr("a callback called tonnx with the program")));
      ++refused;
    }
  });
  export_program(program, all_ones(), Options().observer(observer));
  EXPECT_GT(calls, 5);
  EXPECT_LT(refused, calls);
  // While the program runs in LibTorch it is in use.
  int used = 0;
  const Program slow = host::program("torch.relu(x)");
  const Model model = export_program(slow, all_ones());
  const Observer inner([&](const Event&) { used += 1; });
  model.verify(slow, all_ones(), VerifyOptions().observer(inner));
  EXPECT_GT(used, 0);
}

TEST(Observers, AreFreedByTheLastOneThatUsesThem) {
  static int freed = 0;
  tonnx_observer* observer = nullptr;
  ASSERT_EQ(tonnx_observer_new(
                &observer, [](const tonnx_event*, void*) { return 0; }, &freed,
                [](void* user) { ++*static_cast<int*>(user); }, nullptr),
            TONNX_STATUS_OK);
  tonnx_options* options = nullptr;
  ASSERT_EQ(tonnx_options_new(&options, nullptr), TONNX_STATUS_OK);
  EXPECT_EQ(tonnx_options_set_observer(options, observer, nullptr), TONNX_STATUS_OK);
  tonnx_observer_free(observer);
  EXPECT_EQ(freed, 0);
  EXPECT_EQ(tonnx_options_set_observer(options, nullptr, nullptr), TONNX_STATUS_OK);
  EXPECT_EQ(freed, 1);
  tonnx_options_free(options);
  EXPECT_EQ(freed, 1);
}

TEST(Observers, CancelAtOnceDuringALargeExport) {
  std::string body = "def forward(self, x):\n";
  for (int i = 0; i < 2500; ++i) body += "    x = torch.relu(torch.mm(x, x) + x[" + std::to_string(i % 3) + "])\n";
  const Program program = Program::compile(body + "    return x\n", Args(), "large.py");
  const Args inputs = args({at::ones({3, 3})});
  expect_quick_cancels(
      [&](const Observer& observer) {
        export_program(program, inputs,
                       Options().dynamic_axis("x", 0, "n").dynamic_axis("x", 1, "n").observer(observer));
      },
      12);
}

TEST(Observers, CancelAtOnceWhileAProgramRuns) {
  const Program program = Program::compile(
      "def forward(self, x):\n"
      "    for i in range(int(x[0, 0])):\n"
      "        x = torch.tanh(torch.mm(x, x)) + 1e-3\n"
      "    return x\n",
      Args(), "slow.py");
  const Args few = args({at::full({256, 256}, 2)}), many = args({at::full({256, 256}, 1500)});
  const Model model = export_program(program, few);
  expect_quick_cancels(
      [&](const Observer& observer) {
        try {
          model.verify(program, many, VerifyOptions().rtol(10).atol(10).observer(observer));
        } catch (const tonnx::Error& error) {
          if (error.status() != TONNX_STATUS_VERIFICATION) throw;
        }
      },
      6);
}

TEST(Observers, CancelAtOnceWhileALoopOfNumbersRuns) {
  const Program program = Program::compile(
      "def step(n: int) -> int:\n"
      "    return n + 1\n"
      "def forward(self, x):\n"
      "    n = 0\n"
      "    m = int(x[0])\n"
      "    while n < m:\n"
      "        if n % 2 == 0:\n"
      "            n = step(n)\n"
      "        else:\n"
      "            n += 1\n"
      "    return x + n\n",
      Args(), "numbers.py");
  const Args few = args({at::full({1}, 3.0)}), many = args({at::full({1}, 4e6)}), verified = args({at::full({1}, 1e6)});
  const Model model = export_program(program, few);
  expect_quick_cancels(
      [&](const Observer& observer) {
        try {
          model.verify(program, verified, VerifyOptions().observer(observer));
        } catch (const tonnx::Error& error) {
          if (error.status() != TONNX_STATUS_VERIFICATION) throw;
        }
      },
      2);
  expect_quick_cancels(
      [&](const Observer& observer) {
        try {
          export_program(program, many, Options().mode(TONNX_MODE_TRACE).observer(observer));
        } catch (const tonnx::Error& error) {  // the recording depends on the number
          if (error.status() != TONNX_STATUS_UNSUPPORTED) throw;
        }
      },
      2);
}

// LibTorch's interpreter runs a program of more than a thousand operators on another thread.
TEST(Observers, CancelAtOnceWhileALongProgramRuns) {
  std::string body = "def forward(self, x):\n";
  for (int i = 0; i < 1100; ++i) body += "    x = torch.tanh(torch.mm(x, x))\n";
  const Program program = Program::compile(body + "    return x\n", Args(), "long.py");
  const Args inputs = args({at::full({256, 256}, 1e-3)});
  const Model model = export_program(program, inputs);
  int count = 0;
  EXPECT_THAT(
      latency([&](const Observer& observer) { model.verify(program, inputs, VerifyOptions().observer(observer)); },
              std::chrono::milliseconds(400)),
      testing::Optional(testing::Lt(kLongest)));
  const Observer counter([&](const Event&) { ++count; });
  model.verify(program, inputs, VerifyOptions().observer(counter));
  EXPECT_GT(count, 3);
}

}  // namespace
