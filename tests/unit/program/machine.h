#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"

namespace tonnx::program::test {

struct Datum;
using Ref = std::shared_ptr<Datum>;

// A strided tensor of doubles; views share `storage`. The elements of a meta tensor must not be read.
struct Array {
  std::shared_ptr<std::vector<double>> storage;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  ir::DType dtype = ir::DType::Float32;
  bool meta = false;

  std::int64_t numel() const;
  double& at(std::int64_t row_major) const;
  bool contiguous() const;
};

struct Items {
  std::vector<Ref> items;
  bool is_tuple = false;
};

// A value: a tensor, a list or tuple (with identity), or a constant that never changes.
struct Datum : ir::Datum {
  std::variant<Array, Items, ir::Constant> value;
};

Ref make(Array array);
Ref make(ir::Constant constant);
Array array_of(std::vector<std::int64_t> dims, std::vector<double> data);

// Computes a node as LibTorch does: the operators that the tests use, with views and in-place writes.
// Throws ir::Error(Code::Program) if sizes do not match.
std::vector<Ref> compute(const ir::Node& node, const std::vector<Ref>& inputs, bool& data_dependent);

// "[2x3: 1 2 3 4 5 6]", "(...;...;)" of a list.
std::string text_of(const Datum& datum);

// Runs a whole program with its control flow. Returns its outputs as text.
std::string run(const ir::Graph& graph, const std::vector<Ref>& inputs);

class Machine : public ir::Evaluator {
 public:
  ir::DatumPtr meta(ir::DType dtype, std::span<const std::int64_t> dims) override;
  ir::DatumPtr meta(const ir::Tensor& tensor) override;
  ir::DatumPtr constant(const ir::Constant& constant) override;
  Outcome evaluate(const ir::Node& node, std::span<const ir::DatumPtr> inputs, std::vector<ir::DatumPtr>& outputs,
                   Wanted wanted) override;
  ir::Facts describe(const ir::Datum& datum, std::int64_t max_elements) override;
  bool share_memory(const ir::Datum& a, const ir::Datum& b) override;
  std::optional<std::int64_t> contiguous_offset(const ir::Datum& datum) override;
  std::vector<std::int64_t> merged_strides(const ir::Datum& datum, std::span<const std::size_t> single) override;
  std::vector<ir::DatumPtr> items(const ir::Datum& datum) override;
  ir::DatumPtr entry(const ir::Datum& dict, const ir::Datum& key) override;
  std::vector<ir::DatumPtr> keys(const ir::Datum& dict) override;
  ir::DatumPtr list(std::span<const ir::DatumPtr> items) override;
  ir::DatumPtr never() override;
  bool is_never(const ir::Datum& datum) override;
  void forget_content(const ir::Datum& datum) override;
};

}  // namespace tonnx::program::test
