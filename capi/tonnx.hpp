// The C API for C++17 and newer: handles that free themselves, errors as exceptions, lambdas as callbacks. Header-only; the
// library's ABI stays that of tonnx.h. See tonnx.h for ownership and threads.
#ifndef TONNX_HPP
#define TONNX_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tonnx.h"

namespace tonnx {

struct Reason {
  std::string op;
  std::string text;
  std::string module;
  std::string source;
  std::int64_t places = 1;
};

namespace detail {

inline void delete_exception(void* cause) { delete static_cast<std::exception_ptr*>(cause); }

}  // namespace detail

// What a failed call says. what() is the whole message.
class Error : public std::runtime_error {
 public:
  Error(tonnx_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  explicit Error(const tonnx_error* error)
      : std::runtime_error(tonnx_error_message(error)),
        status_(tonnx_error_status(error)),
        class_name_(tonnx_error_class(error)),
        report_(tonnx_error_report(error)) {
    for (std::size_t i = 0; i < tonnx_error_reason_count(error); ++i)
      reasons_.push_back({tonnx_error_reason_operator(error, i), tonnx_error_reason_text(error, i),
                          tonnx_error_reason_module(error, i), tonnx_error_reason_source(error, i),
                          tonnx_error_reason_places(error, i)});
    if (const void* cause = tonnx_error_cause(error, &detail::delete_exception))
      cause_ = *static_cast<const std::exception_ptr*>(cause);
  }

  tonnx_status status() const { return status_; }
  const std::string& class_name() const { return class_name_; }
  const std::vector<Reason>& reasons() const { return reasons_; }
  // JSON of the export that failed; "" for other errors.
  const std::string& report() const { return report_; }
  // The exception that a symbolic threw; null for all other errors.
  const std::exception_ptr& cause() const { return cause_; }

 private:
  tonnx_status status_;
  std::string class_name_;
  std::string report_;
  std::vector<Reason> reasons_;
  std::exception_ptr cause_;
};

namespace detail {

// Collects the error of one call and throws it.
class Check {
 public:
  ~Check() { tonnx_error_free(error_); }
  tonnx_error** out() { return &error_; }
  void operator()(tonnx_status status) {
    if (status == TONNX_OK) return;
    if (!error_) throw Error(status, tonnx_status_name(status));
    throw Error(error_);
  }

 private:
  tonnx_error* error_ = nullptr;
};

template <class Call>
void call(Call&& body) {
  Check check;
  check(body(check.out()));
}

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* handle) const {
    Free(handle);
  }
};

template <class T, auto Free>
using Handle = std::unique_ptr<T, Deleter<Free>>;

inline std::string take(tonnx_buffer* buffer) {
  const Handle<tonnx_buffer, tonnx_buffer_free> owner(buffer);
  return std::string(static_cast<const char*>(tonnx_buffer_data(buffer)), tonnx_buffer_size(buffer));
}

}  // namespace detail

class Tensor {
 public:
  explicit Tensor(tonnx_tensor* taken) : handle_(taken) {}
  // Copies `size` bytes.
  Tensor(tonnx_dtype dtype, const std::vector<std::int64_t>& dims, const void* data, std::size_t size) {
    tonnx_tensor* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_tensor_new(&made, dtype, dims.data(), dims.size(), data, size, e); });
    handle_.reset(made);
  }
  // Borrows row-major memory, or memory of `strides` counted in elements; `release` runs when nothing needs it any longer,
  // on whichever thread, also if this call fails. It must not throw.
  static Tensor borrow(tonnx_dtype dtype, const std::vector<std::int64_t>& dims, const void* data,
                       std::function<void()> release = {}, const std::vector<std::int64_t>& strides = {}) {
    if (!strides.empty() && strides.size() != dims.size()) {
      if (release) release();
      throw Error(TONNX_ARGUMENT, "a tensor has as many strides as dimensions");
    }
    auto* owned = new std::function<void()>(std::move(release));
    tonnx_tensor* made = nullptr;
    detail::call([&](tonnx_error** e) {
      return tonnx_tensor_new_borrowed(&made, dtype, dims.data(), strides.empty() ? nullptr : strides.data(), dims.size(),
                                       data, owned,
                                       [](void* taken) {
                                         const std::unique_ptr<std::function<void()>> last(
                                             static_cast<std::function<void()>*>(taken));
                                         if (*last) (*last)();
                                       },
                                       e);
    });
    return Tensor(made);
  }
  // From an at::Tensor *.
  static Tensor from_torch(const void* at_tensor) {
    tonnx_tensor* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_tensor_from_torch(&made, at_tensor, e); });
    return Tensor(made);
  }

  // Takes a DLManagedTensor *, also on failure.
  static Tensor from_dlpack(void* managed_tensor) {
    tonnx_tensor* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_tensor_from_dlpack(&made, managed_tensor, e); });
    return Tensor(made);
  }

  // A new at::Tensor * with a copy of the elements; the caller deletes it.
  void* to_torch() const {
    void* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_tensor_to_torch(&made, get(), e); });
    return made;
  }
  // A new DLManagedTensor * with a copy of the elements; whoever takes it calls its deleter.
  void* to_dlpack() const {
    void* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_tensor_to_dlpack(&made, get(), e); });
    return made;
  }

  tonnx_dtype dtype() const { return tonnx_tensor_dtype(get()); }
  std::vector<std::int64_t> dims() const {
    const std::int64_t* first = tonnx_tensor_dims(get());
    return {first, first + tonnx_tensor_rank(get())};
  }
  const void* data() const { return tonnx_tensor_data(get()); }
  std::size_t size() const { return tonnx_tensor_size(get()); }
  const tonnx_tensor* get() const { return handle_.get(); }

 private:
  detail::Handle<tonnx_tensor, tonnx_tensor_free> handle_;
};

class Args {
 public:
  Args() {
    tonnx_args* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_args_new(&made, e); });
    handle_.reset(made);
  }
  // What torch.save wrote.
  static Args load(const std::string& path) {
    tonnx_args* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_args_load(&made, path.c_str(), e); });
    return Args(made);
  }

  Args& key(const std::string& name) { return run([&](auto* a, auto** e) { return tonnx_args_key(a, name.c_str(), e); }); }
  Args& add(const Tensor& tensor) {
    return run([&](auto* a, auto** e) { return tonnx_args_add_tensor(a, tensor.get(), e); });
  }
  Args& add_int(std::int64_t v) { return run([&](auto* a, auto** e) { return tonnx_args_add_int(a, v, e); }); }
  Args& add_float(double v) { return run([&](auto* a, auto** e) { return tonnx_args_add_float(a, v, e); }); }
  Args& add_bool(bool v) { return run([&](auto* a, auto** e) { return tonnx_args_add_bool(a, v, e); }); }
  Args& add_string(const std::string& v) {
    return run([&](auto* a, auto** e) { return tonnx_args_add_string(a, v.c_str(), e); });
  }
  Args& add_none() { return run([](auto* a, auto** e) { return tonnx_args_add_none(a, e); }); }
  Args& begin_list() { return run([](auto* a, auto** e) { return tonnx_args_begin_list(a, e); }); }
  Args& begin_tuple() { return run([](auto* a, auto** e) { return tonnx_args_begin_tuple(a, e); }); }
  Args& begin_dict() { return run([](auto* a, auto** e) { return tonnx_args_begin_dict(a, e); }); }
  Args& end() { return run([](auto* a, auto** e) { return tonnx_args_end(a, e); }); }
  std::size_t count() const { return tonnx_args_count(get()); }
  const tonnx_args* get() const { return handle_.get(); }

 private:
  friend class TraceOptions;
  explicit Args(tonnx_args* taken) : handle_(taken) {}
  template <class Call>
  Args& run(Call&& body) {
    detail::call([&](tonnx_error** e) { return body(handle_.get(), e); });
    return *this;
  }
  detail::Handle<tonnx_args, tonnx_args_free> handle_;
};

class Options {
 public:
  Options() {
    tonnx_options* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_options_new(&made, e); });
    handle_.reset(made);
  }

  // Made from options.json by scripts/options.py.

  // Opset of the default ONNX domain, from the oldest to the newest supported one. Default: 17.
  Options& opset(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_opset(o, v, e); });
  }

  // Method of the archive. Default: "forward".
  Options& method(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_method(o, v.c_str(), e); });
  }

  // Whether dropout and batch norm are exported in inference or training form. Default: TONNX_TRAINING_EVAL.
  Options& training(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_training(o, v, e); });
  }

  // Replace operators on weights by their results (from opset 9, in eval mode); those on constants alone always are.
  // Default: true.
  Options& constant_folding(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_constant_folding(o, v, e); });
  }

  // Store the weights' values; otherwise weights become inputs after the user's. Default: true.
  Options& export_params(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_export_params(o, v, e); });
  }

  // List initializers among the graph's inputs. Default: TONNX_INITIALIZERS_AS_INPUTS_AUTO.
  Options& initializers_as_inputs(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_initializers_as_inputs(o, v, e); });
  }

  // Run the ONNX checker on the result. Default: true.
  Options& check(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_check(o, v, e); });
  }

  // Write each node's source line as its doc_string. Default: false.
  Options& doc_strings(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_doc_strings(o, v, e); });
  }

  // Name of the next input: user inputs first, then weights in state-dict order. Default: the names of forward's
  // arguments, and state-dict keys.
  Options& input_name(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_add_input_name(o, v.c_str(), e); });
  }

  // Name of the next output. Default: the program's names, or output_N.
  Options& output_name(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_add_output_name(o, v.c_str(), e); });
  }

  // Axis of an input or output that is dynamic; negative axes count from the end. Without a symbol it is called
  // NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.
  Options& dynamic_axis(const std::string& name, std::int64_t axis, const std::string& symbol = {}) {
    const char* given = symbol.empty() ? nullptr : symbol.c_str();
    return run([&](auto* o, auto** e) { return tonnx_options_add_dynamic_axis(o, name.c_str(), axis, given, e); });
  }

  // Version of a custom domain in the model's opset imports. Default: 1.
  Options& custom_opset(const std::string& domain, std::int64_t version) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_custom_opset(o, domain.c_str(), version, e); });
  }
  // Made until here.

  const tonnx_options* get() const { return handle_.get(); }

 private:
  template <class Call>
  Options& run(Call&& body) {
    detail::call([&](tonnx_error** e) { return body(handle_.get(), e); });
    return *this;
  }
  detail::Handle<tonnx_options, tonnx_options_free> handle_;
};

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
    return run([&](auto* a, auto** e) { return tonnx_attributes_set_strings(a, name.c_str(), texts.data(), texts.size(), e); });
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
  const tonnx_attributes* get() const { return handle_.get(); }

 private:
  template <class Call>
  Attributes& run(Call&& body) {
    detail::call([&](tonnx_error** e) { return body(handle_.get(), e); });
    return *this;
  }
  detail::Handle<tonnx_attributes, tonnx_attributes_free> handle_;
};

// A value inside a symbolic; borrowed from the graph until the symbolic returns.
class Value {
 public:
  explicit Value(const tonnx_value* value = nullptr) : value_(const_cast<tonnx_value*>(value)) {}

  tonnx_dtype dtype() const { return tonnx_value_dtype(value_); }
  bool has_rank() const { return tonnx_value_has_rank(value_) != 0; }
  std::size_t rank() const { return tonnx_value_rank(value_); }
  std::int64_t dim(std::size_t axis) const { return tonnx_value_dim(value_, axis); }  // -1: dynamic or unknown
  std::string dim_symbol(std::size_t axis) const { return tonnx_value_dim_symbol(value_, axis); }
  bool is_none() const { return tonnx_value_is_none(value_) != 0; }
  bool is_constant() const { return tonnx_value_is_constant(value_) != 0; }
  std::int64_t to_int() const {
    std::int64_t v = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_int(&v, value_, e); });
    return v;
  }
  double to_float() const {
    double v = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_float(&v, value_, e); });
    return v;
  }
  bool to_bool() const {
    std::int32_t v = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_bool(&v, value_, e); });
    return v != 0;
  }
  std::string to_string() const {
    const char* v = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_string(&v, value_, e); });
    return v;
  }
  std::vector<std::int64_t> to_ints() const {
    const std::int64_t* v = nullptr;
    std::size_t n = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_ints(&v, &n, value_, e); });
    return {v, v + n};
  }
  std::vector<double> to_floats() const {
    const double* v = nullptr;
    std::size_t n = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_floats(&v, &n, value_, e); });
    return {v, v + n};
  }
  Tensor to_tensor() const {
    tonnx_tensor* v = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_tensor(&v, value_, e); });
    return Tensor(v);
  }
  std::vector<Value> to_list() const {
    tonnx_value* const* v = nullptr;
    std::size_t n = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_list(&v, &n, value_, e); });
    std::vector<Value> items;
    for (std::size_t i = 0; i < n; ++i) items.emplace_back(v[i]);
    return items;
  }
  void set_type(tonnx_dtype dtype, const std::vector<std::int64_t>& dims) {
    detail::call([&](tonnx_error** e) { return tonnx_value_set_type(value_, dtype, dims.data(), dims.size(), e); });
  }
  void copy_type(const Value& from) {
    detail::call([&](tonnx_error** e) { return tonnx_value_copy_type(value_, from.value_, e); });
  }
  tonnx_value* get() const { return value_; }

 private:
  tonnx_value* value_;
};

// The source operator inside a symbolic.
class Node {
 public:
  explicit Node(const tonnx_node* node) : node_(node) {}
  std::string name() const { return tonnx_node_operator(node_); }
  std::string overload() const { return tonnx_node_overload(node_); }
  std::string module() const { return tonnx_node_module(node_); }
  std::string source() const { return tonnx_node_source(node_); }
  std::int32_t argument(const std::string& name) const { return tonnx_node_argument(node_, name.c_str()); }
  std::string argument_name(std::size_t i) const { return tonnx_node_argument_name(node_, i); }
  std::size_t output_count() const { return tonnx_node_output_count(node_); }
  Value output(std::size_t i = 0) const { return Value(tonnx_node_output(node_, i)); }

 private:
  const tonnx_node* node_;
};

// The ONNX graph under construction inside a symbolic.
class Graph {
 public:
  explicit Graph(tonnx_graph* graph) : graph_(graph) {}

  Value op(const std::string& name, const std::vector<Value>& inputs, const Attributes* attributes = nullptr) {
    return op(name, inputs, attributes, 1).front();
  }
  Value op(const std::string& name, const std::vector<Value>& inputs, const Attributes& attributes) {
    return op(name, inputs, &attributes);
  }
  std::vector<Value> op(const std::string& name, const std::vector<Value>& inputs, const Attributes* attributes,
                        std::size_t outputs) {
    std::vector<tonnx_value*> handles;
    for (const Value& v : inputs) handles.push_back(v.get());
    std::vector<tonnx_value*> made(outputs);
    detail::call([&](tonnx_error** e) {
      return tonnx_graph_op(made.data(), made.size(), graph_, name.c_str(), handles.data(), handles.size(),
                            attributes ? attributes->get() : nullptr, e);
    });
    std::vector<Value> values;
    for (tonnx_value* v : made) values.emplace_back(v);
    return values;
  }
  Value constant(const Tensor& tensor) {
    tonnx_value* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_graph_constant(&made, graph_, tensor.get(), e); });
    return Value(made);
  }
  Value cast(const Value& value, tonnx_dtype dtype) {
    tonnx_value* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_graph_cast(&made, graph_, value.get(), dtype, e); });
    return Value(made);
  }
  std::int32_t opset() const { return tonnx_graph_opset(graph_); }

 private:
  tonnx_graph* graph_;
};

// Results of a symbolic, one per output; nullopt: "not me".
using Symbolic = std::function<std::optional<std::vector<Value>>(Graph& graph, const Node& node,
                                                                 const std::vector<Value>& inputs)>;

class Registry {
 public:
  Registry() {
    tonnx_registry* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_registry_new(&made, e); });
    handle_.reset(made);
  }

  // An exception of the symbolic becomes the export's error, with its text and itself as cause().
  Registry& add(const std::string& name, std::int32_t since, Symbolic symbolic) {
    auto* owned = new Symbolic(std::move(symbolic));
    detail::call([&](tonnx_error** e) {
      return tonnx_registry_add(get(), name.c_str(), since, &Registry::run, owned,
                                [](void* data) { delete static_cast<Symbolic*>(data); }, e);
    });
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
  };
  std::vector<Entry> entries() const {
    std::vector<Entry> all;
    for (std::size_t i = 0; i < tonnx_registry_count(get()); ++i)
      all.push_back({tonnx_registry_name(get(), i), tonnx_registry_since(get(), i),
                     tonnx_registry_is_custom(get(), i) != 0});
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
      detail::call([&](tonnx_error** e) { return tonnx_graph_return(graph, handles.data(), handles.size(), e); });
      return TONNX_SYMBOLIC_DONE;
    } catch (const std::exception& e) {
      fail(graph, e.what());
    } catch (...) {
      fail(graph, "an exception that is no std::exception");
    }
    return TONNX_SYMBOLIC_FAIL;
  }
  // The exception that is being handled goes along.
  static void fail(tonnx_graph* graph, const char* message) {
    tonnx_graph_fail_with(graph, message, new std::exception_ptr(std::current_exception()), &detail::delete_exception);
  }
  detail::Handle<tonnx_registry, tonnx_registry_free> handle_;
};

// How a trace is made.
class TraceOptions {
 public:
  TraceOptions() {
    tonnx_trace_options* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_trace_options_new(&made, e); });
    handle_.reset(made);
  }

  // Weights share the memory of the host's tensors, which must then stay as they are, instead of being copied.
  TraceOptions& share_weights(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_share_weights(o, v, e); });
  }
  // Run again as recorded, and refused where that does not give what the code returned. Default: true.
  TraceOptions& replay(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_replay(o, v, e); });
  }
  // Dynamic in every export; the code runs at several sizes. Without a symbol it has one of its own.
  TraceOptions& dynamic_axis(std::size_t input, std::int64_t axis, const std::string& symbol = {}) {
    return run([&](auto* o, auto** e) {
      return tonnx_trace_options_add_dynamic_axis(o, input, axis, symbol.c_str(), e);
    });
  }
  // One of the sizes at which the code runs.
  TraceOptions& size(const std::string& symbol, std::int64_t size) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_add_size(o, symbol.c_str(), size, e); });
  }
  TraceOptions& single_run(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_single_run(o, v, e); });
  }
  // Fills the empty arguments as the example's were, at these sizes by symbol.
  TraceOptions& resize(std::function<void(Args&, const std::map<std::string, std::int64_t>&)> fill) {
    using Fill = decltype(fill);
    const auto call = [](tonnx_args* args, const char* const* symbols, const std::int64_t* sizes, std::size_t count,
                         void* user) -> std::int32_t {
      try {
        std::map<std::string, std::int64_t> by_symbol;
        for (std::size_t i = 0; i < count; ++i) by_symbol[symbols[i]] = sizes[i];
        Args borrowed(args);
        struct Release {
          Args& args;
          ~Release() { args.handle_.release(); }
        } release{borrowed};
        (*static_cast<Fill*>(user))(borrowed, by_symbol);
        return 0;
      } catch (...) {
        return 1;
      }
    };
    return run([&](auto* o, auto** e) {
      return tonnx_trace_options_set_resize(o, call, new Fill(std::move(fill)),
                                            [](void* user) { delete static_cast<Fill*>(user); }, e);
    });
  }
  const tonnx_trace_options* get() const { return handle_.get(); }

 private:
  template <class Call>
  TraceOptions& run(Call&& body) {
    detail::call([&](tonnx_error** e) { return body(handle_.get(), e); });
    return *this;
  }
  detail::Handle<tonnx_trace_options, tonnx_trace_options_free> handle_;
};

// A run of the code that is traced. Tensors are at::Tensor *.
class Trace {
 public:
  explicit Trace(tonnx_trace* trace) : trace_(trace) {}
  std::size_t input_count() const { return tonnx_trace_input_count(trace_); }
  void* input(std::size_t i) const { return tonnx_trace_input(trace_, i); }
  // The same tensor as a new at::Tensor *, which the caller deletes.
  void* new_input(std::size_t i) {
    void* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_trace_new_input(&made, trace_, i, e); });
    return made;
  }
  void weight(const std::string& name, const void* at_tensor) {
    detail::call([&](tonnx_error** e) { return tonnx_trace_weight(trace_, name.c_str(), at_tensor, e); });
  }
  void output(const void* at_tensor, const std::string& name = {}) {
    detail::call([&](tonnx_error** e) {
      return tonnx_trace_output(trace_, name.empty() ? nullptr : name.c_str(), at_tensor, e);
    });
  }
  // A size of a recorded tensor as a recorded value: a rank-0 int64 at::Tensor *, borrowed until the run ends.
  void* size(const void* at_tensor, std::int64_t axis) {
    void* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_trace_size(&made, trace_, at_tensor, axis, e); });
    return made;
  }
  void enter(const std::string& type, const std::string& name) {
    detail::call([&](tonnx_error** e) { return tonnx_trace_enter(trace_, type.c_str(), name.c_str(), e); });
  }
  void leave() {
    detail::call([&](tonnx_error** e) { return tonnx_trace_leave(trace_, e); });
  }

  // While it lives, operators belong to the module `name` of class `type`.
  class Module {
   public:
    Module(Trace& trace, const std::string& type, const std::string& name) : trace_(trace.trace_) {
      trace.enter(type, name);
    }
    ~Module() { tonnx_trace_leave(trace_, nullptr); }
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

   private:
    tonnx_trace* trace_;
  };

 protected:
  tonnx_trace* trace_;
};

class Program {
 public:
  static Program load(const std::string& path) {
    tonnx_program* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_program_load(&made, path.c_str(), e); });
    return Program(made);
  }
  static Program load(const void* data, std::size_t size) {
    tonnx_program* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_program_load_bytes(&made, data, size, e); });
    return Program(made);
  }
  // Records the callback, at several sizes where the options tell dynamic axes. What it throws in the first run comes out
  // of this call unchanged; in a later one, another size is tried.
  static Program trace(const std::function<void(Trace&)>& callback, const Args& args, const TraceOptions& options = {});

  std::vector<std::string> methods() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < tonnx_program_method_count(get()); ++i) all.push_back(tonnx_program_method(get(), i));
    return all;
  }
  std::string text(const Args& args, const Options& options = {}) const {
    tonnx_buffer* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_program_text(&made, get(), args.get(), options.get(), e); });
    return detail::take(made);
  }
  const tonnx_program* get() const { return handle_.get(); }

 private:
  friend class Recording;
  explicit Program(tonnx_program* taken) : handle_(taken) {}
  detail::Handle<tonnx_program, tonnx_program_free> handle_;
};

// A trace of code that is no callback, on this thread, from construction to end():
//   Recording recording(args);
//   do { run the code on recording.input(0), ...; recording.output(...); } while (recording.next());
//   Program program = recording.end();
// Destroyed without end(), it stops.
class Recording : public Trace {
 public:
  explicit Recording(const Args& args, const TraceOptions& options = {}) : Trace(nullptr) {
    detail::call([&](tonnx_error** e) { return tonnx_trace_begin(&trace_, args.get(), options.get(), e); });
    handle_.reset(trace_);
  }
  // The code does not run at these sizes: next() drops the run. In the first run next() fails with this text.
  void fail(const std::string& message) { tonnx_trace_fail(trace_, message.c_str()); }
  // Ends a run. True: another has begun.
  bool next() {
    std::int32_t again = 0;
    detail::call([&](tonnx_error** e) { return tonnx_trace_next(&again, trace_, e); });
    return again != 0;
  }
  Program end() {
    tonnx_program* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_trace_end(&made, trace_, e); });
    return Program(made);
  }

 private:
  detail::Handle<tonnx_trace, tonnx_trace_free> handle_;
};

inline Program Program::trace(const std::function<void(Trace&)>& callback, const Args& args,
                              const TraceOptions& options) {
  Recording recording(args, options);
  bool first = true;
  do {
    try {
      callback(recording);
    } catch (const std::exception& e) {
      if (first) throw;
      recording.fail(e.what());
    } catch (...) {
      if (first) throw;
      recording.fail("an exception that is no std::exception");
    }
    first = false;
  } while (recording.next());
  return recording.end();
}

// How a model is compared with its program.
class VerifyOptions {
 public:
  VerifyOptions() {
    tonnx_verify_options* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_verify_options_new(&made, e); });
    handle_.reset(made);
  }

  // Negative: by the loosest dtype in the model.
  VerifyOptions& tolerance(double rtol, double atol) {
    detail::call([&](tonnx_error** e) { return tonnx_verify_options_set_tolerance(handle_.get(), rtol, atol, e); });
    return *this;
  }
  // Of a dynamic axis, by its symbol, in the run beside the example's.
  VerifyOptions& size(const std::string& symbol, std::int64_t size) {
    detail::call(
        [&](tonnx_error** e) { return tonnx_verify_options_add_size(handle_.get(), symbol.c_str(), size, e); });
    return *this;
  }
  // False: the example's sizes alone.
  VerifyOptions& other_sizes(bool v) {
    detail::call([&](tonnx_error** e) { return tonnx_verify_options_set_other_sizes(handle_.get(), v, e); });
    return *this;
  }
  const tonnx_verify_options* get() const { return handle_.get(); }

 private:
  detail::Handle<tonnx_verify_options, tonnx_verify_options_free> handle_;
};

class Model {
 public:
  void save(const std::string& path, std::int32_t external_data = TONNX_EXTERNAL_DATA_AUTO) const {
    detail::call([&](tonnx_error** e) { return tonnx_model_save(get(), path.c_str(), external_data, e); });
  }
  // Gives the file's bytes in order; false stops. An exception of `receive` comes out of this call unchanged.
  void write(const std::function<bool(const void*, std::size_t)>& receive) const {
    struct State {
      const std::function<bool(const void*, std::size_t)>& receive;
      std::exception_ptr thrown;
    } state{receive, nullptr};
    detail::Check check;
    const tonnx_status status = tonnx_model_write(
        get(),
        [](const void* data, std::size_t size, void* user) -> std::int32_t {
          auto* s = static_cast<State*>(user);
          try {
            return s->receive(data, size) ? 0 : 1;
          } catch (...) {
            s->thrown = std::current_exception();
            return 1;
          }
        },
        &state, check.out());
    if (state.thrown) std::rethrow_exception(state.thrown);
    check(status);
  }
  // To an open file descriptor, which stays open.
  void write(int descriptor) const {
    detail::call([&](tonnx_error** e) { return tonnx_model_write_fd(get(), descriptor, e); });
  }
  std::string bytes() const {
    tonnx_buffer* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_model_bytes(&made, get(), e); });
    return detail::take(made);
  }
  std::string text(std::int32_t format = TONNX_TEXT_SHORT) const {
    tonnx_buffer* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_model_text(&made, get(), format, e); });
    return detail::take(made);
  }
  void check() const {
    detail::call([&](tonnx_error** e) { return tonnx_model_check(get(), e); });
  }
  // Negative tolerances stand for those of the dtype. Only a trace needs no arguments.
  void verify(const Program& program, double rtol = -1, double atol = -1) const {
    detail::call([&](tonnx_error** e) { return tonnx_model_verify(get(), program.get(), nullptr, rtol, atol, e); });
  }
  void verify(const Program& program, const Args& args, double rtol = -1, double atol = -1) const {
    detail::call([&](tonnx_error** e) { return tonnx_model_verify(get(), program.get(), args.get(), rtol, atol, e); });
  }
  // Gives a line for each thing that could not be verified.
  std::vector<std::string> verify(const Program& program, const Args& args, const VerifyOptions& options) const {
    tonnx_buffer* made = nullptr;
    detail::call([&](tonnx_error** e) {
      return tonnx_model_verify_with(&made, get(), program.get(), args.get(), options.get(), e);
    });
    std::vector<std::string> lines;
    const std::string text = detail::take(made);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }
  std::vector<std::string> input_names() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < tonnx_model_input_count(get()); ++i) all.push_back(tonnx_model_input_name(get(), i));
    return all;
  }
  std::vector<std::string> output_names() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < tonnx_model_output_count(get()); ++i) all.push_back(tonnx_model_output_name(get(), i));
    return all;
  }
  std::int32_t opset() const { return tonnx_model_opset(get()); }
  std::int32_t ir_version() const { return tonnx_model_ir_version(get()); }
  std::vector<std::string> warnings() const {
    const tonnx_report* report = tonnx_model_report(get());
    std::vector<std::string> all;
    for (std::size_t i = 0; i < tonnx_report_warning_count(report); ++i) all.push_back(tonnx_report_warning(report, i));
    return all;
  }
  std::string report() const { return tonnx_report_json(tonnx_model_report(get())); }
  const tonnx_model* get() const { return handle_.get(); }

 private:
  friend Model export_program(const Program&, const Args&, const Options&, const Registry*);
  explicit Model(tonnx_model* taken) : handle_(taken) {}
  detail::Handle<tonnx_model, tonnx_model_free> handle_;
};

inline Model export_program(const Program& program, const Args& args, const Options& options = {},
                            const Registry* registry = nullptr) {
  tonnx_model* made = nullptr;
  detail::call([&](tonnx_error** e) {
    return tonnx_export(&made, program.get(), args.get(), options.get(), registry ? registry->get() : nullptr, e);
  });
  return Model(made);
}

inline Model export_program(const Program& program, const Args& args, const Options& options,
                            const Registry& registry) {
  return export_program(program, args, options, &registry);
}

inline void load_operators(const std::string& path) {
  detail::call([&](tonnx_error** e) { return tonnx_operators_load_library(path.c_str(), e); });
}

inline void register_operator(const std::string& schema) {
  detail::call([&](tonnx_error** e) { return tonnx_operators_register(schema.c_str(), e); });
}

inline void check_file(const std::string& path) {
  detail::call([&](tonnx_error** e) { return tonnx_file_check(path.c_str(), e); });
}

inline std::string file_text(const std::string& path, std::int32_t format = TONNX_TEXT_SHORT) {
  tonnx_buffer* made = nullptr;
  detail::call([&](tonnx_error** e) { return tonnx_file_text(&made, path.c_str(), format, e); });
  return detail::take(made);
}

inline std::string version() { return tonnx_version(); }
inline std::string build_info() { return tonnx_build_info(); }
inline std::int32_t opset_oldest() { return tonnx_opset_oldest(); }
inline std::int32_t opset_newest() { return tonnx_opset_newest(); }
inline std::int32_t opset_default() { return tonnx_opset_default(); }
inline std::string dtype_name(tonnx_dtype dtype) { return tonnx_dtype_name(dtype); }
inline tonnx_dtype dtype_from_name(const std::string& name) { return tonnx_dtype_from_name(name.c_str()); }
inline std::size_t dtype_size(tonnx_dtype dtype) { return tonnx_dtype_size(dtype); }
// Deletes what Tensor::to_torch made.
inline void delete_torch(void* at_tensor) { tonnx_tensor_delete_torch(at_tensor); }

}  // namespace tonnx

#endif
