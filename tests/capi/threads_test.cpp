#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tonnx.hpp"

// Const calls of several threads on the same handles, without LibTorch: `make sanitize SANITIZER=thread` runs them,
// too.
namespace {

constexpr int kThreads = 4;

std::string shared_archive() {
  return std::string(std::getenv("TONNX_SOURCE_ROOT")) + "/tests/exported/torch-2.9.1.pt2";
}

// Runs `body` with the number of its thread, on all threads at once.
void together(const std::function<void(int)>& body) {
  std::atomic<int> waiting = kThreads;
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number)
    threads.emplace_back([&, number] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      body(number);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST(Threads, ExportOneProgramAtOnce) {
  const tonnx::Program program = tonnx::Program::load(shared_archive());
  tonnx::Options options;
  options.opset(18);
  tonnx::Registry registry;
  registry.add("aten::relu", 9, [](tonnx::Graph& graph, const tonnx::Node&, const std::vector<tonnx::Value>& inputs) {
    return std::optional(std::vector<tonnx::Value>{graph.op("Relu", {inputs[0]})});
  });
  const std::string bytes = tonnx::export_program(program, {}, options, registry).bytes();
  together([&](int) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(tonnx::export_program(program, {}, options, registry).bytes(), bytes);
    EXPECT_FALSE(registry.entries().empty());
    EXPECT_FALSE(program.text({}).empty());
    const tonnx::Contents contents = program.contents({});
    EXPECT_FALSE(contents.weights().empty());
  });
}

TEST(Threads, ReadOneModelAtOnce) {
  const tonnx::Program program = tonnx::Program::load(shared_archive());
  const tonnx::Model model = tonnx::export_program(program, {});
  const std::string text = model.text(TONNX_TEXT_FULL), bytes = model.bytes();
  const tonnx::Contents contents = model.contents();
  together([&](int number) {
    const std::string path =
        testing::TempDir() + "threads." + std::to_string(getpid()) + "." + std::to_string(number) + ".onnx";
    model.save(path);
    tonnx::check_file(path);
    std::filesystem::remove(path);
    model.check();
    EXPECT_EQ(model.text(TONNX_TEXT_FULL), text);
    EXPECT_EQ(model.bytes(), bytes);
    EXPECT_FALSE(model.call().empty());
    EXPECT_FALSE(model.report().empty());
    EXPECT_EQ(model.difference(model), "");
    for (const tonnx::Value& value : contents.inputs()) EXPECT_NE(value.dim_symbol(0), "");
    for (const tonnx::Value& weight : contents.weights()) {
      const tonnx::Tensor tensor = weight.to_tensor();
      std::vector<char> elements(tensor.size());
      tensor.read(0, elements.data(), elements.size());
    }
  });
}

TEST(Threads, ReadOneTensorAndOneErrorAtOnce) {
  const float values[6] = {0, 1, 2, 3, 4, 5};
  const std::int64_t dims[2] = {3, 2}, strides[2] = {1, 3};
  tonnx_tensor* transposed = nullptr;
  ASSERT_EQ(
      tonnx_tensor_new_borrowed(&transposed, TONNX_DTYPE_FLOAT32, dims, strides, 2, values, nullptr, nullptr, nullptr),
      TONNX_STATUS_OK);
  tonnx_program* program = nullptr;
  tonnx_error* error = nullptr;
  ASSERT_EQ(tonnx_program_load(&program, shared_archive().c_str(), nullptr), TONNX_STATUS_OK);
  tonnx_options* options = nullptr;
  ASSERT_EQ(tonnx_options_new(&options, nullptr), TONNX_STATUS_OK);
  ASSERT_EQ(tonnx_options_add_dynamic_axis(options, "nothing", 0, "n", nullptr), TONNX_STATUS_OK);
  tonnx_model* model = nullptr;
  ASSERT_NE(tonnx_program_export(&model, program, nullptr, options, nullptr, &error), TONNX_STATUS_OK);
  together([&](int) {
    EXPECT_EQ(static_cast<const float*>(tonnx_tensor_data(transposed))[1], 3);
    EXPECT_STRNE(tonnx_error_report(error), "");
    EXPECT_STRNE(tonnx_error_message(error), "");
  });
  tonnx_options_free(options);
  tonnx_error_free(error);
  tonnx_program_free(program);
  tonnx_tensor_free(transposed);
}

TEST(Threads, HaveObserversAndLimitsOfTheirOwn) {
  const tonnx::Program program = tonnx::Program::load(shared_archive());
  std::atomic<int> cancelled = 0;
  together([&](int number) {
    std::atomic<int> events = 0;
    tonnx::Options options;
    options.max_seconds(100).observer(tonnx::Observer([&](const tonnx::Event&) {
      ++events;
      return number % 2 == 0;
    }));
    try {
      tonnx::export_program(program, {}, options);
      EXPECT_EQ(number % 2, 0);
    } catch (const tonnx::Error& error) {
      EXPECT_EQ(error.status(), TONNX_STATUS_CANCELLED);
      ++cancelled;
    }
    EXPECT_GT(events, 0);
  });
  EXPECT_EQ(cancelled, kThreads / 2);
}
