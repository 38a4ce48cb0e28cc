#include "torch/loaded_module.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/serialization/import.h>

#include <unordered_set>

#include "ir/error.h"
#include "torch/guard.h"
#include "torch/known_operators.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
namespace jit = ::torch::jit;

namespace {

// What is in a zip file that is no TorchScript archive.
void require_program(const ArchiveFile& file) {
  bool code = false, pickle = false, exported = false;
  for (const ZipEntry& entry : file.entries()) {
    const std::string record = ArchiveFile::record_name(entry.name);
    code = code || record.starts_with("code/") || record == "model.json";
    pickle = pickle || record == "data.pkl";
    exported = exported || record == "archive_format" || record.starts_with("models/") ||
               entry.name == "serialized_exported_program.json";
  }
  if (code) return;
  if (exported) throw Error(Code::File, file.what() + " is an archive of torch.export, not of TorchScript");
  if (pickle)
    throw Error(Code::File, file.what() +
                                " holds tensors or objects written by torch.save, but no program; "
                                "save the model with torch.jit.save");
  throw Error(Code::File, file.what() + " is a zip file, but no TorchScript archive");
}

// The operator that a "Unknown builtin op: ns::name." names; empty for other texts.
std::string unknown_operator(const std::string& text) {
  static const std::string marker = "Unknown builtin op: ";
  const std::size_t at = text.find(marker);
  if (at == std::string::npos) return {};
  std::string name = text.substr(at + marker.size());
  name = name.substr(0, name.find_first_of(" \n"));
  while (!name.empty() && name.back() == '.') name.pop_back();
  return name;
}

jit::Module load_once(const ArchiveFile& file, const std::shared_ptr<SkippingReader>& reader) {
  try {
    return jit::load(std::shared_ptr<caffe2::serialize::ReadAdapterInterface>(reader), c10::Device(c10::kCPU));
  } catch (const std::exception& e) {
    const std::string text = text_of(e);
    const std::string name = unknown_operator(text);
    if (!name.empty())
      throw Error(Code::Unsupported,
                  file.what() + " uses operator " + name +
                      ", which is not known here; load the library that defines it, or register its schema",
                  {{name, "the operator is not known", "", "", 1}});
    if (text.find("'__torch__.torch.classes.") != std::string::npos)
      throw Error(
          Code::Unsupported,
          file.what() + " uses a class that is not known here; load the library that defines it: " + text_of(e, 1));
    throw Error(Code::File, file.what() + " is damaged or of an unknown format: " + text_of(e, 2));
  }
}

jit::Module load_with_known(const ArchiveFile& file, const std::shared_ptr<SkippingReader>& reader) {
  try {
    return load_once(file, reader);
  } catch (const Error& e) {
    // The schema is enough to read a program. It is registered only now, since a library that comes later and defines
    // the operator itself must find the place free.
    if (e.reasons().empty() || !register_known_operators(e.reasons()[0].op)) throw;
  }
  return load_with_known(file, reader);
}

class TensorWalk {
 public:
  explicit TensorWalk(const std::function<void(const at::Tensor&)>& visit) : visit_(visit) {}

  void value(const c10::IValue& v) {
    if (v.isTensor()) {
      if (v.toTensor().defined()) visit_(v.toTensor());
    } else if (v.isObject()) {
      const auto object = v.toObject();
      if (!seen_.insert(object.get()).second) return;
      for (const c10::IValue& slot : object->slots()) value(slot);
      type(*object->type());
    } else if (v.isTuple()) {
      for (const auto& item : v.toTupleRef().elements()) value(item);
    } else if (v.isList()) {
      for (const c10::IValue& item : v.toListRef()) value(item);
    } else if (v.isGenericDict()) {
      for (const auto& entry : v.toGenericDict()) {
        value(entry.key());
        value(entry.value());
      }
    }
  }

  void function(jit::Function& f) {
    if (!seen_.insert(&f).second) return;
    f.ensure_defined();
    if (const auto* graph_function = jit::tryToGraphFunction(f)) block(*graph_function->graph()->block());
  }

 private:
  void type(const c10::ClassType& t) {
    if (!seen_.insert(&t).second) return;
    for (jit::Function* f : t.methods()) function(*f);
  }

  void block(const jit::Block& b) {
    for (const jit::Node* node : b.nodes()) {
      for (const c10::Symbol name : node->attributeNames()) {
        if (node->kindOf(name) == jit::AttributeKind::t && node->t(name).defined()) visit_(node->t(name));
        if (node->kindOf(name) == jit::AttributeKind::ts)
          for (const at::Tensor& t : node->ts(name)) visit_(t);
        if (node->kindOf(name) == jit::AttributeKind::ival) value(node->ival(name));
        if (node->kindOf(name) == jit::AttributeKind::g) block(*node->g(name)->block());
      }
      for (const jit::Block* inner : node->blocks()) block(*inner);
      if (node->kind() == c10::prim::CallFunction)
        function(*node->input(0)->type()->expect<c10::FunctionType>()->function());
      if (node->kind() == c10::prim::CallMethod)
        if (const auto receiver = node->input(0)->type()->cast<c10::ClassType>()) type(*receiver);
    }
  }

  const std::function<void(const at::Tensor&)>& visit_;
  std::unordered_set<const void*> seen_;
};

// False if a skipped buffer is nowhere in the module: what was made from it is made from nothing.
bool find_places(LoadedModule& loaded, const SkippingReader& reader) {
  if (reader.lost()) return false;
  std::unordered_set<const void*> found;
  for_each_tensor(loaded.module, [&](const at::Tensor& tensor) {
    if (!tensor.has_storage()) return;
    const c10::Storage& storage = tensor.storage();
    const auto it = reader.notes().find(storage.data());
    if (it == reader.notes().end() || storage.nbytes() != it->second.entry->size) return;
    if (found.insert(storage.data()).second) loaded.places.push_back({storage, it->second.entry, it->second.skipped});
  });
  for (const auto& [buffer, note] : reader.notes())
    if (note.skipped && !found.contains(buffer)) return false;
  return true;
}

}  // namespace

void for_each_tensor(const jit::Module& module, const std::function<void(const at::Tensor&)>& visit) {
  TensorWalk walk(visit);
  walk.value(module._ivalue());
}

LoadedModule load_module(std::shared_ptr<const ArchiveFile> file) {
  require_program(*file);
  file->check();
  for (const bool skip : {true, false}) {
    LoadedModule loaded;
    loaded.file = file;
    const auto reader = std::make_shared<SkippingReader>(file, skip);
    bool complete = false;
    try {
      loaded.module = load_with_known(*file, reader);
      complete = find_places(loaded, *reader);
    } catch (const Error&) {
      if (skip && !reader->notes().empty()) continue;  // a class may have looked at what was not there
      throw;
    } catch (...) {
      rethrow(Code::File, file->what() + " is damaged or of an unknown format");
    }
    if (complete) return loaded;
    if (!skip) {
      loaded.places.clear();  // weights stay in memory
      return loaded;
    }
  }
  throw Error(Code::Internal, "no way to load an archive is left");
}

void LoadedModule::add_places(StorageMap& storages) const {
  for (const Place& place : places)
    storages.place(place.storage.unsafeGetStorageImpl(),
                   file->storage(place.entry->offset, static_cast<std::size_t>(place.entry->size)));
}

void LoadedModule::fill() const {
  std::shared_ptr<std::byte> bytes;
  for (const Place& place : places) {
    if (!place.skipped) continue;
    if (!bytes) bytes = file->writable_copy();
    auto* owner = new std::shared_ptr<std::byte>(bytes);
    at::DataPtr data(
        bytes.get() + place.entry->offset, owner, [](void* p) { delete static_cast<std::shared_ptr<std::byte>*>(p); },
        c10::Device(c10::kCPU));
    place.storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(data));
  }
}

}  // namespace tonnx::torch
