#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "ir/graph.h"

// A model built by hand for tests of the passes.
namespace tonnx::ir::testing {

class ModelBuilder {
 public:
  Graph graph;

  Value* input(const std::string& name, DType dtype, std::initializer_list<std::int64_t> dims) {
    Value* v = graph.block().add_input();
    v->set_name(name);
    set(v, dtype, dims);
    return v;
  }

  Value* op(const std::string& kind, const std::vector<Value*>& inputs, std::vector<NamedAttribute> attributes = {}) {
    Node* n = graph.create("onnx::" + kind, inputs, 1);
    for (NamedAttribute& a : attributes) n->set_attribute(a.name, a.value);
    graph.block().append(n);
    return n->output();
  }

  Value* op(DType dtype, std::initializer_list<std::int64_t> dims, const std::string& kind,
            std::initializer_list<Value*> inputs, std::vector<NamedAttribute> attributes = {}) {
    Value* v = op(kind, inputs, std::move(attributes));
    set(v, dtype, dims);
    return v;
  }

  Value* constant(const Tensor& tensor) {
    Value* v = op("Constant", {}, {{"value", tensor}});
    Facts facts;
    facts.dtype = tensor.dtype;
    facts.dims.emplace();
    for (const std::int64_t d : tensor.dims) facts.dims->push_back(Dim(d));
    facts.constant = std::make_shared<const Constant>(Constant{tensor});
    v->set_facts(facts);
    return v;
  }

  Value* int64s(std::initializer_list<std::int64_t> values) {
    return constant(Tensor::of_int64(std::vector<std::int64_t>(values)));
  }

  Value* weight(const std::string& name, std::initializer_list<std::int64_t> dims) {
    std::vector<float> data;
    std::int64_t count = 1;
    for (const std::int64_t d : dims) count *= d;
    for (std::int64_t i = 0; i < count; ++i) data.push_back(static_cast<float>(i));
    return graph.add_weight(name, Tensor::from_bytes(DType::Float32, dims, data.data(), data.size() * sizeof(float)));
  }

  void output(Value* v) { graph.block().add_output(v); }

  std::vector<std::string> kinds() const {
    std::vector<std::string> all;
    for (const Node* n : graph.block().nodes()) all.emplace_back(n->op());
    return all;
  }

  static void set(Value* v, DType dtype, std::initializer_list<std::int64_t> dims) {
    v->facts().dtype = dtype;
    v->facts().dims.emplace();
    for (const std::int64_t d : dims) v->facts().dims->push_back(Dim(d));
  }
};

}  // namespace tonnx::ir::testing
