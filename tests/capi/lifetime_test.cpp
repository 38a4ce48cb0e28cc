#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <unistd.h>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host.h"

// Handles freed in any order, and a process that exports for long.
using testing::HasSubstr;

namespace {

struct All {
  tonnx_tensor* tensor = nullptr;
  tonnx_args* args = nullptr;
  tonnx_options* options = nullptr;
  tonnx_registry* registry = nullptr;
  tonnx_program* program = nullptr;
  tonnx_model* model = nullptr;
  tonnx_buffer* bytes = nullptr;
  tonnx_error* error = nullptr;
};

std::string archive_bytes() {
  torch::jit::Module module("Net");
  module.register_parameter("weight", at::arange(12, at::kFloat).reshape({3, 4}), false);
  module.define("def forward(self, x):\n    return torch.relu(torch.mm(x, self.weight))\n");
  std::stringstream stream;
  module.save(stream);
  return stream.str();
}

// relu as a Max with zero.
std::int32_t relu(tonnx_graph* graph, const tonnx_node*, tonnx_value* const* inputs, std::size_t, void* user_data) {
  ++*static_cast<int*>(user_data);
  tonnx_value* out = nullptr;
  if (tonnx_graph_op(&out, 1, graph, "Relu", inputs, 1, nullptr, nullptr) != TONNX_STATUS_OK)
    return TONNX_SYMBOLIC_FAIL;
  return tonnx_graph_set_results(graph, &out, 1, nullptr) == TONNX_STATUS_OK ? TONNX_SYMBOLIC_DONE
                                                                             : TONNX_SYMBOLIC_FAIL;
}

void make(All& all, const std::string& archive, int* calls) {
  const float data[6] = {-1, 0, 1, 2, 3, 4};
  const std::int64_t dims[2] = {2, 3};
  ASSERT_EQ(tonnx_tensor_new(&all.tensor, TONNX_DTYPE_FLOAT32, dims, 2, data, sizeof data, nullptr), TONNX_STATUS_OK);
  ASSERT_EQ(tonnx_args_new(&all.args, nullptr), TONNX_STATUS_OK);
  ASSERT_EQ(tonnx_args_add_tensor(all.args, all.tensor, nullptr), TONNX_STATUS_OK);
  ASSERT_EQ(tonnx_options_new(&all.options, nullptr), TONNX_STATUS_OK);
  ASSERT_EQ(tonnx_options_add_dynamic_axis(all.options, "x", 0, "batch", nullptr), TONNX_STATUS_OK);
  ASSERT_EQ(tonnx_registry_new(&all.registry, nullptr), TONNX_STATUS_OK);
  ASSERT_EQ(tonnx_registry_add(all.registry, "aten::relu", 7, relu, calls, nullptr, nullptr), TONNX_STATUS_OK);
  ASSERT_EQ(tonnx_program_load_bytes(&all.program, archive.data(), archive.size(), nullptr), TONNX_STATUS_OK);
  ASSERT_EQ(tonnx_program_export(&all.model, all.program, all.args, all.options, all.registry, nullptr),
            TONNX_STATUS_OK);
  ASSERT_EQ(tonnx_model_bytes(&all.bytes, all.model, nullptr), TONNX_STATUS_OK);
  ASSERT_EQ(tonnx_program_text(nullptr, all.program, all.args, all.options, TONNX_TEXT_SHORT, &all.error),
            TONNX_STATUS_ARGUMENT);
}

std::size_t resident() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, pages = 0;
  file >> total >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST(Lifetime, HandlesAreFreedInAnyOrder) {
  const std::string archive = archive_bytes();
  int calls = 0;
  std::string expected;
  for (unsigned seed = 0; seed < 24; ++seed) {
    All all;
    make(all, archive, &calls);
    tonnx_model* model = all.model;
    std::vector<std::function<void()>> steps = {
        [&] { tonnx_tensor_free(all.tensor); },
        [&] { tonnx_args_free(all.args); },
        [&] { tonnx_options_free(all.options); },
        [&] { tonnx_registry_free(all.registry); },
        [&] { tonnx_program_free(all.program); },
        [&] { tonnx_buffer_free(all.bytes); },
        [&] { EXPECT_THAT(tonnx_error_message(all.error), HasSubstr("out")), tonnx_error_free(all.error); },
        [&] {
          // The model writes its bytes, whichever objects have been freed.
          tonnx_buffer* bytes = nullptr;
          ASSERT_EQ(tonnx_model_bytes(&bytes, model, nullptr), TONNX_STATUS_OK);
          const std::string got(static_cast<const char*>(tonnx_buffer_data(bytes)), tonnx_buffer_size(bytes));
          tonnx_buffer_free(bytes);
          if (expected.empty()) expected = got;
          EXPECT_TRUE(got == expected);
          EXPECT_EQ(tonnx_model_check(model, nullptr), TONNX_STATUS_OK);
          tonnx_model_free(model);
        },
    };
    std::vector<std::size_t> order(steps.size());
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 engine(seed);
    std::shuffle(order.begin(), order.end(), engine);
    for (const std::size_t step : order) steps[step]();
  }
  EXPECT_GT(calls, 0);
}

TEST(Lifetime, AWeightsTensorOutlivesItsModel) {
  const std::string archive = archive_bytes();
  tonnx_tensor* kept = nullptr;
  {
    tonnx::Registry registry;
    registry.add("aten::mm", 7, [&](tonnx::Graph& graph, const tonnx::Node&, const std::vector<tonnx::Value>& inputs) {
      EXPECT_EQ(tonnx_value_get_tensor(&kept, inputs[1].get(), nullptr), TONNX_STATUS_OK);
      return std::optional(std::vector{graph.op("MatMul", inputs)});
    });
    const auto program = tonnx::Program::load(archive.data(), archive.size());
    tonnx::export_program(program, host::args({at::ones({2, 3})}), {}, registry);
  }
  const tonnx::Tensor tensor(kept);
  EXPECT_EQ(tensor.dims(), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(static_cast<const float*>(tensor.data())[11], 11);
}

TEST(Lifetime, ARegistryServesManyExportsAndChangesBetweenThem) {
  const std::string archive = archive_bytes();
  const auto program = tonnx::Program::load(archive.data(), archive.size());
  const auto args = host::args({at::ones({2, 3})});
  auto count = std::make_shared<int>(0);
  tonnx::Registry registry;
  for (int i = 0; i < 5; ++i) {
    registry.add("aten::relu", 7,
                 [count](tonnx::Graph& graph, const tonnx::Node&, const std::vector<tonnx::Value>& inputs) {
                   ++*count;
                   return std::optional(std::vector{graph.op("Relu", {inputs[0]})});
                 });
    tonnx::export_program(program, args, {}, registry);
    EXPECT_EQ(count.use_count(), 2) << "what was replaced is let go";
  }
  EXPECT_EQ(*count, 5);
  registry.remove("aten::relu", 7);
  EXPECT_EQ(count.use_count(), 1);
}

// Exports of every kind, failing ones among them.
TEST(Lifetime, TwoThousandExportsTakeNoMoreMemoryThanTwoHundred) {
  const std::string archive = archive_bytes();
  const std::string broken = archive.substr(0, archive.size() / 2);
  int calls = 0;
  const auto once = [&](int i) {
    All all;
    make(all, archive, &calls);
    if (i % 10 == 0) {
      tonnx_program* program = nullptr;
      tonnx_error* error = nullptr;
      EXPECT_EQ(tonnx_program_load_bytes(&program, broken.data(), broken.size(), &error), TONNX_STATUS_FILE);
      tonnx_error_free(error);
      (void)tonnx_options_set_opset(all.options, 7, nullptr);
      (void)tonnx_options_add_input_name(all.options, "a", nullptr);
      (void)tonnx_options_add_dynamic_axis(all.options, "missing", 0, nullptr, nullptr);
      tonnx_model* model = nullptr;
      EXPECT_EQ(tonnx_program_export(&model, all.program, all.args, all.options, nullptr, &error),
                TONNX_STATUS_ARGUMENT);
      tonnx_error_free(error);
    }
    tonnx_tensor_free(all.tensor);
    tonnx_args_free(all.args);
    (void)tonnx_options_free(all.options);
    tonnx_registry_free(all.registry);
    tonnx_program_free(all.program);
    tonnx_model_free(all.model);
    tonnx_buffer_free(all.bytes);
    tonnx_error_free(all.error);
  };
  std::size_t early = 0;
  for (int i = 0; i < 2000; ++i) {
    if (i == 200) early = resident();
    once(i);
  }
  const std::size_t late = resident();
  RecordProperty("early_bytes", std::to_string(early));
  RecordProperty("late_bytes", std::to_string(late));
  EXPECT_LT(late, early + (std::size_t{8} << 20)) << early << " bytes early, " << late << " late";
}
