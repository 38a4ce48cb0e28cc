#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace tonnx::lower {

// What a source value became: one ONNX value (a list of numbers is a vector then), a list of ONNX values of static
// length, an ONNX sequence of tensors whose length is known at run time only, or nothing (a source constant that is
// materialised where it is read, a None, or an output without ONNX counterpart). A complex tensor is two ONNX values of
// its sizes, and a list of static length in which a complex one stands two lists.
struct Lowered {
  enum class Kind { Nothing, One, List, Sequence, Complex, ComplexList };
  Kind kind = Kind::Nothing;
  ir::Value* one = nullptr;      // of One and Sequence; the real part of Complex
  std::vector<ir::Value*> list;  // items may be null (None)
  ir::Value* imaginary = nullptr;
  std::vector<ir::Value*> imaginaries = {};  // null for an item that is real
};

// The parts of a complex tensor; of a real one the imaginary part is null.
struct Parts {
  ir::Value* real = nullptr;
  ir::Value* imaginary = nullptr;
};

// The results of a lowering, one per output of the source node.
//   return value;                        one tensor output
//   return {first, second};              several tensor outputs; null where there is no counterpart
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
