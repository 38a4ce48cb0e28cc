// Arguments of an export: tensors, example inputs, options, attributes of nodes.
#ifndef TONNX_SWIG_VALUES_H
#define TONNX_SWIG_VALUES_H

#include <functional>
#include <stdint.h>
#include <string>
#include <utility>
#include <vector>

#include "tonnx.hpp"

namespace tonnx::managed {

class Tensor {
 public:
  // Copies `size` bytes of row-major elements.
  Tensor(int32_t dtype, const std::vector<int64_t>& dims, const void* data, int64_t size)
      : tensor_(dtype, dims, data, static_cast<std::size_t>(size)) {}
  // The address of an at::Tensor, borrowed for the call.
  static Tensor* from_torch(int64_t at_tensor) {
    return new Tensor(tonnx::Tensor::from_torch(reinterpret_cast<const void*>(at_tensor)));
  }

  // The address of a new at::Tensor with a copy of the elements, which the managed side owns.
  int64_t to_torch() const { return reinterpret_cast<int64_t>(tensor_.to_torch()); }
  static void delete_torch(int64_t at_tensor) { tonnx_tensor_delete_torch(reinterpret_cast<void*>(at_tensor)); }

  int32_t dtype() const { return tensor_.dtype(); }
  std::vector<int64_t> dims() const { return tensor_.dims(); }
  // Bytes of all elements.
  int64_t size() const { return static_cast<int64_t>(tensor_.size()); }
  // Copies the elements' bytes from `offset` on; `size` of them.
  void read(int64_t offset, void* into, int64_t size) const {
    if (offset < 0 || size < 0)
      throw tonnx::Error(TONNX_STATUS_ARGUMENT, "the requested bytes are outside of the tensor");
    tensor_.read(static_cast<std::size_t>(offset), into, static_cast<std::size_t>(size));
  }

#ifndef SWIG
  explicit Tensor(tonnx::Tensor&& tensor) : tensor_(std::move(tensor)) {}
  const tonnx::Tensor& get() const { return tensor_; }
#endif

 private:
  tonnx::Tensor tensor_;
};

class Args {
 public:
  Args() = default;
  static Args* load(const std::string& path) { return new Args(tonnx::Args::load(path)); }

  void key(const std::string& name) { args_.key(name); }
  void add_tensor(const Tensor& tensor) { args_.add(tensor.get()); }
  void add_int(int64_t value) { args_.add_int(value); }
  void add_float(double value) { args_.add_float(value); }
  void add_bool(bool value) { args_.add_bool(value); }
  void add_string(const std::string& value) { args_.add_string(value); }
  void add_none() { args_.add_none(); }
  void begin_list() { args_.begin_list(); }
  void begin_tuple() { args_.begin_tuple(); }
  void begin_dict() { args_.begin_dict(); }
  void end() { args_.end(); }
  int32_t count() const { return static_cast<int32_t>(args_.count()); }
  Tensor* tensor(int32_t index) const { return new Tensor(args_.tensor(static_cast<std::size_t>(index))); }

#ifndef SWIG
  explicit Args(tonnx::Args&& args) : args_(std::move(args)) {}
  const tonnx::Args& get() const { return args_; }
#endif

 private:
  tonnx::Args args_;
};

class Observer;

class Options {
 public:
  Options() = default;

  // Made from options.json by scripts/options.py.
  void opset(int32_t v) { options_.opset(v); }
  void target(int32_t v) { options_.target(v); }
  void method(const std::string& v) { options_.method(v); }
  void mode(int32_t v) { options_.mode(v); }
  void training(int32_t v) { options_.training(v); }
  void constant_folding(bool v) { options_.constant_folding(v); }
  void merge_equal_weights(bool v) { options_.merge_equal_weights(v); }
  void export_params(bool v) { options_.export_params(v); }
  void initializers_as_inputs(int32_t v) { options_.initializers_as_inputs(v); }
  void operator_export_type(int32_t v) { options_.operator_export_type(v); }
  void autograd_inlining(bool v) { options_.autograd_inlining(v); }
  void check(bool v) { options_.check(v); }
  void invalid_model(const std::string& v) { options_.invalid_model(v); }
  void doc_strings(bool v) { options_.doc_strings(v); }
  void node_names(bool v) { options_.node_names(v); }
  void weight_names(bool v) { options_.weight_names(v); }
  void value_info(bool v) { options_.value_info(v); }
  void module_function(const std::string& v) { options_.module_function(v); }
  void written_outputs(bool v) { options_.written_outputs(v); }
  void warnings_as_errors(bool v) { options_.warnings_as_errors(v); }
  void sequence_inputs(bool v) { options_.sequence_inputs(v); }
  void sequence_outputs(bool v) { options_.sequence_outputs(v); }
  void input_name(const std::string& v) { options_.input_name(v); }
  void output_name(const std::string& v) { options_.output_name(v); }
  void dynamic_axis(const std::string& name, int64_t axis, const std::string& symbol) {
    options_.dynamic_axis(name, axis, symbol);
  }
  void all_axes_dynamic(bool v) { options_.all_axes_dynamic(v); }
  void fixed_dynamic_axes(int32_t v) { options_.fixed_dynamic_axes(v); }
  void fixed_axis(const std::string& v) { options_.fixed_axis(v); }
  void custom_opset(const std::string& domain, int64_t version) { options_.custom_opset(domain, version); }
  void max_seconds(int32_t v) { options_.max_seconds(v); }
  void max_steps(int32_t v) { options_.max_steps(v); }
  void max_constant_mib(int32_t v) { options_.max_constant_mib(v); }
  void max_call_depth(int32_t v) { options_.max_call_depth(v); }
  void print_after(const std::string& v) { options_.print_after(v); }
  void print_changes(bool v) { options_.print_changes(v); }
  void pass_statistics(bool v) { options_.pass_statistics(v); }
  // Made until here.
  void observer(const Observer& v);

#ifndef SWIG
  const tonnx::Options& get() const { return options_; }
#endif

 private:
  tonnx::Options options_;
};

class Attributes {
 public:
  Attributes() = default;

  void set_int(const std::string& name, int64_t value) { attributes_.set_int(name, value); }
  void set_float(const std::string& name, double value) { attributes_.set_float(name, value); }
  void set_string(const std::string& name, const std::string& value) { attributes_.set_string(name, value); }
  void set_tensor(const std::string& name, const Tensor& value) { attributes_.set_tensor(name, value.get()); }
  void set_ints(const std::string& name, const std::vector<int64_t>& values) { attributes_.set_ints(name, values); }
  void set_floats(const std::string& name, const std::vector<double>& values) { attributes_.set_floats(name, values); }
  void set_strings(const std::string& name, const std::vector<std::string>& values) {
    attributes_.set_strings(name, values);
  }
  // Adds a tensor to the list that set_tensors ends; borrowed until then.
  void add_tensor(const Tensor& value) { tensors_.push_back(value.get()); }
  void set_tensors(const std::string& name) { attributes_.set_tensors(name, std::exchange(tensors_, {})); }
  void set_type(const std::string& name, int32_t dtype, const std::vector<int64_t>& dims) {
    attributes_.set_type(name, dtype, dims);
  }

#ifndef SWIG
  void set_graph(const std::string& name, const tonnx::Graph& graph) { attributes_.set_graph(name, graph); }
  void set_suffixed(const std::string& name, const tonnx::Value& value) { attributes_.set_suffixed(name, value); }
  const tonnx::Attributes& get() const { return attributes_; }
#endif

 private:
  tonnx::Attributes attributes_;
  std::vector<std::reference_wrapper<const tonnx::Tensor>> tensors_;
};

}  // namespace tonnx::managed

#endif
