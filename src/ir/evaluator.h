#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace tonnx::ir {

// A run-time value inside an evaluator. Opaque to the program passes.
class Datum {
 public:
  virtual ~Datum() = default;
};
using DatumPtr = std::shared_ptr<const Datum>;

// Computes dtypes, sizes and, if no input is involved, values of a program's nodes without running the model. src/torch
// implements it with meta tensors. One thread at a time.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // Before facts are inferred: whether equal calls may return the same data from now on. That is so while no operator
  // of the program writes to an argument or asks whether two values are one object.
  virtual void share_results(bool may_share) { static_cast<void>(may_share); }

  // A tensor without data; all `dims` are known.
  virtual DatumPtr meta(DType dtype, std::span<const std::int64_t> dims) = 0;
  // The same for a weight or an example input; preserves its strides.
  virtual DatumPtr meta(const Tensor& tensor) = 0;
  // A constant with its value. Tensors inside keep theirs.
  virtual DatumPtr constant(const Constant& constant) = 0;

  enum class Outcome {
    Done,
    NoRule,         // the operator cannot be evaluated here: results are unknown
    DataDependent,  // sizes or values of the results depend on tensor data: the outputs are a sample, not facts
  };
  // What the caller will read of the results. For Sizes, content that no operand has stays unknown, so that a tensor
  // that a program fills with zeros uses no memory.
  enum class Wanted { Content, Sizes };
  // Evaluates a node without blocks (aten::, prim::ListConstruct, prim::TupleUnpack, ...). On Done and DataDependent
  // `outputs` has a datum for each output (null: unknown). In-place operators write into the datum of their argument.
  // Throws Error(Code::Program) if the operator itself fails on these inputs (for example because of a size mismatch).
  virtual Outcome evaluate(const Node& node, std::span<const DatumPtr> inputs, std::vector<DatumPtr>& outputs,
                           Wanted wanted = Wanted::Content) = 0;

  // The dtype and fixed dims; also the constant for a scalar, a string, None, a list of these, or a tensor with data of
  // at most `max_elements` elements.
  virtual Facts describe(const Datum& datum, std::int64_t max_elements = 1024) = 0;
  // True if two data share storage (a view or the same object), as real tensors do in LibTorch.
  virtual bool share_memory(const Datum& a, const Datum& b) = 0;
  // The storage offset of a contiguous tensor, in elements; nullopt for other tensors and values.
  virtual std::optional<std::int64_t> contiguous_offset(const Datum& datum) = 0;
  // The strides of a tensor, outermost axis first, after setting the axes in `single` to size 1, merging axes that are
  // contiguous with each other, and removing axes of size 1. Empty for other values.
  virtual std::vector<std::int64_t> merged_strides(const Datum& datum, std::span<const std::size_t> single) = 0;
  // The items of a list or tuple; empty for anything else.
  virtual std::vector<DatumPtr> items(const Datum& datum) = 0;
  // The number of items.
  virtual std::size_t count(const Datum& datum) { return items(datum).size(); }
  // The value of a dict for a key; null if there is none, and for anything else.
  virtual DatumPtr entry(const Datum& dict, const Datum& key) = 0;
  // The keys of a dict in insertion order; empty for anything else.
  virtual std::vector<DatumPtr> keys(const Datum& dict) = 0;
  // A new list of tensors; null if an item is null, that is, unknown.
  virtual DatumPtr list(std::span<const DatumPtr> items) = 0;
  // Returns the placeholder of an unused item of a list.
  virtual DatumPtr never() = 0;
  virtual bool is_never(const Datum& datum) = 0;
  // Makes the content of the tensor's storage unknown, for all its aliases; for a list or dict, of all tensors in it.
  virtual void forget_content(const Datum& datum) = 0;
};

}  // namespace tonnx::ir
