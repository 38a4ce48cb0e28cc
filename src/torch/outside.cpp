#include "torch/outside.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/lexer.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/import_source.h>

#include "aten/schemas.h"
#include "aten/traits.h"
#include "ir/error.h"
#include "ir/refusal.h"
#include "torch/code_nesting.h"
#include "torch/code_walk.h"
#include "torch/convert.h"
#include "torch/source_line.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
namespace jit = ::torch::jit;

namespace {

constexpr std::string_view kFolder = "code/";
constexpr std::string_view kSuffix = ".py";

std::string read_record(caffe2::serialize::PyTorchStreamReader& reader, const std::string& record) {
  const auto [data, size] = reader.getRecord(record);
  return std::string(static_cast<const char*>(data.get()), size);
}

// LibTorch's record names are case-insensitive.
bool is_source(std::string record) {
  for (char& c : record) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return record.starts_with(kFolder) && record.ends_with(kSuffix);
}

// The archive's sources by qualifier: "__torch__.net" for "code/__torch__/net.py".
std::map<std::string, std::string> sources_of(caffe2::serialize::PyTorchStreamReader& reader) {
  std::map<std::string, std::string> sources;
  for (const std::string& record : reader.getAllRecords()) {
    if (!is_source(record)) continue;
    std::string qualifier = record.substr(kFolder.size(), record.size() - kFolder.size() - kSuffix.size());
    std::replace(qualifier.begin(), qualifier.end(), '/', '.');
    sources[std::move(qualifier)] = read_record(reader, record);
  }
  return sources;
}

// The classes that a source defines, parsed as LibTorch does.
std::vector<std::string> classes_of(const std::string& qualifier, const std::string& source) {
  std::vector<std::string> names;
  jit::Lexer lexer(std::make_shared<jit::Source>(source, qualifier, 1));
  while (lexer.cur().kind != jit::TK_EOF)
    if (lexer.next().kind == jit::TK_CLASS_DEF && lexer.cur().kind == jit::TK_IDENT)
      names.push_back(lexer.cur().text());
  return names;
}

std::vector<c10::IValue> constants_of(caffe2::serialize::PyTorchStreamReader& reader) {
  const c10::IValue table = jit::readArchiveAndTensors("constants", /*pickle_prefix=*/"",
                                                       /*tensor_prefix=*/"constants/", /*type_resolver=*/std::nullopt,
                                                       /*obj_loader=*/std::nullopt, c10::Device(c10::kCPU), reader);
  return table.toTupleRef().elements().vec();
}

// Called for each node of a program; programs use few operators.
bool is_of_another_libtorch(const std::string& name) {
  static std::mutex mutex;
  static auto& known = *new std::unordered_map<std::string, bool>();
  const std::scoped_lock lock(mutex);
  const auto [answer, is_new] = known.try_emplace(name);
  if (is_new) answer->second = aten::is_own_domain(name.substr(0, name.find("::"))) && aten::overloads_of(name).empty();
  return answer->second;
}

void require_shallow(const std::string& source, const ArchiveFile& file, const std::string& name) {
  if (is_nested_too_deeply(source))
    throw Error(Code::File, file.what() + " cannot be loaded: the code of '" + name +
                                "' is nested too deeply (at most 300 operators and brackets, and 1000 blocks)");
}

bool runs_code(const std::string& source) { return source.find("__setstate__") != std::string::npos; }

// In archives of that time, records of code may have any name.
void refuse_old_code(const std::shared_ptr<const ArchiveFile>& file) {
  caffe2::serialize::PyTorchStreamReader reader(std::make_shared<SkippingReader>(file, Skip::Nothing));
  for (const std::string& record : reader.getAllRecords()) {
    const std::string content = read_record(reader, record);
    if (is_source(record)) require_shallow(content, *file, record);
    if (runs_code(content))
      throw Error(Code::Unsupported, file->what() +
                                         " is of PyTorch 1.1 or older and runs code while it is loaded (__setstate__), "
                                         "which cannot be checked; save it again with a newer PyTorch");
  }
}

bool is_not_run(const aten::Traits& traits) {
  return traits.effect == aten::Effect::Outside || traits.effect == aten::Effect::Unchecked;
}

// "profiling::_ScriptProfile" if a node creates or calls an object of a class of LibTorch or another library; else
// empty.
std::string library_class_of(const jit::Node& node) {
  const bool makes = node.kind() == c10::prim::CreateObject;
  if (!makes && node.kind() != c10::prim::CallMethod) return {};
  const auto type = (makes ? node.output() : node.input(0))->type()->cast<c10::ClassType>();
  std::string name = type ? library_class(*type) : std::string();
  if (const std::size_t dot = name.find('.'); dot != std::string::npos) name.replace(dot, 1, "::");
  return name;
}

void refuse(const jit::Node& node, const ArchiveFile& file) {
  // Forked code would run on LibTorch's threads while the module is incomplete.
  const bool forks = node.kind() == c10::prim::fork;
  const std::string reason =
      forks ? std::string(aten::traits_of(node.kind().toQualString()).refusal) : reason_not_to_run(node);
  if (reason.empty()) return;
  const std::string own = library_class_of(node), name = own.empty() ? node.kind().toQualString() : own;
  const auto line = source_line(node.sourceRange(), nullptr);
  const ir::Reason site{.op = name, .text = reason, .module = {}, .source = line ? line->text() : std::string()};
  throw Error(Code::Unsupported,
              file.what() + " runs code while it is loaded (__setstate__) and uses " +
                  (own.empty() ? "operator " : "class ") + ir::describe_site(site) + ", which " + reason +
                  "; it is not loaded",
              {site});
}

}  // namespace

std::map<std::string, std::string> sources_of(const std::shared_ptr<const ArchiveFile>& file) {
  caffe2::serialize::PyTorchStreamReader reader(std::make_shared<SkippingReader>(file, Skip::DataAndConstants));
  return sources_of(reader);
}

std::string reason_not_to_run(const std::string& name, const std::string& overload) {
  const aten::Traits& traits = aten::traits_of(name, overload);
  if (is_not_run(traits)) return std::string(traits.refusal);
  if (is_of_another_libtorch(name))
    return "is unknown to this version of tonnx (it is of another LibTorch), so its effects are unknown";
  return {};
}

std::string reason_not_to_run(const jit::Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (schema) return reason_not_to_run(schema->name(), schema->overload_name());
  const std::string own = library_class_of(node);
  const aten::Traits& traits = aten::traits_of(own.empty() ? node.kind().toQualString() : own);
  return is_not_run(traits) ? std::string(traits.refusal) : std::string();
}

void check_code_of_loading(const std::shared_ptr<const ArchiveFile>& file) {
  caffe2::serialize::PyTorchStreamReader reader(std::make_shared<SkippingReader>(file, Skip::DataAndConstants));
  if (reader.hasRecord("model.json")) return refuse_old_code(file);
  const auto sources = sources_of(reader);
  bool runs = false;
  for (const auto& [qualifier, source] : sources) {
    require_shallow(source, *file, qualifier);
    runs = runs || runs_code(source);
  }
  if (!runs) return;
  const auto unit = std::make_shared<jit::CompilationUnit>();
  const std::vector<c10::IValue> constants = constants_of(reader);
  const auto load_source = [&](const std::string& qualifier) -> std::shared_ptr<jit::Source> {
    std::string record = std::string(kFolder) + qualifier + std::string(kSuffix);
    std::replace(record.begin() + kFolder.size(), record.end() - kSuffix.size(), '.', '/');
    return reader.hasRecord(record) ? std::make_shared<jit::Source>(read_record(reader, record), record, 1) : nullptr;
  };
  const jit::SourceImporter importer(unit, &constants, load_source, reader.version());
  CodeWalk walk([&](const jit::Node& node) { refuse(node, *file); });
  for (const auto& [qualifier, source] : sources)
    for (const std::string& name : classes_of(qualifier, source))
      if (const auto type = importer.loadType(qualifier + "." + name)->cast<c10::ClassType>()) walk.type(*type);
}

}  // namespace tonnx::torch
