#ifndef TONNX_ATTRIBUTES_HPP
#define TONNX_ATTRIBUTES_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tonnx/graph.h"
#include "tonnx/tensor.hpp"

namespace tonnx {

class Graph;
class Value;

class Attributes {
 public:
  Attributes() {
    tonnx_attributes* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_attributes_new(&made, e); });
    handle_.reset(made);
  }

  Attributes& set_int(const std::string& name, std::int64_t v) {
    return run([&](auto* a, auto** e) { return tonnx_attributes_set_int(a, name.c_str(), v, e); });
  }
  Attributes& set_float(const std::string& name, double v) {
    return run([&](auto* a, auto** e) { return tonnx_attributes_set_float(a, name.c_str(), v, e); });
  }
  Attributes& set_string(const std::string& name, const std::string& v) {
    return run([&](auto* a, auto** e) { return tonnx_attributes_set_string(a, name.c_str(), v.c_str(), e); });
  }
  Attributes& set_tensor(const std::string& name, const Tensor& v) {
    return run([&](auto* a, auto** e) { return tonnx_attributes_set_tensor(a, name.c_str(), v.get(), e); });
  }
  Attributes& set_ints(const std::string& name, const std::vector<std::int64_t>& v) {
    return run([&](auto* a, auto** e) { return tonnx_attributes_set_ints(a, name.c_str(), v.data(), v.size(), e); });
  }
  Attributes& set_floats(const std::string& name, const std::vector<double>& v) {
    return run([&](auto* a, auto** e) { return tonnx_attributes_set_floats(a, name.c_str(), v.data(), v.size(), e); });
  }
  Attributes& set_strings(const std::string& name, const std::vector<std::string>& v) {
    std::vector<const char*> texts;
    for (const std::string& text : v) texts.push_back(text.c_str());
    return run([&](auto* a, auto** e) {
      return tonnx_attributes_set_strings(a, name.c_str(), texts.data(), texts.size(), e);
    });
  }
  Attributes& set_tensors(const std::string& name, const std::vector<std::reference_wrapper<const Tensor>>& v) {
    std::vector<const tonnx_tensor*> tensors;
    for (const Tensor& tensor : v) tensors.push_back(tensor.get());
    return run([&](auto* a, auto** e) {
      return tonnx_attributes_set_tensors(a, name.c_str(), tensors.data(), tensors.size(), e);
    });
  }
  // A tensor type; a dimension of -1 is unknown.
  Attributes& set_type(const std::string& name, tonnx_dtype dtype, const std::vector<std::int64_t>& dims) {
    return run([&](auto* a, auto** e) {
      return tonnx_attributes_set_type(a, name.c_str(), dtype, dims.data(), dims.size(), e);
    });
  }
  // A sub-graph, Graph::subgraph.
  Attributes& set_graph(const std::string& name, const Graph& graph);
  // The content of a value: "alpha_f" is the float attribute alpha. Nothing for None. See
  // tonnx_attributes_set_suffixed.
  Attributes& set_suffixed(const std::string& suffixed_name, const Value& value);
  const tonnx_attributes* get() const { return handle_.get(); }

 private:
  template <class Call>
  Attributes& run(Call&& body) {
    detail::call([&](tonnx_error** e) { return body(handle_.get(), e); });
    return *this;
  }
  detail::Handle<tonnx_attributes, tonnx_attributes_free> handle_;
};

}  // namespace tonnx

#endif
