#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/error.h"
#include "ir/evaluator.h"
#include "ir/graph.h"
#include "lower/builder.h"
#include "lower/outputs.h"

namespace tonnx::lower {

// Thrown by Op::refuse and Builder. The driver adds it to the report as a Reason and continues.
class Refusal : public ir::Error {
 public:
  explicit Refusal(const std::string& reason, ir::Missing missing = ir::Missing::No)
      : ir::Error(ir::Code::Unsupported, reason), missing_(missing) {}

  ir::Missing missing() const { return missing_; }

 private:
  ir::Missing missing_;
};

// Thrown when a nested operator was refused. The refusal is already in the report.
struct RefusedInside {};

using ValueMap = std::unordered_map<const ir::Value*, Lowered>;

// Lowers the blocks of the current node. Implemented by the driver.
class BlockLowering {
 public:
  virtual ~BlockLowering() = default;
  // Appends the nodes of a source block, whose inputs are bound, to the builder's current block. Tries all nodes; at
  // the end throws RefusedInside if one was refused.
  virtual void lower_block(const ir::Block& block) = 0;
  // Returns the results of the built-in lowering of real tensors for a node outside the program; `values` has its
  // inputs.
  virtual Outputs lower_real(const ir::Node& node, ValueMap& values) = 0;
  // LibTorch's rules for the results of operators; null if LibTorch is not used.
  virtual ir::Evaluator* evaluator() { return nullptr; }
  // True if a size is above 0 in every run that the program allows.
  virtual bool is_above_zero(const ir::Dim& size) const { return size.is_fixed() && size.size() > 0; }
};

// The source node under lowering. Binds its arguments by schema name (or position) as ONNX values or constants. Every
// getter refuses with a message that names the argument, so a lowering needs no checks of its own.
//
//   Outputs elu(Op& op) {
//     Value* x = op.tensor("self");
//     return op->op("Elu", {x}, {{"alpha", op.number("alpha")}});
//   }
class Op {
 public:
  Op(const ir::Node& node, Builder& builder, ValueMap& values, BlockLowering& blocks, bool training);

  const ir::Node& node() const { return node_; }
  Builder& builder() const { return builder_; }
  Builder* operator->() const { return &builder_; }
  std::int32_t opset() const { return builder_.opset(); }
  bool training() const { return training_; }  // the export is in training mode

  bool has(std::string_view argument) const;                 // the schema has this argument
  bool is_none(std::string_view argument) const;             // absent or None
  const ir::Value* source(std::string_view argument) const;  // the source value; refuses if there is none
  // The constant value; null if it depends on the inputs.
  const ir::Constant* constant(std::string_view argument) const;

  // Tensors. A constant or a scalar becomes a tensor of its own dtype (int64, float64 -> see scalar()).
  Value* tensor(std::string_view argument) const;
  Value* optional_tensor(std::string_view argument) const;   // null for None
  Values tensors(std::string_view argument) const;           // Tensor[]
  Values optional_tensors(std::string_view argument) const;  // Tensor?[]; null for None

  // Constants; refuse if the argument depends on the inputs.
  std::int64_t integer(std::string_view argument) const;
  double number(std::string_view argument) const;
  bool flag(std::string_view argument) const;
  std::string text(std::string_view argument) const;
  Dims integers(std::string_view argument) const;               // int[]; a single int is a list of one
  std::optional<DType> dtype(std::string_view argument) const;  // ScalarType?; nullopt for None
  // The same; nullopt for None.
  std::optional<std::int64_t> maybe_integer(std::string_view argument) const;
  std::optional<double> maybe_number(std::string_view argument) const;
  std::optional<Dims> maybe_integers(std::string_view argument) const;
  bool is_constant(std::string_view argument) const { return constant(argument) != nullptr; }

  // Scalars that may be constant or computed at run time.
  Value* scalar(std::string_view argument, DType dtype) const;  // int, float, bool, Scalar as rank 0 of `dtype`
  Value* int_vector(std::string_view argument) const;  // int[] as rank-1 int64; a single int becomes one element
  // The same for a source value instead of an argument.
  Value* value_of(const ir::Value* source) const;  // as tensor()
  Value* scalar_of(const ir::Value* source, DType dtype) const;
  Value* int_vector_of(const ir::Value* source) const { return vector_of(source, DType::Int64); }
  Value* vector_of(const ir::Value* source,
                   DType dtype) const;  // a list of scalars, or a single one, as rank 1 of `dtype`

  // Lists of tensors. items_of: the list must have a static length; refuses one whose length is known at run time only.
  Values items_of(const ir::Value* source) const;
  Value* sequence_of(const ir::Value* source, DType dtype) const;  // as an ONNX sequence; `dtype` if it is empty

  // Complex tensors, scalars, and lists that contain one. All other getters refuse them, so a lowering without support
  // for them never receives one. A real tensor or scalar has no imaginary part.
  bool is_complex(const ir::Value* source) const;
  Parts parts_of(const ir::Value* source) const;
  std::vector<Parts> parts_in(const ir::Value* list) const;
  // The parts as one tensor with a last axis of 2.
  Value* joined(const Parts& parts) const;
  // Calls the real lowering of another node; see BlockLowering.
  Outputs lower_real(const ir::Node& node, ValueMap& values) const { return blocks_.lower_real(node, values); }

  ir::Evaluator* evaluator() const { return blocks_.evaluator(); }

  // Control flow. The lowering creates a block in the builder, binds the inputs of the source block, then lowers it.
  void bind(const ir::Value* source, Lowered value) const { values_[source] = std::move(value); }
  void lower_block(const ir::Block& block) const { blocks_.lower_block(block); }

  // The lowered form of a source value; null for a constant that has not been used as a tensor yet.
  const Lowered* lowered(const ir::Value* source) const;

  // Facts of ONNX values. The getters that refuse say what must be known.
  static DType dtype_of(const Value* v) { return v->facts().dtype; }
  std::int64_t rank_of(const Value* v) const;                           // refuses an unknown rank
  std::int64_t wrap_axis(std::int64_t axis, std::int64_t rank) const;   // -1 -> rank - 1; refuses an axis out of range
  std::int64_t axis(std::string_view argument, const Value* of) const;  // constant, wrapped
  Dims axes(std::string_view argument, const Value* of) const;          // constant list, wrapped; None: empty
  std::optional<std::int64_t> fixed_size(const Value* v, std::int64_t axis) const;
  bool is_never_empty(const Value* v,
                      std::int64_t axis) const;  // the axis has elements in every run that the program allows
  // LibTorch's facts of source output i.
  const ir::Facts& result(std::size_t i = 0) const { return node_.output(i)->facts(); }
  DType result_dtype(std::size_t i = 0) const;  // refuses if unknown

  // Refusals: one line, impersonal. The driver adds operator, module path and source line.
  [[noreturn]] void refuse(const std::string& reason) const;
  [[noreturn]] void refuse_argument(std::string_view argument, const std::string& reason) const;
  [[noreturn]] void needs_opset(std::int32_t opset, const std::string& reason) const;

 private:
  Value* materialise(const ir::Constant& constant) const;
  Value* join_numbers(const Values& items, DType dtype) const;
  const ir::Node& node_;
  Builder& builder_;
  ValueMap& values_;
  BlockLowering& blocks_;
  bool training_;
};

}  // namespace tonnx::lower
