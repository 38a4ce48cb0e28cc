#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/opset.h"
#include "ir/target.h"
#include "lower/answers.h"

namespace tonnx::lower {

using ir::DType;
using ir::Value;
using Values = std::vector<Value*>;
using Dims = std::vector<std::int64_t>;
using Attributes = std::vector<ir::NamedAttribute>;

// Elements of floating point.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Appends ONNX nodes to a graph at a target opset. Every returned value has facts: the dtype, and rank and dims if ONNX
// shape inference finds them. The helpers below handle the forms of an operator at different opsets, so that a lowering
// need not.
//
// A dtype that the operator does not accept at the opset, or for which the target has no kernel
// (lower/dtype_support.h), is widened: inputs are cast, and outputs of the same type variable are cast back. An
// operator that does not exist at the opset is refused; the message names the first opset that has it.
class Builder {
 public:
  // `weights_change`: a run may have other weights than the program, because they are inputs of the model.
  Builder(ir::Graph& graph, const ir::Opset& opset, ir::Target target = {}, bool weights_change = false);

  ir::Graph& graph() const { return graph_; }
  std::int32_t opset() const { return opset_.version(); }
  // True if the target has this defect at the opset, for the dtype (Undefined: any): a lowering must avoid it.
  bool avoids(ir::Defect defect, DType dtype = DType::Undefined) const { return target_.has(defect, opset(), dtype); }
  // True if the target has a kernel for all slots of the operator with this dtype.
  bool has_kernel(std::string_view op, DType dtype) const { return target_.has_kernel(op, opset(), dtype); }
  // True if the operator exists at the opset, accepts the dtype as its first input, and has_kernel().
  bool accepts(std::string_view op, DType dtype) const;
  // False if x is float64 and the operator does not accept it: no wider dtype exists, so the lowering composes it from
  // other operators.
  bool serves(std::string_view op, const Value* x) const {
    return x->facts().dtype != DType::Float64 || accepts(op, DType::Float64);
  }
  bool weights_change() const { return weights_change_; }
  // lower/known.h
  bool may_be_negative(const Value* numbers) const;
  ir::Block* block() const { return block_; }
  // Appends the following nodes to the end of this block. Returns the previous block.
  ir::Block* enter(ir::Block* block);
  // Sets the location of the following nodes.
  void set_location(ir::Location location) { location_ = std::move(location); }
  const ir::Location& location() const { return location_; }
  // What may_hold_nan() has found out.
  Answers& answers() { return answers_; }

  // Appends a node with one output and returns the output. `name` is an ONNX operator ("Conv") or "domain::Op". A null
  // input is an absent optional input; trailing nulls are dropped.
  Value* op(std::string_view name, Values inputs, Attributes attributes = {});
  // Appends a node with `outputs` outputs.
  Values op(std::string_view name, Values inputs, Attributes attributes, std::size_t outputs);

  // Appends a node with blocks: open() appends it, the caller fills its blocks through enter(), and close() adds its
  // outputs.
  ir::Node* open(std::string_view name, Values inputs, std::size_t blocks);
  Values close(ir::Node* node, std::size_t outputs);

  // Appends a node with blocks that are complete, in the order of open(); takes them from the nodes that own them.
  Values op(std::string_view name, Values inputs, Attributes attributes, std::span<ir::Block* const> blocks,
            std::size_t outputs);

  // Constants (onnx::Constant nodes).
  Value* constant(const ir::Tensor& tensor);
  Value* scalar(DType dtype, double value);        // rank 0
  Value* scalar(DType dtype, std::int64_t value);  // rank 0
  Value* int64(std::int64_t value) { return scalar(DType::Int64, value); }
  Value* int64s(std::span<const std::int64_t> values);  // rank 1
  Value* int64s(std::initializer_list<std::int64_t> values) { return int64s(std::span(values.begin(), values.size())); }
  // A scalar (rank 0) in the dtype of `like`.
  Value* scalar_like(Value* like, double value) { return scalar(like->facts().dtype, value); }

  // Cast; returns x if its dtype is already `dtype`.
  Value* cast(Value* x, DType dtype);

  // Shapes. The result is constant if the facts allow.
  Value* shape(Value* x);                           // rank-1 int64; onnx::Shape or a constant
  Value* size(Value* x, std::int64_t axis);         // rank 1, one element; a negative axis does not need a known rank
  Value* size_scalar(Value* x, std::int64_t axis);  // rank 0
  Value* rank(Value* x);                            // rank 0, int64
  Value* join_sizes(const Values& parts);  // concatenates rank-1 int64 parts of a shape; constant if all parts are

  // one dim may be -1; 0 means size 0 if the shape is constant or made of sizes
  Value* reshape(Value* x, Value* shape);
  Value* reshape(Value* x, std::span<const std::int64_t> shape);  // one dim may be -1
  Value* reshape(Value* x, std::initializer_list<std::int64_t> shape) {
    return reshape(x, std::span(shape.begin(), shape.size()));
  }
  // A dim of 0 is copied from x, one dim may be -1.
  Value* reshape_keeping(Value* x, std::span<const std::int64_t> shape);
  Value* reshape_keeping(Value* x, std::initializer_list<std::int64_t> shape) {
    return reshape_keeping(x, std::span(shape.begin(), shape.size()));
  }
  // computed dims without special meaning; 0 is allowed from opset 14 on
  Value* reshape_exactly(Value* x, Value* shape);
  Value* flatten_to_vector(Value* x) { return reshape(x, {-1}); }
  Value* transpose(Value* x, std::span<const std::int64_t> perm);
  Value* transpose(Value* x, std::initializer_list<std::int64_t> perm) {
    return transpose(x, std::span(perm.begin(), perm.size()));
  }
  Value* swap_axes(Value* x, std::int64_t a, std::int64_t b);  // needs a known rank
  // axes are an attribute below opset 13, an input from 13 on
  Value* squeeze(Value* x, std::span<const std::int64_t> axes);
  Value* squeeze(Value* x, std::initializer_list<std::int64_t> axes) {
    return squeeze(x, std::span(axes.begin(), axes.size()));
  }
  Value* unsqueeze(Value* x, std::span<const std::int64_t> axes);
  Value* unsqueeze(Value* x, std::initializer_list<std::int64_t> axes) {
    return unsqueeze(x, std::span(axes.begin(), axes.size()));
  }
  // Broadcasts x to `shape` (rank-1 int64; 1 preserves the dim). Uses Tile below opset 8, which needs known ranks.
  Value* expand(Value* x, Value* shape);
  Value* broadcast_shape(const Values& tensors);   // the shape that all tensors broadcast to; needs known ranks
  void broadcast(Value*& x, Value*& y);            // expands both to their broadcast shape
  Value* concat(Values parts, std::int64_t axis);  // a single part is returned unchanged
  // Slice with constant bounds, which are attributes below opset 10 and inputs from 10 on. Bounds may be negative or
  // INT64_MAX.
  Value* slice(Value* x, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step = 1);
  // Slice with run-time bounds: rank-1 int64 tensors of the same length (null steps: 1). Needs opset 10.
  Value* slice(Value* x, Value* starts, Value* ends, Value* axes, Value* steps = nullptr);
  Value* gather(Value* x, Value* indices, std::int64_t axis);  // indices may be negative at every opset
  Value* take(Value* x, Value* positions, std::int64_t axis);  // the same for indices that are not negative
  // For axis 1, element [i, j, k] of the result is x[i, indices[i, j, k], k]; indices may be negative. Below opset 11 x
  // needs a known rank.
  Value* gather_elements(Value* x, Value* indices, std::int64_t axis);
  // Row-major offset of the element at `positions` over axes [first, first + positions.size()) of x.
  Value* flat_position(Value* x, std::int64_t first, const Values& positions);
  // converts negative indices along an axis of x to non-negative int64 indices; those below -size stay negative
  Value* from_front(Value* indices, Value* x, std::int64_t axis);
  // The same for indices of elements: those below -size, and with `checks_end` those of at least size, become an index
  // at which Gather fails, also as part of a flat_position().
  Value* element_from_front(Value* indices, Value* x, std::int64_t axis, bool checks_end = false);
  // Of indices that LibTorch does not count from the end: negative ones become an index at which Gather and Scatter
  // fail.
  Value* element_index(Value* indices);
  // The same for indices below `count`, a scalar: larger ones fail too. For operators whose ONNX form takes them.
  Value* element_index(Value* indices, Value* count);
  // Returns 0, 1, ..., count - 1 as int64; `count` has one element. Uses NonZero below opset 11 and Loop below 9.
  Value* range(Value* count);
  // Splits x into parts of these sizes, which are an attribute below opset 13 and an input from 13 on.
  Values split(Value* x, std::span<const std::int64_t> sizes, std::int64_t axis);
  // "ReduceSum", "ReduceMean", "ReduceMax" and others: axes are an attribute or an input, as the opset requires. Empty
  // axes: all axes.
  Value* reduce(std::string_view name, Value* x, std::span<const std::int64_t> axes, bool keep_dims);
  // Clamps to the bounds. With one bound only, an infinite float on the other side stays infinite; ONNX's Clip would
  // make it the largest finite number.
  Value* clip(Value* x, std::optional<double> low, std::optional<double> high);
  // Pads in ONNX's order (all begins, then all ends); negative pads crop. mode: constant, reflect, edge, wrap (from
  // opset 19).
  Value* pad(Value* x, std::span<const std::int64_t> pads, std::string_view mode = "constant", Value* fill = nullptr);
  Value* constant_of_shape(Value* shape, DType dtype, double value);  // uses Expand below opset 9
  // Returns x where the condition holds, else y. Both have the same dtype and broadcast. Exact for NaN and infinity at
  // every opset; below opset 9 floats need known ranks.
  Value* where(Value* condition, Value* x, Value* y);
  Value* matmul(Value* a, Value* b) { return op("MatMul", {a, b}); }

  Value* add(Value* a, Value* b) { return op("Add", {a, b}); }
  Value* sub(Value* a, Value* b) { return op("Sub", {a, b}); }
  Value* mul(Value* a, Value* b) { return op("Mul", {a, b}); }
  Value* div(Value* a, Value* b) { return op("Div", {a, b}); }

 private:
  const ir::OpDef& definition(std::string_view name) const;
  Value* count_in_loop(Value* count);
  Value* pick(Value* condition, Value* x, Value* y);
  ir::Graph& graph_;
  const ir::Opset& opset_;
  ir::Target target_;
  bool weights_change_;
  ir::Block* block_;
  ir::Location location_;
  Answers answers_;
};

}  // namespace tonnx::lower
