#ifndef TONNX_PROGRAM_HPP
#define TONNX_PROGRAM_HPP

#include <functional>
#include <string>
#include <vector>

#include "tonnx/args.hpp"
#include "tonnx/contents.hpp"
#include "tonnx/options.hpp"
#include "tonnx/program.h"
#include "tonnx/trace_options.hpp"

namespace tonnx {

class Trace;

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
  // The same program with the weights of a state dict. See tonnx_program_with_weights.
  Program with_weights(const std::string& path) const {
    tonnx_program* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_program_with_weights(&made, get(), path.c_str(), e); });
    return Program(made);
  }
  // Compiles TorchScript source text: functions, as methods of a module with these attributes. See
  // tonnx_program_compile.
  static Program compile(const std::string& source, const Args& attributes = {}, const std::string& file = {}) {
    tonnx_program* made = nullptr;
    detail::call([&](tonnx_error** e) {
      return tonnx_program_compile(&made, source.c_str(), file.c_str(), attributes.get(), e);
    });
    return Program(made);
  }
  // Copies a torch::jit::Module * of this process, which is borrowed for the call. See tonnx_program_from_module, and
  // tonnx::program in tonnx/torch.hpp.
  static Program from_module(const void* jit_module, bool share_weights = false) {
    tonnx_program* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_program_from_module(&made, jit_module, share_weights, e); });
    return Program(made);
  }
  // Records the callback, at several sizes if the options declare dynamic axes. An exception of the first run leaves
  // this call unchanged; if a later run throws, another size is tried.
  static Program trace(const std::function<void(Trace&)>& callback, const Args& args, const TraceOptions& options = {});

  std::vector<std::string> methods() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < tonnx_program_method_count(get()); ++i) all.push_back(tonnx_program_method(get(), i));
    return all;
  }
  std::string text(const Args& args, const Options& options = {}, tonnx_text_format format = TONNX_TEXT_SHORT) const {
    tonnx_buffer* made = nullptr;
    detail::call(
        [&](tonnx_error** e) { return tonnx_program_text(&made, get(), args.get(), options.get(), format, e); });
    return detail::take(made);
  }
  // Inputs, outputs, weights and operators of the unconverted program. See tonnx_program_contents.
  Contents contents(const Args& args, const Options& options = {}) const {
    tonnx_contents* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_program_contents(&made, get(), args.get(), options.get(), e); });
    return Contents(made);
  }
  const tonnx_program* get() const { return handle_.get(); }

 private:
  friend class Recording;
  explicit Program(tonnx_program* taken) : handle_(taken) {}
  detail::Handle<tonnx_program, tonnx_program_free> handle_;
};

inline void load_operators(const std::string& path) {
  detail::call([&](tonnx_error** e) { return tonnx_operators_load_library(path.c_str(), e); });
}

inline void register_operator(const std::string& schema) {
  detail::call([&](tonnx_error** e) { return tonnx_operators_register(schema.c_str(), e); });
}

}  // namespace tonnx

#endif
