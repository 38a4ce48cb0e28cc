#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/dtype.h"
#include "ir/graph.h"

namespace tonnx::ir {

// One formal input or output of an ONNX operator at one opset.
struct OpSlot {
  std::string name;
  std::string type_variable;  // "T": slots with the same variable have the same dtype; empty if the type is fixed
  std::vector<DType> dtypes;  // allowed tensor element types; empty for non-tensor types
  bool optional = false;
  bool variadic = false;
  bool sequence = false;  // accepts or returns a sequence of tensors

  bool allows(DType dtype) const;
};

struct OpDef {
  std::string name;
  std::int32_t since_version = 1;
  std::vector<OpSlot> inputs;
  std::vector<OpSlot> outputs;
};

// The operators of the default ONNX domain at one opset version; src/onnx implements it over the onnx library's
// schemas. Immutable; may be shared between threads.
class Opset {
 public:
  virtual ~Opset() = default;

  virtual std::int32_t version() const = 0;
  // The definition at this version; null if the operator does not exist or is deprecated.
  virtual const OpDef* find(std::string_view op) const = 0;
  // The first opset that has the operator; 0 if none has.
  virtual std::int32_t introduced(std::string_view op) const = 0;
  // Runs ONNX type and shape inference for one onnx:: node and refines the facts of its outputs (dtype, rank, dims;
  // never weakens them). Uses facts and constants of the inputs. Ignores nodes of other domains. Throws
  // Error(Code::Internal) with ONNX's message if the node is ill-typed.
  virtual void infer(Node& node) const = 0;
};

}  // namespace tonnx::ir
