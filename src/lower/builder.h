#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/opset.h"

namespace tonnx::lower {

using ir::DType;
using ir::Value;
using Values = std::vector<Value*>;
using Dims = std::vector<std::int64_t>;
using Attributes = std::vector<ir::NamedAttribute>;

// Appends ONNX nodes to a graph at a target opset. Every value it returns carries facts (dtype, and rank and dims where
// ONNX shape inference finds them). Helpers below know where an operator's form changed between opsets, so that a
// lowering does not.
//
// A dtype the operator does not accept at the target opset (or that ONNX Runtime has no kernel for; see
// lower/dtype_support.h) is widened: the inputs are cast, and outputs of the same type variable cast back.
// An operator that does not exist at the opset is a refusal that names the first opset with it.
class Builder {
 public:
  Builder(ir::Graph& graph, const ir::Opset& opset);

  ir::Graph& graph() const { return graph_; }
  std::int32_t opset() const { return opset_.version(); }
  ir::Block* block() const { return block_; }
  // Nodes go to the end of this block from now on. Returns the block before.
  ir::Block* enter(ir::Block* block);
  // Nodes get this location from now on.
  void set_location(ir::Location location) { location_ = std::move(location); }
  const ir::Location& location() const { return location_; }

  // One node with one output. `name` is an ONNX operator ("Conv") or "domain::Op". A null input is an absent optional
  // one; trailing nulls are dropped.
  Value* op(std::string_view name, Values inputs, Attributes attributes = {});
  // One node with `outputs` outputs.
  Values op(std::string_view name, Values inputs, Attributes attributes, std::size_t outputs);

  // One node with blocks: open() appends it, the caller fills its blocks by enter(), and close() gives it its outputs.
  ir::Node* open(std::string_view name, Values inputs, std::size_t blocks);
  Values close(ir::Node* node, std::size_t outputs);

  // Constants (onnx::Constant nodes).
  Value* constant(const ir::Tensor& tensor);
  Value* scalar(DType dtype, double value);        // rank 0
  Value* scalar(DType dtype, std::int64_t value);  // rank 0
  Value* int64(std::int64_t value) { return scalar(DType::Int64, value); }
  Value* int64s(std::span<const std::int64_t> values);  // rank 1
  Value* int64s(std::initializer_list<std::int64_t> values) { return int64s(std::span(values.begin(), values.size())); }
  // A scalar in the dtype of `like` (rank 0): 0, 1, -inf, ...
  Value* scalar_like(Value* like, double value) { return scalar(like->facts().dtype, value); }

  // Cast; the value itself if its dtype is known to be `dtype`.
  Value* cast(Value* x, DType dtype);

  // Shapes. Constant where the facts allow.
  Value* shape(Value* x);                           // rank-1 int64; onnx::Shape or a constant
  Value* size(Value* x, std::int64_t axis);         // rank-1, one element; a negative axis needs no known rank
  Value* size_scalar(Value* x, std::int64_t axis);  // rank 0
  Value* rank(Value* x);                            // rank 0, int64
  Value* join_sizes(const Values& parts);  // rank-1 int64 parts of a shape as one, a constant where all of them are

  Value* reshape(Value* x, Value* shape);  // -1 allowed once; 0 means 0 in a shape that is constant or of sizes
  Value* reshape(Value* x, std::span<const std::int64_t> shape);  // -1 allowed once
  Value* reshape(Value* x, std::initializer_list<std::int64_t> shape) {
    return reshape(x, std::span(shape.begin(), shape.size()));
  }
  // A size of 0 is that of x, -1 is left to ONNX.
  Value* reshape_keeping(Value* x, std::span<const std::int64_t> shape);
  Value* reshape_keeping(Value* x, std::initializer_list<std::int64_t> shape) {
    return reshape_keeping(x, std::span(shape.begin(), shape.size()));
  }
  Value* reshape_exactly(Value* x, Value* shape);  // computed sizes, each as it is; 0 too from opset 14
  Value* flatten_to_vector(Value* x) { return reshape(x, {-1}); }
  Value* transpose(Value* x, std::span<const std::int64_t> perm);
  Value* transpose(Value* x, std::initializer_list<std::int64_t> perm) {
    return transpose(x, std::span(perm.begin(), perm.size()));
  }
  Value* swap_axes(Value* x, std::int64_t a, std::int64_t b);    // needs a known rank
  Value* squeeze(Value* x, std::span<const std::int64_t> axes);  // axes attribute below 13, input from 13
  Value* squeeze(Value* x, std::initializer_list<std::int64_t> axes) {
    return squeeze(x, std::span(axes.begin(), axes.size()));
  }
  Value* unsqueeze(Value* x, std::span<const std::int64_t> axes);
  Value* unsqueeze(Value* x, std::initializer_list<std::int64_t> axes) {
    return unsqueeze(x, std::span(axes.begin(), axes.size()));
  }
  // numpy broadcasting to `shape` (rank-1 int64; 1 keeps a size); Tile below 8, which needs known ranks.
  Value* expand(Value* x, Value* shape);
  Value* broadcast_shape(const Values& tensors);   // what all of them broadcast to; needs known ranks
  void broadcast(Value*& x, Value*& y);            // both expanded to what they broadcast to
  Value* concat(Values parts, std::int64_t axis);  // a single part is returned as it is
  // Attributes below 10, inputs from 10. Bounds may be negative or INT64_MAX.
  Value* slice(Value* x, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step = 1);
  // Run-time bounds: rank-1 int64 tensors of one length (step null: 1). Needs opset 10.
  Value* slice(Value* x, Value* starts, Value* ends, Value* axes, Value* steps = nullptr);
  Value* gather(Value* x, Value* indices, std::int64_t axis);  // indices may be negative at every opset
  Value* take(Value* x, Value* positions, std::int64_t axis);  // the same for positions, which are not
  // Element [i, j, k] of the result is x[i, indices[i, j, k], k], for axis 1; indices may be negative. Below 11 x needs
  // a known rank.
  Value* gather_elements(Value* x, Value* indices, std::int64_t axis);
  // Row-major number of the element at `positions` over axes [first, first + positions.size()) of x.
  Value* flat_position(Value* x, std::int64_t first, const Values& positions);
  Value* from_front(Value* indices, Value* x, std::int64_t axis);  // indices along an axis of x as int64 positions
  // 0, 1, ..., count - 1 as int64; `count` has one element. NonZero below 11, Loop below 9.
  Value* range(Value* count);
  // Split into parts of the given sizes; attribute below 13, input from 13.
  Values split(Value* x, std::span<const std::int64_t> sizes, std::int64_t axis);
  // "ReduceSum", "ReduceMean", "ReduceMax", ...: axes as attribute or input as the opset asks. Empty axes: all of them.
  Value* reduce(std::string_view name, Value* x, std::span<const std::int64_t> axes, bool keep_dims);
  // Of one bound, floats stay infinite on the other side, which ONNX's Clip makes the largest finite number.
  Value* clip(Value* x, std::optional<double> low, std::optional<double> high);
  // Pads as ONNX orders them (all begins, then all ends); negative pads crop. mode: constant, reflect, edge, wrap (19).
  Value* pad(Value* x, std::span<const std::int64_t> pads, std::string_view mode = "constant", Value* fill = nullptr);
  Value* constant_of_shape(Value* shape, DType dtype, double value);  // Expand below 9
  // x where the condition holds, else y, which share a dtype and broadcast. Exact at every opset, for NaN and infinity
  // too; below 9 that needs known ranks for floats.
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
  ir::Block* block_;
  ir::Location location_;
};

}  // namespace tonnx::lower
