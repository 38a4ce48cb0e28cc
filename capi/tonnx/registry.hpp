#ifndef TONNX_REGISTRY_HPP
#define TONNX_REGISTRY_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tonnx/graph.hpp"
#include "tonnx/registry.h"

namespace tonnx {

// Results of a symbolic, one per output, or the items if the only output is a list of tensors. nullopt: declines.
using Symbolic =
    std::function<std::optional<std::vector<Value>>(Graph& graph, const Node& node, const std::vector<Value>& inputs)>;

class Registry {
 public:
  Registry() {
    tonnx_registry* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_registry_new(&made, e); });
    handle_.reset(made);
  }

  // An exception of the symbolic fails the export: its message is part of the error, and cause() returns it.
  Registry& add(const std::string& name, std::int32_t since, Symbolic symbolic) {
    auto* owned = new Symbolic(std::move(symbolic));
    detail::call([&](tonnx_error** e) {
      return tonnx_registry_add(
          get(), name.c_str(), since, &Registry::run, owned, [](void* data) { delete static_cast<Symbolic*>(data); },
          e);
    });
    return *this;
  }
  // Adds ONNX functions: a FunctionProto's bytes, or ONNX text format. If `name` is not empty, this operator becomes a
  // call of the last one. See tonnx_registry_add_functions.
  Registry& add_functions(std::string_view source, const std::string& name = {}, std::int32_t since = 0) {
    detail::call([&](tonnx_error** e) {
      return tonnx_registry_add_functions(get(), source.data() ? source.data() : "", source.size(),
                                          name.empty() ? nullptr : name.c_str(), since, e);
    });
    return *this;
  }
  // Declares the arguments of a symbolic, "v,i,is": they are checked before it is called. See
  // tonnx_registry_set_arguments.
  Registry& set_arguments(const std::string& name, std::int32_t since, const std::string& kinds) {
    detail::call(
        [&](tonnx_error** e) { return tonnx_registry_set_arguments(get(), name.c_str(), since, kinds.c_str(), e); });
    return *this;
  }
  Registry& remove(const std::string& name, std::int32_t since) {
    detail::call([&](tonnx_error** e) { return tonnx_registry_remove(get(), name.c_str(), since, e); });
    return *this;
  }
  struct Entry {
    std::string name;
    std::int32_t since;
    bool is_custom;
    std::string kind;  // "lowering", "write", ...: see tonnx_registry_kind
  };
  std::vector<Entry> entries() const {
    std::vector<Entry> all;
    for (std::size_t i = 0; i < tonnx_registry_count(get()); ++i)
      all.push_back({tonnx_registry_name(get(), i), tonnx_registry_since(get(), i),
                     tonnx_registry_is_custom(get(), i) != 0, tonnx_registry_kind(get(), i)});
    return all;
  }
  tonnx_registry* get() const { return handle_.get(); }

 private:
  static std::int32_t run(tonnx_graph* graph, const tonnx_node* node, tonnx_value* const* inputs, std::size_t count,
                          void* user_data) {
    try {
      std::vector<Value> values;
      for (std::size_t i = 0; i < count; ++i) values.emplace_back(inputs[i]);
      Graph building(graph);
      const auto results = (*static_cast<Symbolic*>(user_data))(building, Node(node), values);
      if (!results) return TONNX_SYMBOLIC_DECLINE;
      std::vector<tonnx_value*> handles;
      for (const Value& v : *results) handles.push_back(v.get());
      detail::call([&](tonnx_error** e) { return tonnx_graph_set_results(graph, handles.data(), handles.size(), e); });
      return TONNX_SYMBOLIC_DONE;
    } catch (const std::exception& e) {
      fail(graph, e.what());
    } catch (...) {
      fail(graph, "an exception that is not a std::exception");
    }
    return TONNX_SYMBOLIC_FAIL;
  }
  // Passes on the exception that is being handled.
  static void fail(tonnx_graph* graph, const char* message) {
    tonnx_graph_fail(graph, message, detail::as_cause(std::current_exception()), &detail::delete_exception);
  }
  detail::Handle<tonnx_registry, tonnx_registry_free> handle_;
};

}  // namespace tonnx

#endif
