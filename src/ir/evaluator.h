#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace tonnx::ir {

// One run-time value inside an evaluator. Opaque to the program passes.
class Datum {
 public:
  virtual ~Datum() = default;
};
using DatumPtr = std::shared_ptr<const Datum>;

// Computes the dtype, the sizes and, where no input is involved, the values of a program's nodes without running
// the model: src/torch implements it on meta tensors. One thread at a time.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // A tensor without data; `dims` are all known.
  virtual DatumPtr meta(DType dtype, std::span<const std::int64_t> dims) = 0;
  // The same for a weight or an example input, keeping its strides.
  virtual DatumPtr meta(const Tensor& tensor) = 0;
  // A constant with its content. Tensors inside keep theirs.
  virtual DatumPtr constant(const Constant& constant) = 0;

  enum class Outcome {
    Done,
    NoRule,         // the operator cannot be evaluated here: results are unknown
    DataDependent,  // the results' sizes or values depend on the data of a tensor: a probe is given, and it is no fact
  };
  // What the caller will read of the results. Where sizes do, content that no operand has is left unknown: a tensor
  // that a program fills with zeros takes no memory.
  enum class Wanted { Content, Sizes };
  // Evaluates one node that has no blocks (aten::, prim::ListConstruct, prim::TupleUnpack, ...). On Done and
  // DataDependent `outputs` holds a datum per output (null: unknown). In-place operators write into their argument's
  // datum. Throws Error(Code::Program) when the operator itself fails on these inputs (sizes that do not match).
  virtual Outcome evaluate(const Node& node, std::span<const DatumPtr> inputs, std::vector<DatumPtr>& outputs,
                           Wanted wanted = Wanted::Content) = 0;

  // dtype, fixed dims and, if it is a scalar, a string, None, a list of those or a tensor with data of at most
  // `max_elements` elements, the constant.
  virtual Facts describe(const Datum& datum, std::int64_t max_elements = 1024) = 0;
  // Whether two data share memory (a view or the same object). Sharing is as LibTorch has it on real tensors.
  virtual bool share_memory(const Datum& a, const Datum& b) = 0;
  // Where a tensor begins in its memory, in elements, if the elements lie there one after the other in the order of its
  // dims; nothing for other tensors and values.
  virtual std::optional<std::int64_t> contiguous_offset(const Datum& datum) = 0;
  // The strides, outermost axis first, by which a tensor would be told with as few axes as can be, had those at
  // `single` size 1: axes that lie in memory as one are one, and axes of size 1 none. Empty for other values.
  virtual std::vector<std::int64_t> merged_strides(const Datum& datum, std::span<const std::size_t> single) = 0;
  // The items of a list or tuple; empty vector for anything else.
  virtual std::vector<DatumPtr> items(const Datum& datum) = 0;
  // How many these are.
  virtual std::size_t count(const Datum& datum) { return items(datum).size(); }
  // What a dict holds under a key; null where it has none, and for anything else.
  virtual DatumPtr entry(const Datum& dict, const Datum& key) = 0;
  // The keys of a dict in the order of its entries; empty vector for anything else.
  virtual std::vector<DatumPtr> keys(const Datum& dict) = 0;
  // A new list of tensors; null where an item is, for it is unknown then.
  virtual DatumPtr list(std::span<const DatumPtr> items) = 0;
  // A tensor that no run reads, to stand among the items of a list.
  virtual DatumPtr never() = 0;
  virtual bool is_never(const Datum& datum) = 0;
  // From now on the content of the tensor's memory is unknown, under whatever name it is read; of a list or dict, of
  // all tensors in it.
  virtual void forget_content(const Datum& datum) = 0;
};

}  // namespace tonnx::ir
