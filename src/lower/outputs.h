#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace tonnx::lower {

// The lowered form of a source value: one ONNX value (a list of scalars is then a vector), a list of ONNX values of
// static length, an ONNX sequence of tensors of dynamic length, or nothing (a constant that is created where it is
// used, None, or an output without ONNX counterpart). A complex tensor is two ONNX values of its shape. A list of
// static length that contains complex tensors is two lists.
struct Lowered {
  enum class Kind { Nothing, One, List, Sequence, Complex, ComplexList };
  Kind kind = Kind::Nothing;
  ir::Value* one = nullptr;      // for One and Sequence; the real part of Complex
  std::vector<ir::Value*> list;  // items may be null (None)
  ir::Value* imaginary = nullptr;
  std::vector<ir::Value*> imaginaries = {};  // null for a real item
};

// The parts of a complex tensor; the imaginary part of a real tensor is null.
struct Parts {
  ir::Value* real = nullptr;
  ir::Value* imaginary = nullptr;
};

// The results of a lowering, one for each output of the source node.
//   return value;                        one tensor output
//   return {first, second};              several tensor outputs; null if there is no counterpart
//   return Outputs::list(parts);         one output of type Tensor[]
//   return Outputs::sequence(value);     one output of type Tensor[] as an ONNX sequence
//   return Parts{real, imaginary};       one complex output
//   return Outputs(items);               outputs of any of these kinds
class Outputs {
 public:
  Outputs() = default;
  Outputs(ir::Value* value) { push(value); }
  Outputs(std::initializer_list<ir::Value*> values) {
    for (ir::Value* v : values) push(v);
  }
  static Outputs many(const std::vector<ir::Value*>& values) {
    Outputs o;
    for (ir::Value* v : values) o.push(v);
    return o;
  }
  explicit Outputs(std::vector<Lowered> lowered) : items(std::move(lowered)) {}
  Outputs(Parts parts) { items.push_back({Lowered::Kind::Complex, parts.real, {}, parts.imaginary}); }
  static Outputs sequence(ir::Value* value) {
    Outputs o;
    o.items.push_back({Lowered::Kind::Sequence, value, {}});
    return o;
  }
  static Outputs list(std::vector<ir::Value*> values) {
    Outputs o;
    o.items.push_back({Lowered::Kind::List, nullptr, std::move(values)});
    return o;
  }

  std::vector<Lowered> items;

 private:
  void push(ir::Value* v) { items.push_back({v ? Lowered::Kind::One : Lowered::Kind::Nothing, v, {}}); }
};

}  // namespace tonnx::lower
