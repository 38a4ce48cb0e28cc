#ifndef TONNX_MODEL_HPP
#define TONNX_MODEL_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tonnx/model.h"
#include "tonnx/observer.hpp"
#include "tonnx/program.hpp"
#include "tonnx/registry.hpp"
#include "tonnx/report.h"
#include "tonnx/save_options.hpp"
#include "tonnx/verify_options.h"

namespace tonnx {

// How to compare a model with its program.
class VerifyOptions {
 public:
  VerifyOptions() {
    tonnx_verify_options* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_verify_options_new(&made, e); });
    handle_.reset(made);
  }

  // Made from options.json by scripts/options.py.

  // Relative tolerance: |model - program| <= atol + rtol * |program|. Negative: the default. Integers are compared
  // exactly. Default: by the loosest floating dtype in the model (float16 and bfloat16 1e-2, float32 1e-3, on an
  // accelerator 1e-2, float64 1e-5).
  VerifyOptions& rtol(double v) {
    return run([&](auto* o, auto** e) { return tonnx_verify_options_set_rtol(o, v, e); });
  }

  // Absolute tolerance, added to rtol * |program|. Negative: the default. Default: by the loosest floating dtype in the
  // model (float16 and bfloat16 1e-3, float32 1e-5, on an accelerator 1e-3, float64 1e-7).
  VerifyOptions& atol(double v) {
    return run([&](auto* o, auto** e) { return tonnx_verify_options_set_atol(o, v, e); });
  }

  // Tolerances of the results of an operator, by its name ('aten::gelu', or 'aten::add.Tensor' for one overload):
  // outputs of the model that it makes, also through views, but not through a branch or another operator; and, in a
  // search for the operators that differ, the results of each part that it makes. A negative value means rtol or atol.
  // Lists of tuples or dicts have none. A verification warns of a tolerance that no output uses. Default: none: rtol
  // and atol for all results.
  VerifyOptions& operator_tolerance(const std::string& name, double rtol, double atol) {
    return run(
        [&](auto* o, auto** e) { return tonnx_verify_options_add_operator_tolerance(o, name.c_str(), rtol, atol, e); });
  }

  // Share of the elements of an output that may differ by more than the tolerances, from 0 to 1. Default: 0, also if it
  // is negative: no element may differ.
  VerifyOptions& accepted_share(double v) {
    return run([&](auto* o, auto** e) { return tonnx_verify_options_set_accepted_share(o, v, e); });
  }

  // Compare dtypes. If off, an output may have another dtype of the same kind, and its values are compared. Default:
  // true.
  VerifyOptions& check_dtype(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_verify_options_set_check_dtype(o, v, e); });
  }

  // Compare shapes. If off, an output may have another shape with the same number of elements, which are compared in
  // order. Default: true.
  VerifyOptions& check_shape(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_verify_options_set_check_shape(o, v, e); });
  }

  // Execution provider of ONNX Runtime: 'cpu' or 'cuda', which needs an ONNX Runtime that has it. Empty: the CPU.
  // Default: "".
  VerifyOptions& provider(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_verify_options_set_provider(o, v.c_str(), e); });
  }

  // Shared library with custom operators for ONNX Runtime (RegisterCustomOps), which runs the model. Default: none.
  VerifyOptions& runtime_library(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_verify_options_add_runtime_library(o, v.c_str(), e); });
  }

  // Size of a dynamic axis, by its symbol, in the second run. Default: one that tonnx chooses; for a trace, one that it
  // was run at.
  VerifyOptions& size(const std::string& symbol, std::int64_t size) {
    return run([&](auto* o, auto** e) { return tonnx_verify_options_add_size(o, symbol.c_str(), size, e); });
  }

  // Also compare at another size of each dynamic axis, and with each axis that is broadcast with another one at size 1.
  // Default: true.
  VerifyOptions& other_sizes(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_verify_options_set_other_sizes(o, v, e); });
  }

  // When searching for the operators that differ, also compare every operator alone, on LibTorch's values. This finds
  // differences that the outputs hide. Default: false.
  VerifyOptions& every_operator(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_verify_options_set_every_operator(o, v, e); });
  }
  // Made until here.

  // Observes the calls with these options.
  VerifyOptions& observer(const Observer& v) {
    return run([&](auto* o, auto** e) { return tonnx_verify_options_set_observer(o, v.get(), e); });
  }

  const tonnx_verify_options* get() const { return handle_.get(); }

 private:
  template <class Call>
  VerifyOptions& run(Call&& body) {
    detail::call([&](tonnx_error** e) { return body(handle_.get(), e); });
    return *this;
  }
  detail::Handle<tonnx_verify_options, tonnx_verify_options_free> handle_;
};

// Receives the bytes of a file from a serializer.
class Writer {
 public:
  explicit Writer(tonnx_writer* borrowed) : writer_(borrowed) {}
  void write(const void* data, std::size_t size) {
    detail::call([&](tonnx_error** e) { return tonnx_writer_write(writer_, data, size, e); });
  }

 private:
  friend class Model;
  // Returns 0 if `body` returns true. Passes on its exception.
  template <class Body>
  static std::int32_t run(tonnx_writer* writer, const Body& body) {
    try {
      return body() ? 0 : 1;
    } catch (const std::exception& e) {
      fail(writer, e.what());
    } catch (...) {
      fail(writer, "an exception that is not a std::exception");
    }
    return 1;
  }
  static void fail(tonnx_writer* writer, const char* message) {
    tonnx_writer_fail(writer, message, detail::as_cause(std::current_exception()), &detail::delete_exception);
  }
  tonnx_writer* writer_;
};

class Model {
 public:
  void save(const std::string& path) const {
    detail::call([&](tonnx_error** e) { return tonnx_model_save(get(), path.c_str(), nullptr, e); });
  }
  void save(const std::string& path, const SaveOptions& options) const {
    detail::call([&](tonnx_error** e) { return tonnx_model_save(get(), path.c_str(), options.get(), e); });
  }
  void save(const std::string& path, tonnx_external_data external_data) const {
    save(path, SaveOptions().external_data(external_data));
  }
  // Saves the model in the format of `serialize`. An exception of `serialize` leaves this call unchanged.
  void save(const std::string& path, const std::function<void(const Model&, Writer&)>& serialize) const {
    struct State {
      const Model& model;
      const std::function<void(const Model&, Writer&)>& serialize;
    } state{*this, serialize};
    detail::call_with_callback([&](tonnx_error** e) {
      return tonnx_model_serialize(
          get(), path.c_str(),
          [](const tonnx_model*, tonnx_writer* writer, void* user) -> std::int32_t {
            const auto* s = static_cast<const State*>(user);
            return Writer::run(writer, [&] {
              Writer to(writer);
              s->serialize(s->model, to);
              return true;
            });
          },
          &state, e);
    });
  }
  // Passes the bytes of the file to `receive`, in order; it returns false to stop. An exception of `receive` leaves
  // this call unchanged.
  void write(const std::function<bool(const void*, std::size_t)>& receive) const {
    detail::call_with_callback([&](tonnx_error** e) {
      return tonnx_model_write(
          get(),
          [](tonnx_writer* writer, const void* data, std::size_t size, void* user) -> std::int32_t {
            const auto& to = *static_cast<const std::function<bool(const void*, std::size_t)>*>(user);
            return Writer::run(writer, [&] { return to(data, size); });
          },
          const_cast<std::function<bool(const void*, std::size_t)>*>(&receive), e);
    });
  }
  // Writes to an open file descriptor, which stays open.
  void write(int descriptor) const {
    detail::call([&](tonnx_error** e) { return tonnx_model_write_fd(get(), descriptor, e); });
  }
  std::string bytes() const {
    tonnx_buffer* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_model_bytes(&made, get(), e); });
    return detail::take(made);
  }
  std::string text(tonnx_text_format format = TONNX_TEXT_SHORT) const {
    tonnx_buffer* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_model_text(&made, get(), format, e); });
    return detail::take(made);
  }
  void check() const {
    detail::call([&](tonnx_error** e) { return tonnx_model_check(get(), e); });
  }
  // A negative tolerance means the default of the dtype. Only a trace may omit the arguments.
  void verify(const Program& program, double rtol = -1, double atol = -1) const {
    verify(program, nullptr, rtol, atol);
  }
  void verify(const Program& program, const Args& args, double rtol = -1, double atol = -1) const {
    verify(program, args.get(), rtol, atol);
  }
  // Returns a line for each thing that could not be verified.
  std::vector<std::string> verify(const Program& program, const VerifyOptions& options) const {
    return verify(program, nullptr, options);
  }
  std::vector<std::string> verify(const Program& program, const Args& args, const VerifyOptions& options) const {
    return verify(program, args.get(), options);
  }
  // Describes the first node at which this model and the other one differ; empty if they are equal. See
  // tonnx_model_difference.
  std::string difference(const Model& other) const {
    tonnx_buffer* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_model_difference(&made, get(), other.get(), e); });
    return detail::take(made);
  }
  // The tensors for the model's inputs or outputs that correspond to arguments or to a result of the program. See
  // tonnx_model_flat_inputs.
  std::vector<Tensor> flat_inputs(const Args& args) const { return flat(tonnx_model_flat_inputs, args); }
  std::vector<Tensor> flat_outputs(const Args& results) const { return flat(tonnx_model_flat_outputs, results); }
  // The argument trees of the program as a JSON object; "" if the program does not have them. See tonnx_model_call.
  std::string call() const { return tonnx_model_call(get()); }
  // Inputs, outputs, weights and operators of the model.
  Contents contents() const {
    tonnx_contents* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_model_contents(&made, get(), e); });
    return Contents(made);
  }
  std::vector<std::string> input_names() const {
    const Contents all = contents();
    return names(all.inputs());
  }
  std::vector<std::string> output_names() const {
    const Contents all = contents();
    return names(all.outputs());
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
  static std::vector<std::string> names(const std::vector<Value>& values) {
    std::vector<std::string> all;
    for (const Value& value : values) all.push_back(value.name());
    return all;
  }
  template <class Flat>
  std::vector<Tensor> flat(Flat flatten, const Args& given) const {
    tonnx_args* made = nullptr;
    detail::call([&](tonnx_error** e) { return flatten(&made, get(), given.get(), e); });
    const Args list(made);
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < list.count(); ++i) tensors.push_back(list.tensor(i));
    return tensors;
  }
  void verify(const Program& program, const tonnx_args* args, double rtol, double atol) const {
    VerifyOptions options;
    options.rtol(rtol).atol(atol);
    detail::call(
        [&](tonnx_error** e) { return tonnx_model_verify(nullptr, get(), program.get(), args, options.get(), e); });
  }
  std::vector<std::string> verify(const Program& program, const tonnx_args* args, const VerifyOptions& options) const {
    tonnx_buffer* made = nullptr;
    detail::call(
        [&](tonnx_error** e) { return tonnx_model_verify(&made, get(), program.get(), args, options.get(), e); });
    std::vector<std::string> lines;
    const std::string text = detail::take(made);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }
  friend Model export_program(const Program&, const Args&, const Options&, const Registry*);
  explicit Model(tonnx_model* taken) : handle_(taken) {}
  detail::Handle<tonnx_model, tonnx_model_free> handle_;
};

inline Model export_program(const Program& program, const Args& args, const Options& options = {},
                            const Registry* registry = nullptr) {
  tonnx_model* made = nullptr;
  detail::call([&](tonnx_error** e) {
    return tonnx_program_export(&made, program.get(), args.get(), options.get(), registry ? registry->get() : nullptr,
                                e);
  });
  return Model(made);
}

inline Model export_program(const Program& program, const Args& args, const Options& options,
                            const Registry& registry) {
  return export_program(program, args, options, &registry);
}

// Exports the program for each group of arguments, and describes the first node at which a model differs from that of
// the first group; empty if all are equal. See tonnx_program_export_difference.
inline std::string export_difference(const Program& program,
                                     const std::vector<std::reference_wrapper<const Args>>& groups,
                                     const Options& options = {}, const Registry* registry = nullptr) {
  std::vector<const tonnx_args*> given;
  for (const Args& args : groups) given.push_back(args.get());
  tonnx_buffer* made = nullptr;
  detail::call([&](tonnx_error** e) {
    return tonnx_program_export_difference(&made, program.get(), given.data(), given.size(), options.get(),
                                           registry ? registry->get() : nullptr, e);
  });
  return detail::take(made);
}

// Writes a report, Model::report() or Error::report(), as SARIF to a file NAME.sarif. See tonnx_report_save.
inline void save_report(const std::string& path, const std::string& report) {
  detail::call([&](tonnx_error** e) { return tonnx_report_save(path.c_str(), report.c_str(), e); });
}

inline void check_file(const std::string& path) {
  detail::call([&](tonnx_error** e) { return tonnx_file_check(path.c_str(), e); });
}

// The outputs of a model file and their names. See tonnx_file_run.
inline std::vector<std::pair<std::string, Tensor>> run_file(const std::string& path, const Args& inputs,
                                                            const VerifyOptions& options = {}) {
  tonnx_args* made = nullptr;
  tonnx_buffer* made_names = nullptr;
  detail::call([&](tonnx_error** e) {
    return tonnx_file_run(&made, &made_names, path.c_str(), inputs.get(), options.get(), e);
  });
  const detail::Handle<tonnx_args, tonnx_args_free> outputs(made);
  const std::string names = detail::take(made_names);
  std::vector<std::pair<std::string, Tensor>> results;
  for (std::size_t i = 0, begin = 0; i < tonnx_args_count(outputs.get()); ++i) {
    const std::size_t end = names.find('\0', begin);
    tonnx_tensor* tensor = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_args_tensor(&tensor, outputs.get(), i, e); });
    results.emplace_back(names.substr(begin, end - begin), Tensor(tensor));
    begin = end + 1;
  }
  return results;
}

// Writes the model with inferred types and shapes to another file. See tonnx_file_infer.
inline void infer_file(const std::string& path, const std::string& result) {
  detail::call([&](tonnx_error** e) { return tonnx_file_infer(path.c_str(), result.c_str(), e); });
}

// True inside an export or a trace of this thread. See tonnx_is_exporting.
inline bool is_exporting() { return tonnx_is_exporting() != 0; }

inline std::string file_text(const std::string& path, tonnx_text_format format = TONNX_TEXT_SHORT) {
  tonnx_buffer* made = nullptr;
  detail::call([&](tonnx_error** e) { return tonnx_file_text(&made, path.c_str(), format, e); });
  return detail::take(made);
}

// `mismatch`: empty, or Mismatch::json(), whose operators that differ are marked.
inline std::string file_picture(const std::string& path, tonnx_text_format format = TONNX_TEXT_HTML,
                                const std::string& mismatch = "") {
  tonnx_buffer* made = nullptr;
  const char* marked = mismatch.empty() ? nullptr : mismatch.c_str();
  detail::call([&](tonnx_error** e) { return tonnx_file_picture(&made, path.c_str(), format, marked, e); });
  return detail::take(made);
}

}  // namespace tonnx

#endif
