#include "torch/op_library.h"

#include <deque>
#include <dlfcn.h>
#include <mutex>
#include <sstream>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/library.h>

#include "aten/schemas.h"
#include "ir/error.h"
#include "torch/guard.h"
#include "torch/known_operators.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;

namespace {

std::mutex& registration_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::string text_of_schema(const c10::FunctionSchema& schema) {
  std::ostringstream out;
  out << schema;
  return out.str();
}

// Returns false if it is already registered.
bool define(const std::string& text) {
  // Never destroyed: removing an operator at exit would race with LibTorch's own destructors.
  static auto& libraries = *new std::deque<::torch::Library>();
  c10::FunctionSchema schema = guarded(Code::Argument, "'" + text + "' is not an operator schema",
                                       [&] { return ::torch::jit::parseSchema(text); });
  schema.setAliasAnalysis(c10::AliasAnalysisKind::FROM_SCHEMA);
  const std::size_t colons = schema.name().find("::");
  if (colons == std::string::npos)
    throw Error(Code::Argument, "'" + text + "' is not an operator schema: the name needs a namespace, as in 'ns::op'");
  const std::lock_guard lock(registration_mutex());
  if (const auto known = c10::Dispatcher::singleton().findSchema(schema.operator_name())) {
    if (text_of_schema(known->schema()) == text_of_schema(schema)) return false;
    throw Error(Code::Argument,
                "operator " + schema.name() + " already has another schema: " + text_of_schema(known->schema()));
  }
  guarded(Code::Argument, "'" + text + "' cannot be registered", [&] {
    libraries.emplace_back(::torch::Library::FRAGMENT, schema.name().substr(0, colons), std::nullopt, __FILE__,
                           __LINE__);
    libraries.back().def(std::move(schema));
  });
  return true;
}

// Makes LibTorch's symbols available to libraries that are loaded later and do not link it.
void publish_libtorch() {
  Dl_info libtorch;
  if (::dladdr(reinterpret_cast<const void*>(&c10::Dispatcher::realSingleton), &libtorch))
    ::dlopen(libtorch.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}

bool open(const std::string& path) { return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr; }

}  // namespace

void load_library(const std::string& path) {
  // By path, never by the loader's search. Symbols stay local, since operators are found through LibTorch's registry.
  const std::string name = path.find('/') == std::string::npos ? "./" + path : path;
  const std::lock_guard lock(registration_mutex());
  if (!open(name)) {
    publish_libtorch();
    if (open(name)) return;
    const char* reason = ::dlerror();
    throw Error(Code::File, "library '" + path + "' cannot be loaded: " + (reason ? reason : "unknown reason"));
  }
}

void register_schema(const std::string& schema) { define(schema); }

bool register_known_operators(const std::string& op) {
  const std::size_t colons = op.find("::");
  if (colons == 0 || colons == std::string::npos || aten::is_own_domain(op.substr(0, colons))) return false;
  const std::string domain = op.substr(0, colons + 2);
  bool any = false;
  aten::for_each_line([&](const aten::SchemaLine& line) {
    if (!line.full_name.starts_with(domain)) return;
    try {
      any = define(std::string(line.text)) || any;
    } catch (const Error&) {
      // The library itself is loaded, in another version.
    }
  });
  return any;
}

}  // namespace tonnx::torch
