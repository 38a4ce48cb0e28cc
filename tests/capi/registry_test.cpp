// Changes of a registry while exports use it.
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host.h"

using host::program;
using testing::HasSubstr;
using testing::Not;
using tonnx::Graph;
using tonnx::Node;
using tonnx::Value;
using Results = std::optional<std::vector<Value>>;

TEST(Registry, F201_MayBeChangedByASymbolic) {
  tonnx::Registry registry;
  auto alive = std::make_shared<int>(0);
  const auto replacement = [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{graph.op("Neg", {inputs[0]})};
  };
  registry.add("aten::relu", 9,
               [&registry, replacement, alive](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
                 registry.add("aten::relu", 9, replacement);
                 registry.add("aten::sigmoid", 9, replacement);
                 if (*alive > 0) registry.remove("aten::sigmoid", 9);
                 ++*alive;  // of this symbolic, which has been replaced
                 return std::vector<Value>{graph.op("Abs", {inputs[0]})};
               });
  const auto net = program("torch.sigmoid(torch.relu(torch.relu(x)))");
  const std::string first = tonnx::export_program(net, host::args({at::ones({2, 3})}), {}, registry).text();
  EXPECT_THAT(first, HasSubstr("onnx::Abs"));
  EXPECT_THAT(first, HasSubstr("onnx::Sigmoid"));
  EXPECT_THAT(first, Not(HasSubstr("onnx::Neg")));
  EXPECT_EQ(*alive, 2);
  EXPECT_EQ(alive.use_count(), 1);  // the export was the last to use it
  const std::string second = tonnx::export_program(net, host::args({at::ones({2, 3})}), {}, registry).text();
  EXPECT_THAT(second, HasSubstr("onnx::Neg"));
  EXPECT_THAT(second, Not(HasSubstr("onnx::Abs")));
}

TEST(Registry, MayBeFreedByASymbolic) {
  auto registry = std::make_unique<tonnx::Registry>();
  registry->add("aten::relu", 9, [&registry](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    registry.reset();
    return std::vector<Value>{graph.op("Abs", {inputs[0]})};
  });
  const auto model =
      tonnx::export_program(program("torch.relu(torch.relu(x))"), host::args({at::ones({2, 3})}), {}, *registry);
  EXPECT_THAT(model.text(), HasSubstr("onnx::Abs"));
}

TEST(Registry, MayBeChangedWhileThreadsExport) {
  tonnx::Registry registry;
  const auto net = program("torch.relu(x)");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread)
    threads.emplace_back([&] {
      for (int k = 0; k < 30; ++k) tonnx::export_program(net, host::args({at::ones({2, 3})}), {}, registry);
    });
  for (int k = 0; k < 300; ++k)
    registry.add("aten::relu", 9 + k % 3, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
      return std::vector<Value>{graph.op("Abs", {inputs[0]})};
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(tonnx::export_program(net, host::args({at::ones({2, 3})}), {}, registry).text(), HasSubstr("onnx::Abs"));
}
