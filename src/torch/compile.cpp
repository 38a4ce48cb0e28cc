#include "torch/compile.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>
#include <vector>

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>

#include "ir/error.h"
#include "ir/text.h"
#include "torch/archive.h"
#include "torch/convert.h"
#include "torch/division_guard.h"
#include "torch/guard.h"
#include "torch/host_device.h"
#include "torch/known_operators.h"
#include "torch/libtorch_texts.h"
#include "torch/loaded_module.h"
#include "torch/named_operators.h"
#include "torch/source_names.h"
#include "torch/source_text.h"

namespace tonnx::torch {

using ir::Code;
using ir::Constant;
using ir::Error;
namespace jit = ::torch::jit;

namespace {

// Returns "net" for "models/net.py".
std::string class_name(const std::string& file) {
  std::string name = file.substr(file.rfind('/') + 1);
  name.resize(std::min(name.size(), name.rfind('.')));
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? "_" + name : name;
}

// Keyword arguments and entries of dicts, by name.
std::vector<std::pair<std::string, Constant>> named(const ir::Arguments& attributes) {
  std::vector<std::pair<std::string, Constant>> all;
  for (const Constant& given : attributes.positional) {
    const auto* dict = given.get<Constant::Dict>();
    if (!dict)
      throw Error(Code::Argument, "an attribute of compiled source needs a name; pass it as a keyword or in a dict");
    for (const auto& [key, value] : dict->items) {
      const auto* name = key.get<std::string>();
      if (!name) throw Error(Code::Argument, "the name of an attribute must be a string, not " + ir::to_string(key));
      all.emplace_back(*name, value);
    }
  }
  all.insert(all.end(), attributes.keywords.begin(), attributes.keywords.end());
  return all;
}

// Builds a module and its submodules from attributes by path.
class ModuleBuilder {
 public:
  explicit ModuleBuilder(const std::string& name)
      : unit_(std::make_shared<jit::CompilationUnit>()), root_(make(name)) {}

  void add(const std::string& path, const Constant& value) {
    jit::Module owner = root_;
    std::size_t begin = 0;
    for (std::size_t dot; (dot = path.find('.', begin)) != std::string::npos; begin = dot + 1)
      owner = child(owner, path, begin, dot);
    const std::string name = path.substr(begin);
    require_free(owner, path, name);
    const c10::IValue attribute = to_ivalue(value);
    if (attribute.isTensor())
      owner.register_buffer(name, one_of(attribute.toTensor()));
    else
      owner.register_attribute(name, attribute.type(), attribute);
  }

  const jit::Module& root() const { return root_; }
  jit::CompilationUnit& unit() const { return *unit_; }

 private:
  jit::Module make(const std::string& name) {
    jit::Module module(c10::QualifiedName(std::vector<std::string>{"__torch__", name}), unit_, /*shouldMangle=*/true);
    module.register_attribute("training", c10::BoolType::get(), false);
    return module;
  }

  jit::Module child(const jit::Module& owner, const std::string& path, std::size_t begin, std::size_t end) {
    const std::string name = path.substr(begin, end - begin);
    if (owner.hasattr(name) && owner.attr(name).isModule()) return owner.attr(name).toModule();
    require_free(owner, path.substr(0, end), name);
    jit::Module made = make(class_name(name));
    jit::Module(owner).register_module(name, made);
    return made;
  }

  // The tensor with the same elements and layout, if one was added.
  at::Tensor one_of(const at::Tensor& tensor) {
    const auto is_same = [&](const at::Tensor& other) {
      return other.const_data_ptr() == tensor.const_data_ptr() && other.dtype() == tensor.dtype() &&
             other.sizes() == tensor.sizes() && other.strides() == tensor.strides();
    };
    const auto found = std::find_if(tensors_.begin(), tensors_.end(), is_same);
    return found != tensors_.end() ? *found : tensors_.emplace_back(tensor);
  }

  static void require_free(const jit::Module& owner, const std::string& path, const std::string& name) {
    if (name.empty())
      throw Error(Code::Argument, "attribute '" + path + "' has an empty name, or an empty part between its dots");
    if (owner.hasattr(name))
      throw Error(Code::Argument,
                  "attribute '" + path + "' already exists" + (name == "training" ? " in every module" : ""));
  }

  const std::shared_ptr<jit::CompilationUnit> unit_;
  const jit::Module root_;
  std::vector<at::Tensor> tensors_;
};

std::vector<jit::Function*> define(jit::CompilationUnit& unit, const std::optional<c10::QualifiedName>& prefix,
                                   const std::vector<jit::Def>& functions, const jit::ResolverPtr& names,
                                   const jit::Self* self) {
  const std::vector<jit::ResolverPtr> all(functions.size(), names);
  const std::vector<jit::Function*> defined = unit.define(prefix, {}, {}, functions, all, self);
  for (jit::Function* function : defined) restore_unfolded(*jit::toGraphFunction(*function).graph()->block());
  return defined;
}

// Adds the same function with a receiver that it does not use.
void add_method(const jit::Module& module, jit::CompilationUnit& unit, jit::Function& function) {
  const auto graph = jit::toGraphFunction(function).graph()->copy();
  graph->insertInput(0, "self")->setType(module.type());
  jit::Function* method = unit.create_function(c10::QualifiedName(*module.type()->name(), function.name()), graph);
  const c10::FunctionSchema& schema = function.getSchema();
  std::vector<c10::Argument> parameters{c10::Argument("self", module.type())};
  parameters.insert(parameters.end(), schema.arguments().begin(), schema.arguments().end());
  method->setSchema(schema.cloneWithArguments(std::move(parameters)));
  module.type()->addMethod(method);
}

LoadedModule build(const std::string& source, const std::string& file, const ir::Arguments& attributes) {
  // LibTorch's parser needs the last newline.
  const auto text = std::make_shared<jit::Source>(source.ends_with('\n') ? source : source + '\n', file, 1);
  const SourceFunctions parsed = parse_functions(text);
  ModuleBuilder builder(class_name(file));
  for (const auto& [name, value] : named(attributes)) builder.add(name, value);
  const jit::Module& module = builder.root();
  for (const std::vector<jit::Def>* functions : {&parsed.methods, &parsed.functions})
    for (const jit::Def& function : *functions)
      if (module.hasattr(function.name().name()))
        throw Error(Code::Argument,
                    message_at(function.name().range(), "an attribute has the same name as this function"));

  std::map<std::string, jit::Function*> known;
  const auto functions = define(builder.unit(), std::nullopt, parsed.functions, source_names(), nullptr);
  for (jit::Function* function : functions) known.emplace(function->name(), function);
  const jit::SimpleSelf self(module.type());
  define(builder.unit(), module.type()->name(), parsed.methods, source_names(known), &self);
  for (jit::Function* function : functions) add_method(module, builder.unit(), *function);
  name_the_host(module);
  return {nullptr, module, file, parsed.last, {}, {}};
}

// End of the last line with content before `line`, for a missing token.
std::pair<std::size_t, std::size_t> end_before(const std::string& source, std::size_t line) {
  std::pair<std::size_t, std::size_t> place{1, 1};
  std::size_t begin = 0;
  for (std::size_t number = 1; number < line + 1 && begin <= source.size(); ++number) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    if (const std::size_t last = source.substr(begin, end - begin).find_last_not_of(" \t\r"); last != std::string::npos)
      if (number < line || end == source.size()) place = {number, last + 2};
    begin = end + 1;
  }
  return place;
}

[[noreturn]] void refuse(const std::string& source, const std::string& file, const std::exception& failure) {
  const texts::SourceFault fault = texts::source_fault(text_of(failure, 64));
  if (fault.line == 0) throw Error(Code::Program, file + ": " + fault.text);
  const auto [line, column] = fault.column ? std::pair(fault.line, fault.column) : end_before(source, fault.line);
  const std::string place = file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": ";
  const std::string op = texts::unknown_operator(fault.text);
  if (const std::string name = texts::missing_attribute(fault.text); !name.empty())
    throw Error(Code::Program, place + "attribute or method '" + name +
                                   "' does not exist; pass the content of self as attributes "
                                   "(--weights on the command line)");
  if (op.empty()) throw Error(Code::Program, place + fault.text);
  std::vector<NamedOperator> all = unknown_operators(source);
  if (std::ranges::find(all, op, &NamedOperator::name) == all.end()) all = {{op, line}};
  std::vector<ir::Reason> reasons;
  for (const NamedOperator& each : all)
    reasons.push_back({each.name, "the operator is not known", "", file + ":" + std::to_string(each.line), 1});
  throw Error(
      Code::Unsupported,
      place + (all.size() == 1
                   ? "operator " + op + " is not known here; load the library that defines it, or register its schema"
                   : "operators are not known here: " + ir::comma_list(all, &NamedOperator::name) +
                         "; load the libraries that define them, or register their schemas"),
      std::move(reasons));
}

}  // namespace

std::shared_ptr<backend::Archive> compile(const std::string& source, const std::string& file,
                                          const ir::Arguments& attributes) {
  for (;;) {
    try {
      return make_archive(build(source, file, attributes));
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& failure) {
      if (!register_known_operators(texts::unknown_operator(failure.what()))) refuse(source, file, failure);
    }
  }
}

}  // namespace tonnx::torch
