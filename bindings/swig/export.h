// Registries, programs, models and functions without an object.
#ifndef TONNX_SWIG_EXPORT_H
#define TONNX_SWIG_EXPORT_H

#include <functional>
#include <memory>
#include <optional>
#include <stdint.h>
#include <string>
#include <vector>

#include "call.h"
#include "tonnx.hpp"
#include "values.h"

namespace tonnx::managed {

class Registry {
 public:
  Registry() = default;

  // Host::release(symbolic) is called after its last use, also if this call fails.
  void add(const std::string& name, int32_t since, int64_t symbolic) {
    const auto owner = std::make_shared<const Owned>(symbolic);
    registry_.add(
        name, since,
        [owner](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> std::optional<std::vector<Value>> {
          Call call(graph, node, inputs);
          switch (Host::get().apply(owner->number(), &call)) {
            case TONNX_SYMBOLIC_DONE: return call.results();
            case TONNX_SYMBOLIC_DECLINE: return std::nullopt;
            default: throw call.failure();
          }
        });
  }
  // `name` may be empty.
  void add_functions(const void* data, int64_t size, const std::string& name, int32_t since) {
    registry_.add_functions({static_cast<const char*>(data), static_cast<std::size_t>(size)}, name, since);
  }
  void set_arguments(const std::string& name, int32_t since, const std::string& kinds) {
    registry_.set_arguments(name, since, kinds);
  }
  void remove(const std::string& name, int32_t since) { registry_.remove(name, since); }

  int32_t count() const { return static_cast<int32_t>(tonnx_registry_count(registry_.get())); }
  std::string name(int32_t index) const { return tonnx_registry_name(registry_.get(), index); }
  int32_t since(int32_t index) const { return tonnx_registry_since(registry_.get(), index); }
  std::string kind(int32_t index) const { return tonnx_registry_kind(registry_.get(), index); }
  bool is_custom(int32_t index) const { return tonnx_registry_is_custom(registry_.get(), index) != 0; }

#ifndef SWIG
  const tonnx::Registry& get() const { return registry_; }
#endif

 private:
  tonnx::Registry registry_;
};

// Inputs, outputs, weights, operators and the graph of a program or a model.
class Contents : public Reader {
 public:
  std::vector<int32_t> inputs() { return values_.keep(contents_.inputs()); }
  std::vector<int32_t> outputs() { return values_.keep(contents_.outputs()); }
  std::vector<int32_t> weights() { return values_.keep(contents_.weights()); }
  std::vector<std::string> operators() const {
    std::vector<std::string> names;
    for (const auto& [name, uses] : contents_.operators()) names.push_back(name);
    return names;
  }
  std::vector<int64_t> operator_uses() const {
    std::vector<int64_t> all;
    for (const auto& [name, uses] : contents_.operators()) all.push_back(static_cast<int64_t>(uses));
    return all;
  }

#ifndef SWIG
  explicit Contents(tonnx::Contents&& contents) : Reader(contents.graph(), {}, {}), contents_(std::move(contents)) {}
#endif

 private:
  tonnx::Contents contents_;
};

class Program {
 public:
  static Program* load(const std::string& path) { return new Program(tonnx::Program::load(path)); }
  static Program* load_bytes(const void* data, int64_t size) {
    return new Program(tonnx::Program::load(data, static_cast<std::size_t>(size)));
  }

  // The same program with the weights of a state dict.
  Program* with_weights(const std::string& path) const { return new Program(program_.with_weights(path)); }
  // attributes may be null; file may be empty.
  static Program* compile(const std::string& source, const std::string& file, const Args* attributes) {
    return new Program(attributes ? tonnx::Program::compile(source, attributes->get(), file)
                                  : tonnx::Program::compile(source, {}, file));
  }
  // The address of a torch::jit::Module, borrowed for the call.
  static Program* from_module(int64_t jit_module, bool share_weights) {
    return new Program(tonnx::Program::from_module(reinterpret_cast<const void*>(jit_module), share_weights));
  }

  std::vector<std::string> methods() const { return program_.methods(); }
  // options may be null.
  Contents* contents(const Args& args, const Options* options) const {
    const tonnx::Options defaults;
    return new Contents(program_.contents(args.get(), options ? options->get() : defaults));
  }
  std::string text(const Args& args, const Options* options, int32_t format) const {
    const tonnx::Options defaults;
    return program_.text(args.get(), options ? options->get() : defaults, format);
  }

#ifndef SWIG
  explicit Program(tonnx::Program&& program) : program_(std::move(program)) {}
  const tonnx::Program& get() const { return program_; }
#endif

 private:
  tonnx::Program program_;
};

class VerifyOptions {
 public:
  VerifyOptions() = default;

  // Made from options.json by scripts/options.py.
  void rtol(double v) { options_.rtol(v); }
  void atol(double v) { options_.atol(v); }
  void operator_tolerance(const std::string& name, double rtol, double atol) {
    options_.operator_tolerance(name, rtol, atol);
  }
  void accepted_share(double v) { options_.accepted_share(v); }
  void check_dtype(bool v) { options_.check_dtype(v); }
  void check_shape(bool v) { options_.check_shape(v); }
  void provider(const std::string& v) { options_.provider(v); }
  void runtime_library(const std::string& v) { options_.runtime_library(v); }
  void size(const std::string& symbol, int64_t size) { options_.size(symbol, size); }
  void other_sizes(bool v) { options_.other_sizes(v); }
  void every_operator(bool v) { options_.every_operator(v); }
  // Made until here.
  void observer(const Observer& v) { options_.observer(v.get()); }

#ifndef SWIG
  const tonnx::VerifyOptions& get() const { return options_; }
#endif

 private:
  tonnx::VerifyOptions options_;
};

class SaveOptions {
 public:
  SaveOptions() = default;

  void external_data(int32_t v) { options_.external_data(v); }
  void observer(const Observer& v) { options_.observer(v.get()); }

#ifndef SWIG
  const tonnx::SaveOptions& get() const { return options_; }
#endif

 private:
  tonnx::SaveOptions options_;
};

class Model {
 public:
  // options may be null: the defaults.
  void save(const std::string& path, const SaveOptions* options) const {
    if (options) return model_.save(path, options->get());
    model_.save(path);
  }
  // Calls Host::receive(sink, ...) with the bytes of the file in order.
  void write(int64_t sink) const {
    detail::call([&](tonnx_error** error) { return tonnx_model_write(model_.get(), &receive, &sink, error); });
  }
  std::string text(int32_t format) const { return model_.text(format); }
  void check() const { model_.check(); }
  // args may be null for a trace. Anything that cannot be verified is an error.
  void verify(const Program& program, const Args* args) const {
    if (args) return model_.verify(program.get(), args->get());
    model_.verify(program.get());
  }
  // Returns what could not be verified.
  std::vector<std::string> verify_with(const Program& program, const Args* args, const VerifyOptions& options) const {
    if (args) return model_.verify(program.get(), args->get(), options.get());
    return model_.verify(program.get(), options.get());
  }
  std::string difference(const Model& other) const { return model_.difference(other.model_); }
  // The tensors that correspond to arguments or to a result, as positional arguments.
  Args* flat_inputs(const Args& args) const { return list_of(model_.flat_inputs(args.get())); }
  Args* flat_outputs(const Args& results) const { return list_of(model_.flat_outputs(results.get())); }
  std::string call() const { return model_.call(); }
  Contents* contents() const { return new Contents(model_.contents()); }
  std::vector<std::string> input_names() const { return model_.input_names(); }
  std::vector<std::string> output_names() const { return model_.output_names(); }
  int32_t opset() const { return model_.opset(); }
  int32_t ir_version() const { return model_.ir_version(); }
  std::vector<std::string> warnings() const { return model_.warnings(); }
  std::string report() const { return model_.report(); }

#ifndef SWIG
  explicit Model(tonnx::Model&& model) : model_(std::move(model)) {}
#endif

 private:
  static int32_t receive(tonnx_writer* writer, const void* data, std::size_t size, void* sink) {
    try {
      Chunk chunk(data, size);
      if (Host::get().receive(*static_cast<const int64_t*>(sink), &chunk) == 0) return 0;
      throw chunk.failure();
    } catch (const std::exception& thrown) {
      auto cause = std::make_unique<std::exception_ptr>(std::current_exception());
      tonnx_writer_fail(writer, thrown.what(), cause.release(), &detail::delete_exception);
    }
    return 1;
  }
  static Args* list_of(const std::vector<tonnx::Tensor>& tensors) {
    tonnx::Args list;
    for (const tonnx::Tensor& tensor : tensors) list.add(tensor);
    return new Args(std::move(list));
  }
  tonnx::Model model_;
};

// options and registry may be null: the defaults.
inline Model* export_program(const Program& program, const Args& args, const Options* options,
                             const Registry* registry) {
  const tonnx::Registry* symbolics = registry ? &registry->get() : nullptr;
  if (!options) return new Model(tonnx::export_program(program.get(), args.get(), {}, symbolics));
  return new Model(tonnx::export_program(program.get(), args.get(), options->get(), symbolics));
}

// Groups of arguments, borrowed until they are compared.
class Groups {
 public:
  Groups() = default;
  void add(const Args& args) { groups_.push_back(args.get()); }

#ifndef SWIG
  const std::vector<std::reference_wrapper<const tonnx::Args>>& get() const { return groups_; }
#endif

 private:
  std::vector<std::reference_wrapper<const tonnx::Args>> groups_;
};

// options and registry may be null: the defaults.
inline std::string export_difference(const Program& program, const Groups& groups, const Options* options,
                                     const Registry* registry) {
  const Options own;
  return tonnx::export_difference(program.get(), groups.get(), (options ? *options : own).get(),
                                  registry ? &registry->get() : nullptr);
}

class Mismatch {
 public:
  bool found() const { return mismatch_.found(); }
  std::vector<std::string> leaves() const { return mismatch_.leaves(); }
  std::string text() const { return mismatch_.text(); }
  std::string json() const { return mismatch_.json(); }
  void save_part(const std::string& id, const std::string& folder) const { mismatch_.save_part(id, folder); }
  Contents* program_contents(const std::string& id) const { return new Contents(mismatch_.program_contents(id)); }
  Contents* model_contents(const std::string& id) const { return new Contents(mismatch_.model_contents(id)); }

#ifndef SWIG
  explicit Mismatch(tonnx::Mismatch&& mismatch) : mismatch_(std::move(mismatch)) {}
#endif

 private:
  tonnx::Mismatch mismatch_;
};

// options, registry and verification may be null: the defaults.
inline Mismatch* find_mismatch(const Program& program, const Args& args, const Options* options,
                               const Registry* registry, const VerifyOptions* verification) {
  const tonnx::Registry* symbolics = registry ? &registry->get() : nullptr;
  const Options own;
  const VerifyOptions plain;
  return new Mismatch(tonnx::find_mismatch(program.get(), args.get(), (options ? *options : own).get(), symbolics,
                                           (verification ? *verification : plain).get()));
}

inline void load_operators(const std::string& path) { tonnx::load_operators(path); }
inline void register_operator(const std::string& schema) { tonnx::register_operator(schema); }
inline void save_report(const std::string& path, const std::string& report) { tonnx::save_report(path, report); }
inline void check_file(const std::string& path) { tonnx::check_file(path); }

// The outputs of a model file.
class Outputs {
 public:
  std::vector<std::string> names() const { return names_; }
  Args* tensors() const {
    tonnx::Args list;
    for (const tonnx::Tensor& tensor : tensors_) list.add(tensor);
    return new Args(std::move(list));
  }

#ifndef SWIG
  explicit Outputs(std::vector<std::pair<std::string, tonnx::Tensor>> outputs) {
    for (auto& [name, tensor] : outputs) {
      names_.push_back(name);
      tensors_.push_back(std::move(tensor));
    }
  }
#endif

 private:
  std::vector<std::string> names_;
  std::vector<tonnx::Tensor> tensors_;
};

// options may be null: the defaults.
inline Outputs* run_file(const std::string& path, const Args& inputs, const VerifyOptions* options) {
  const VerifyOptions plain;
  return new Outputs(tonnx::run_file(path, inputs.get(), (options ? *options : plain).get()));
}

inline void infer_file(const std::string& path, const std::string& result) { tonnx::infer_file(path, result); }
inline bool is_exporting() { return tonnx::is_exporting(); }
inline bool error_class_is(const std::string& name, const std::string& base) {
  const int32_t derives = tonnx_error_class_is(name.c_str(), base.c_str());
  return derives != 0;
}
inline std::string file_text(const std::string& path, int32_t format) { return tonnx::file_text(path, format); }
inline std::string file_picture(const std::string& path, int32_t format, const std::string& mismatch) {
  return tonnx::file_picture(path, format, mismatch);
}

inline int32_t libtorch_version() { return static_cast<int32_t>(tonnx::libtorch_version()); }
inline void load_libtorch(const std::string& folder) { tonnx::load_libtorch(folder); }
inline std::string version() { return tonnx_version(); }
inline int32_t version_number() { return static_cast<int32_t>(tonnx::version_number()); }
inline std::string build_info() { return tonnx_build_info(); }
inline int32_t opset_oldest() { return tonnx_opset_oldest(); }
inline int32_t opset_newest() { return tonnx_opset_newest(); }
inline int32_t opset_default() { return tonnx_opset_default(); }
inline std::string dtype_name(int32_t dtype) { return tonnx_dtype_name(dtype); }
inline int32_t dtype_from_name(const std::string& name) { return tonnx_dtype_from_name(name.c_str()); }
inline int32_t dtype_bits(int32_t dtype) { return static_cast<int32_t>(tonnx_dtype_bits(dtype)); }
inline int32_t dtype_size(int32_t dtype) { return static_cast<int32_t>(tonnx_dtype_size(dtype)); }
inline std::string status_name(int32_t status) { return tonnx_status_name(status); }

}  // namespace tonnx::managed

#endif
