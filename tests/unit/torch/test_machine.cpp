// The interpreter in the tests of the program passes computes the same results as LibTorch.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "../program/block_runner.h"
#include "../program/graph_text.h"
#include "../program/machine.h"
#include "../program/random_program.h"
#include "operator_calls.h"
#include "torch/convert.h"

namespace tonnx {
namespace {

using c10::IValue;
using program::test::Array;
using program::test::Ref;

struct Steps {
  IValue constant(const ir::Constant& constant) const { return torch::to_ivalue(constant); }
  bool truth(const IValue& value) const { return value.toBool(); }
  std::int64_t integer(const IValue& value) const { return value.toInt(); }
  std::vector<IValue> compute(const ir::Node& node, const std::vector<IValue>& inputs) const {
    if (node.is("prim::ListConstruct")) {
      c10::List<at::Tensor> list;
      for (const IValue& item : inputs) list.push_back(item.toTensor());
      return {list};
    }
    torch::testing::Stack arguments = inputs;
    return torch::testing::call_really(node.full_name(), arguments);
  }
};

Array array_of(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.contiguous();
  const auto* data = dense.const_data_ptr<double>();
  return program::test::array_of(dense.sizes().vec(), {data, data + dense.numel()});
}

std::string text_of(const IValue& value) {
  if (value.isTensor()) return program::test::text_of(*program::test::make(array_of(value.toTensor())));
  std::string text = "(";
  for (const at::Tensor& item : value.toTensorVector()) text += text_of(item) + ";";
  return text + ")";
}

std::string run_in_libtorch(const ir::Graph& graph, bool flag, std::int64_t turns) {
  const at::Tensor x = at::arange(1, 13, at::kDouble).view({3, 4});
  std::string out;
  for (const IValue& value : program::test::BlockRunner<IValue, Steps>({}).run(graph, {x, turns, flag}))
    out += text_of(value) + "\n";
  return out;
}

std::string run_in_machine(const ir::Graph& graph, bool flag, std::int64_t turns) {
  using program::test::make;
  const Ref x = make(program::test::array_of({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  return program::test::run(graph, {x, make(ir::Constant{turns}), make(ir::Constant{flag})});
}

TEST(Machine, ComputesWhatLibTorchComputes) {
  constexpr unsigned kPrograms = 300;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const std::string text = program::test::random_program(seed);
    const auto graph = program::test::parse(text);
    for (const bool flag : {true, false})
      for (const std::int64_t turns : {0, 1, 3})
        ASSERT_EQ(run_in_machine(*graph, flag, turns), run_in_libtorch(*graph, flag, turns)) << "seed " << seed << "\n"
                                                                                             << text;
  }
}

}  // namespace
}  // namespace tonnx
