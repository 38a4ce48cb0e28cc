#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/constant.h"
#include "ir/schema.h"
#include "ir/tensor.h"

namespace tonnx::ort_aten {

// The attributes of a node of ONNX Runtime, by name; nullopt if there is none of this name and kind.
class Attributes {
 public:
  virtual ~Attributes() = default;
  virtual std::optional<std::int64_t> integer(const std::string& name) const = 0;
  virtual std::optional<double> real(const std::string& name) const = 0;
  virtual std::optional<std::string> text(const std::string& name) const = 0;
  virtual std::optional<std::vector<std::int64_t>> integers(const std::string& name) const = 0;
  virtual std::optional<std::vector<double>> reals(const std::string& name) const = 0;
};

// True for a list of tensors, also with None among them, and for an optional list.
bool is_list_of_tensors(const ir::Type& type);

// An operator of LibTorch as a node of a model, in the forms of lower/stay.h: arguments are inputs of the node, in the
// order of the schema, or attributes with the names of the schema. Arguments that are neither are None, or have their
// default. Immutable, so that several threads may run it.
class Call {
 public:
  using Inputs = std::vector<std::optional<ir::Tensor>>;  // nullopt: an absent input

  // `name`: "aten::triu". `is_explicit`: each argument but strings has an input, which is absent for None. Else
  // arguments are attributes or, if only a run knows them, inputs. Without an overload it is that without a name or, if
  // there is none that can be run, the one that takes the most attributes, then the most tensors. Throws
  // Error(Code::Unsupported) if LibTorch has no such operator, or only forms of it whose arguments are not tensors,
  // numbers, strings, or lists and options of them, or which write to their arguments.
  Call(const std::string& name, std::optional<std::string> overload, const Attributes& attributes, bool is_explicit);

  // Calls the operator and returns its tensors. Throws Error(Code::Unsupported) if the inputs do not fit its schema,
  // or fit it in several ways, and what backend::Backend::run_graph throws.
  std::vector<ir::Tensor> run(const Inputs& inputs) const;

 private:
  struct Form {
    ir::SchemaPtr schema;
    std::vector<std::optional<ir::Constant>> known;  // by argument: its value, if an attribute has it
    std::size_t attributes = 0;
  };

  std::string name_;
  bool is_explicit_;  // each argument has an input
  std::vector<Form> forms_;
};

}  // namespace tonnx::ort_aten
