#include "tonnx/args.h"

#include "backend/libtorch.h"
#include "export/run_file.h"
#include "guard.h"

using tonnx::capi::guard;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::ir::Constant;

namespace {

void append(tonnx_args& args, Constant value, const std::string& key, bool has_key) {
  if (args.open.empty()) {
    if (has_key) {
      for (const auto& [name, ignored] : args.arguments.keywords)
        if (name == key) refuse("keyword argument '" + key + "' is specified twice");
      args.arguments.keywords.emplace_back(key, std::move(value));
    } else {
      if (!args.arguments.keywords.empty()) refuse("a positional argument follows a keyword argument");
      args.arguments.positional.push_back(std::move(value));
    }
    return;
  }
  Constant& container = args.open.back().container;
  if (auto* dict = std::get_if<Constant::Dict>(&container.value)) {
    if (!has_key) refuse("a value of a dict needs a key: call tonnx_args_key first");
    dict->items.emplace_back(Constant{key}, std::move(value));
    return;
  }
  if (has_key) refuse("an item of a list or tuple cannot have a key");
  if (auto* list = std::get_if<Constant::List>(&container.value))
    list->items.push_back(std::move(value));
  else if (auto* tuple = std::get_if<Constant::Tuple>(&container.value))
    tuple->items.push_back(std::move(value));
}

tonnx_status add(tonnx_args* args, tonnx_error** error, const auto& make) {
  return guard(error, [&] {
    require(args, "args");
    Constant value = make();
    append(*args, std::move(value), args->key, args->has_key);
    args->has_key = false;
  });
}

tonnx_status begin(tonnx_args* args, tonnx_error** error, Constant container) {
  return guard(error, [&] {
    require(args, "args");
    args->open.push_back({std::move(container), args->key, args->has_key});
    args->has_key = false;
  });
}

}  // namespace

const tonnx::ir::Arguments& tonnx_args::finished(const tonnx_args* args) {
  static const tonnx::ir::Arguments none;
  if (!args) return none;
  if (!args->open.empty()) refuse("a list, tuple or dict of the arguments was begun but not ended");
  if (args->has_key) refuse("the key '" + args->key + "' of the arguments has no value");
  return args->arguments;
}

tonnx_status tonnx_args_new(tonnx_args** out, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    *out = new tonnx_args;
  });
}

tonnx_status tonnx_args_load(tonnx_args** out, const char* path, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(path, "path");
    const tonnx::backend::Untraced untraced;
    auto args = std::make_unique<tonnx_args>();
    args->arguments = tonnx::backend::libtorch().read_arguments(path);
    *out = args.release();
  });
}

tonnx_status tonnx_args_key(tonnx_args* args, const char* name, tonnx_error** error) {
  return guard(error, [&] {
    require(args, "args");
    require(name, "name");
    if (args->has_key) refuse("the key '" + args->key + "' has no value yet");
    args->key = name;
    args->has_key = true;
  });
}

tonnx_status tonnx_args_add_tensor(tonnx_args* args, const tonnx_tensor* tensor, tonnx_error** error) {
  return add(args, error, [&] {
    require(tensor, "tensor");
    return Constant{tensor->tensor};
  });
}

tonnx_status tonnx_args_add_int(tonnx_args* args, int64_t value, tonnx_error** error) {
  return add(args, error, [&] { return Constant{std::int64_t{value}}; });
}

tonnx_status tonnx_args_add_float(tonnx_args* args, double value, tonnx_error** error) {
  return add(args, error, [&] { return Constant{value}; });
}

tonnx_status tonnx_args_add_bool(tonnx_args* args, int32_t value, tonnx_error** error) {
  return add(args, error, [&] { return Constant{value != 0}; });
}

tonnx_status tonnx_args_add_string(tonnx_args* args, const char* value, tonnx_error** error) {
  return add(args, error, [&] {
    require(value, "value");
    return Constant{std::string(value)};
  });
}

tonnx_status tonnx_args_add_none(tonnx_args* args, tonnx_error** error) {
  return add(args, error, [&] { return Constant{Constant::None{}}; });
}

tonnx_status tonnx_args_begin_list(tonnx_args* args, tonnx_error** error) {
  return begin(args, error, Constant{Constant::List{}});
}

tonnx_status tonnx_args_begin_tuple(tonnx_args* args, tonnx_error** error) {
  return begin(args, error, Constant{Constant::Tuple{}});
}

tonnx_status tonnx_args_begin_dict(tonnx_args* args, tonnx_error** error) {
  return begin(args, error, Constant{Constant::Dict{}});
}

tonnx_status tonnx_args_end(tonnx_args* args, tonnx_error** error) {
  return guard(error, [&] {
    require(args, "args");
    if (args->open.empty()) refuse("no list, tuple or dict is open");
    tonnx_args::Level level = std::move(args->open.back());
    args->open.pop_back();
    append(*args, std::move(level.container), level.key, level.has_key);
  });
}

tonnx_status tonnx_args_extend(tonnx_args* args, const tonnx_args* other, tonnx_error** error) {
  return guard(error, [&] {
    require(args, "args");
    require(other, "other");
    static_cast<void>(tonnx_args::finished(args));
    tonnx_args all = *args;
    const tonnx::ir::Arguments added = tonnx_args::finished(other);
    for (const Constant& value : added.positional) append(all, value, "", false);
    for (const auto& [name, value] : added.keywords) append(all, value, name, true);
    args->arguments = std::move(all.arguments);
  });
}

tonnx_status tonnx_args_tensor(tonnx_tensor** out, const tonnx_args* args, size_t index, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(args, "args");
    const std::vector<Constant>& values = tonnx_args::finished(args).positional;
    if (index >= values.size())
      refuse("there is no argument " + std::to_string(index) + ", only " + std::to_string(values.size()));
    *out = new tonnx_tensor(tonnx::exporting::tensor_of(values[index]));
  });
}

void tonnx_args_fail(tonnx_args* args, const char* message, void* cause, tonnx_destroy_fn destroy) {
  tonnx::capi::answer(0, [&] {
    std::shared_ptr<void> owned = tonnx::capi::own_cause(cause, destroy);
    if (!args) return 0;
    args->failure = message ? message : "";
    args->cause = std::move(owned);
    return 0;
  });
}

size_t tonnx_args_count(const tonnx_args* args) {
  return args ? args->arguments.positional.size() + args->arguments.keywords.size() : 0;
}

void tonnx_args_free(tonnx_args* args) { tonnx::capi::destroy(args); }
