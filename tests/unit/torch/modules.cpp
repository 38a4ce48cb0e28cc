#include "modules.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/library.h>

#include "torch/convert.h"

namespace {

std::vector<std::thread::id> threads;

at::Tensor note_thread(const at::Tensor& x) {
  threads.push_back(std::this_thread::get_id());
  return x.clone();
}

}  // namespace

TORCH_LIBRARY(tonnx_archive_test, m) { m.def("note_thread(Tensor x) -> Tensor", &note_thread); }

namespace tonnx::test {

ir::Tensor ramp(std::vector<std::int64_t> dims) {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= d;
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i) / 10);
  return ir::Tensor::from_bytes(ir::DType::Float32, std::move(dims), values.data(), values.size() * sizeof(float));
}

struct Script::Data {
  ::torch::jit::Module module;
};

Script::Script(const std::string& name)
    : data_(new Data{::torch::jit::Module(c10::QualifiedName("__torch__." + name),
                                          std::make_shared<::torch::jit::CompilationUnit>())}) {}
Script::~Script() = default;
Script::Script(Script&&) noexcept = default;

Script& Script::parameter(const std::string& name, const ir::Tensor& value) {
  data_->module.register_parameter(name, torch::to_torch_copy(value).requires_grad_(), false);
  return *this;
}

Script& Script::buffer(const std::string& name, const ir::Tensor& value) {
  data_->module.register_buffer(name, torch::to_torch_copy(value));
  return *this;
}

Script& Script::tied(const std::string& name, const Script& from, const std::string& from_name) {
  data_->module.register_parameter(name, from.data_->module.attr(from_name).toTensor(), false);
  return *this;
}

Script& Script::tensor_list(const std::string& name, const std::vector<std::string>& parameters) {
  c10::List<at::Tensor> list;
  for (const std::string& parameter : parameters) list.push_back(data_->module.attr(parameter).toTensor());
  data_->module.register_attribute(name, c10::ListType::ofTensors(), list);
  return *this;
}

Script& Script::integer(const std::string& name, std::int64_t value) {
  data_->module.register_attribute(name, c10::IntType::get(), value);
  return *this;
}

Script& Script::flag(const std::string& name, bool value) {
  data_->module.register_attribute(name, c10::BoolType::get(), value);
  return *this;
}

Script& Script::child(const std::string& name, const Script& module) {
  data_->module.register_module(name, module.data_->module);
  return *this;
}

Script& Script::define(const std::string& source) {
  data_->module.define(source);
  return *this;
}

Script& Script::define_call(const std::string& operator_name) {
  auto& module = data_->module;
  const auto graph = std::make_shared<::torch::jit::Graph>();
  graph->addInput("self")->setType(module.type());
  auto* x = graph->addInput("x");
  graph->registerOutput(graph->insert(c10::Symbol::fromQualString(operator_name), {x}));
  auto* function = module._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*module.type()->name(), "forward"), graph);
  module.type()->addMethod(function);
  return *this;
}

Script& Script::define_fork(const std::string& operator_name) {
  auto& module = data_->module;
  const auto forked = std::make_shared<::torch::jit::Graph>();
  auto* given = forked->addInput("x");
  forked->registerOutput(forked->insert(c10::Symbol::fromQualString(operator_name), {given}));
  const auto graph = std::make_shared<::torch::jit::Graph>();
  graph->addInput("self")->setType(module.type());
  auto* fork = graph->insertNode(graph->create(c10::prim::fork, {graph->addInput("x")}, 1));
  fork->g_(c10::attr::Subgraph, forked);
  fork->output()->setType(c10::FutureType::create(c10::TensorType::get()));
  graph->registerOutput(graph->insert(c10::aten::wait, {fork->output()}));
  module.type()->addMethod(module._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*module.type()->name(), "forward"), graph));
  return *this;
}

const std::vector<std::thread::id>& noted_threads() { return threads; }

std::vector<std::byte> archive_with_unknown_operator() {
  ::torch::Library library(::torch::Library::FRAGMENT, "tonnx_gone", std::nullopt, __FILE__, __LINE__);
  library.def(::torch::jit::parseSchema("tonnx_gone::thrice(Tensor x) -> Tensor"));
  Script net("Net");
  net.define_call("tonnx_gone::thrice");
  return net.bytes();
}

Script Script::frozen() const {
  Script result("Frozen");
  result.data_->module = ::torch::jit::freeze(data_->module);
  return result;
}

std::vector<std::byte> Script::bytes() const {
  std::ostringstream out;
  data_->module.save(out);
  const std::string text = out.str();
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::string Script::save(const std::string& file) const {
  const std::string path = ::testing::TempDir() + "tonnx_" + file;
  data_->module.save(path);
  return path;
}

namespace {

std::string save_items(const std::string& file, std::vector<c10::IValue> items) {
  const std::vector<char> bytes = ::torch::jit::pickle_save(c10::ivalue::Tuple::create(std::move(items)));
  const std::string path = ::testing::TempDir() + "tonnx_" + file;
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

}  // namespace

std::string save_arguments(const std::string& file, const std::vector<ir::Tensor>& tensors,
                           const std::vector<std::pair<std::string, ir::Tensor>>& keywords) {
  std::vector<c10::IValue> items;
  for (const ir::Tensor& tensor : tensors) items.emplace_back(torch::to_torch_copy(tensor));
  if (!keywords.empty()) {
    c10::impl::GenericDict dict(c10::StringType::get(), c10::TensorType::get());
    for (const auto& [name, tensor] : keywords) dict.insert(name, torch::to_torch_copy(tensor));
    items.emplace_back(dict);
  }
  return save_items(file, std::move(items));
}

std::string save_numbered(const std::string& file, const std::vector<ir::Tensor>& tensors) {
  c10::impl::GenericDict dict(c10::IntType::get(), c10::TensorType::get());
  for (std::size_t i = 0; i < tensors.size(); ++i)
    dict.insert(static_cast<std::int64_t>(i), torch::to_torch_copy(tensors[i]));
  return save_items(file, {dict});
}

}  // namespace tonnx::test
