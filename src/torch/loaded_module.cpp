#include "torch/loaded_module.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/import_read.h>

#include "ir/error.h"
#include "ir/text.h"
#include "torch/code_walk.h"
#include "torch/guard.h"
#include "torch/host_device.h"
#include "torch/known_operators.h"
#include "torch/libtorch_texts.h"
#include "torch/named_operators.h"
#include "torch/outside.h"
#include "torch/pickle_check.h"
#include "torch/random_state.h"
#include "torch/tensor_bounds.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
namespace jit = ::torch::jit;

namespace {

// Refuses a zip file that is not a TorchScript archive, with its probable content.
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
  if (exported)
    throw Error(Code::File,
                file.what() + " is an archive of torch.export without a program; it is damaged or incomplete");
  if (pickle)
    throw Error(
        Code::File,
        file.what() +
            " contains tensors or objects written by torch.save, but no program; save the model with torch.jit.save");
  throw Error(Code::File, file.what() + " is a zip file, but not a TorchScript archive");
}

// Reports the operator that LibTorch did not find, and others that it would not find.
Error unknown_operator(const std::shared_ptr<const ArchiveFile>& file, const std::string& first) {
  std::vector<NamedOperator> all{{first}};
  try {
    for (const auto& [qualifier, source] : sources_of(file))
      for (const NamedOperator& each : unknown_operators(source))
        if (std::ranges::find(all, each.name, &NamedOperator::name) == all.end()) all.push_back(each);
  } catch (const std::exception&) {
    // Archives of old versions store their code elsewhere.
  }
  std::vector<ir::Reason> reasons;
  for (const NamedOperator& each : all) reasons.push_back({each.name, "the operator is not known", "", "", 1});
  const std::string text =
      all.size() == 1 ? " uses operator " + first +
                            ", which is not known here; load the library that defines it, or register its schema"
                      : " uses operators that are not known here: " + ir::comma_list(all, &NamedOperator::name) +
                            "; load the libraries that define them, or register their schemas";
  return Error(Code::Unsupported, file->what() + text, std::move(reasons));
}

jit::Module load_once(const std::shared_ptr<const ArchiveFile>& archive,
                      const std::shared_ptr<SkippingReader>& reader) {
  const ArchiveFile& file = *archive;
  try {
    check_code_of_loading(archive);
    return jit::load(std::shared_ptr<caffe2::serialize::ReadAdapterInterface>(reader), c10::Device(c10::kCPU));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    const std::string text = text_of(e);
    const std::string name = texts::unknown_operator(text);
    if (!name.empty()) throw unknown_operator(archive, name);
    if (texts::is_unknown_class(text))
      throw Error(
          Code::Unsupported,
          file.what() + " uses a class that is not known here; load the library that defines it: " + text_of(e, 1));
    if (texts::is_constant_without_value(text))
      throw Error(Code::File, file.what() +
                                  " contains constants that LibTorch cannot read, as written after "
                                  "torch.jit.optimize_for_inference; save the model before optimize_for_inference");
    if (texts::is_name_outside_ascii(text))
      throw Error(
          Code::File,
          file.what() +
              " has non-ASCII names, which LibTorch cannot read; rename the modules and attributes and save it again");
    throw Error(Code::File, file.what() + " is damaged or of an unknown format: " + text_of(e, 2));
  }
}

jit::Module load_with_known(const std::shared_ptr<const ArchiveFile>& file,
                            const std::shared_ptr<SkippingReader>& reader) {
  try {
    return load_once(file, reader);
  } catch (const Error& e) {
    // The schema is enough to read a program. It is registered only now, since a library that is loaded later may
    // register the operator itself.
    if (e.reasons().empty() || !register_known_operators(e.reasons()[0].op)) throw;
  }
  return load_with_known(file, reader);
}

class TensorWalk {
 public:
  explicit TensorWalk(const std::function<void(const at::Tensor&)>& visit)
      : visit_(visit), code_([this](const jit::Node& node) { constants(node); }) {}

  void value(const c10::IValue& v) {
    if (v.isTensor()) {
      if (v.toTensor().defined()) visit_(v.toTensor());
    } else if (v.isObject()) {
      const auto object = v.toObject();
      if (!seen_.insert(object.get()).second) return;
      for (const c10::IValue& slot : object->slots()) value(slot);
      code_.type(*object->type());
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

 private:
  void constants(const jit::Node& node) {
    for (const c10::Symbol name : node.attributeNames()) {
      if (node.kindOf(name) == jit::AttributeKind::t && node.t(name).defined()) visit_(node.t(name));
      if (node.kindOf(name) == jit::AttributeKind::ts)
        for (const at::Tensor& t : node.ts(name)) visit_(t);
      if (node.kindOf(name) == jit::AttributeKind::ival) value(node.ival(name));
    }
  }

  const std::function<void(const at::Tensor&)>& visit_;
  std::unordered_set<const void*> seen_;
  CodeWalk code_;
};

// True if the elements of a tensor are inside of its storage, and the storage has memory: code that runs while an
// archive is loaded may have made it.
bool is_sound(const at::Tensor& tensor) {
  if (!tensor.has_storage() || !tensor.device().is_cpu()) return true;
  const c10::Storage& storage = tensor.storage();
  if (storage.nbytes() > 0 && !storage.data()) return false;
  return is_inside(tensor.sizes(), tensor.strides(), tensor.storage_offset(), tensor.scalar_type(), storage.nbytes());
}

// Throws Error(Code::File) if a tensor of the module is not inside of its storage.
void require_inside(const jit::Module& module, const ArchiveFile& file) {
  for_each_tensor(module, [&](const at::Tensor& tensor) {
    if (!is_sound(tensor)) throw Error(Code::File, file.what() + " is damaged: a tensor is larger than its content");
  });
}

// A tensor in a record: its offset, sizes, strides and dtype.
using View =
    std::tuple<const ZipEntry*, std::uint64_t, std::vector<std::int64_t>, std::vector<std::int64_t>, c10::ScalarType>;

std::optional<View> view_of(const at::Tensor& tensor, const SkippingReader& reader) {
  if (!tensor.has_storage()) return std::nullopt;
  const c10::Storage& storage = tensor.storage();
  const auto it = reader.notes().find(storage.data());
  if (it == reader.notes().end() || storage.nbytes() != it->second.entry->size) return std::nullopt;
  const std::uint64_t offset = static_cast<std::uint64_t>(tensor.storage_offset()) * tensor.itemsize();
  return View{it->second.entry, offset, tensor.sizes().vec(), tensor.strides().vec(), tensor.scalar_type()};
}

// The program's constants that would be skipped; nullopt if they cannot be determined.
std::optional<std::set<View>> skipped_constants(const std::shared_ptr<const ArchiveFile>& file) {
  const auto adapter = std::make_shared<SkippingReader>(file, Skip::DataAndConstants);
  std::set<View> result;
  try {
    caffe2::serialize::PyTorchStreamReader reader(adapter);
    const c10::IValue table = jit::readArchiveAndTensors("constants", /*pickle_prefix=*/"",
                                                         /*tensor_prefix=*/"constants/",
                                                         /*type_resolver=*/std::nullopt, /*obj_loader=*/std::nullopt,
                                                         c10::Device(c10::kCPU), reader);
    for (const c10::IValue& item : table.toTupleRef().elements()) {
      if (!item.isTensor()) continue;
      const auto view = view_of(item.toTensor(), *adapter);
      if (view && adapter->notes().at(item.toTensor().storage().data()).skipped) result.insert(*view);
    }
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return result;
}

// Returns false if a skipped buffer, or one of `constants`, is not found in the module: values may have been computed
// from its unread content.
bool find_regions(LoadedModule& loaded, const SkippingReader& reader, const std::set<View>& constants) {
  if (reader.lost()) return false;
  std::unordered_set<const void*> found;
  std::set<View> views;
  for_each_tensor(loaded.module, [&](const at::Tensor& tensor) {
    const auto view = view_of(tensor, reader);
    if (!view) return;
    if (!constants.empty()) views.insert(*view);
    if (!tensor.is_inference()) loaded.tensors.push_back(tensor);
    const c10::Storage& storage = tensor.storage();
    const auto& note = reader.notes().at(storage.data());
    if (found.insert(storage.data()).second) loaded.regions.push_back({storage, note.entry, note.skipped});
  });
  for (const auto& [buffer, note] : reader.notes())
    if (note.skipped && !found.contains(buffer)) return false;
  return std::includes(views.begin(), views.end(), constants.begin(), constants.end());
}

std::set<std::uint64_t> marks_of(const std::set<View>& constants) {
  std::set<std::uint64_t> result;
  for (const View& view : constants) result.insert(std::get<0>(view)->offset + std::get<1>(view));
  return result;
}

}  // namespace

void for_each_tensor(const jit::Module& module, const std::function<void(const at::Tensor&)>& visit) {
  TensorWalk walk(visit);
  walk.value(module._ivalue());
}

LoadedModule load_module(const std::shared_ptr<const ArchiveFile>& file) {
  const KeepRandomState keep;
  require_program(*file);
  file->check();
  check_program_pickles(file);
  const bool large_constants = std::any_of(file->entries().begin(), file->entries().end(), [](const ZipEntry& entry) {
    return is_constant_record(entry) && entry.size >= kSkippedSize;
  });
  for (const Skip skip : {Skip::DataAndConstants, Skip::Data, Skip::Nothing}) {
    std::set<View> constants;
    if (skip == Skip::DataAndConstants) {
      if (!large_constants) continue;
      auto known = skipped_constants(file);
      if (!known) continue;
      constants = std::move(*known);
    }
    LoadedModule loaded;
    loaded.file = file;
    loaded.name = file->what();
    const auto reader = std::make_shared<SkippingReader>(file, skip, marks_of(constants));
    bool complete = false;
    try {
      loaded.module = load_with_known(file, reader);
      require_inside(loaded.module, *file);
      name_the_host(loaded.module);
      complete = find_regions(loaded, *reader, constants);
    } catch (const Error&) {
      if (skip != Skip::Nothing && !reader->notes().empty())
        continue;  // a class may have read content that was skipped
      throw;
    } catch (...) {
      rethrow(Code::File, file->what() + " is damaged or of an unknown format");
    }
    if (complete) return loaded;
    if (skip == Skip::Nothing) {
      loaded.regions.clear();
      loaded.tensors.clear();  // weights stay in memory
      return loaded;
    }
  }
  throw Error(Code::Internal, "all ways to load the archive failed");
}

void LoadedModule::add_regions(StorageMap& storages) const {
  for (const Region& region : regions)
    storages.set_region(region.storage.unsafeGetStorageImpl(),
                        file->storage(region.entry->offset, static_cast<std::size_t>(region.entry->size)));
}

void LoadedModule::fill() const {
  std::shared_ptr<std::byte> bytes;
  for (const Region& region : regions) {
    if (!region.skipped) continue;
    if (!bytes) bytes = file->writable_copy();
    auto* owner = new std::shared_ptr<std::byte>(bytes);
    at::DataPtr data(
        bytes.get() + region.entry->offset, owner, [](void* p) { delete static_cast<std::shared_ptr<std::byte>*>(p); },
        c10::Device(c10::kCPU));
    region.storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(data));
  }
}

void LoadedModule::read_again(const at::Tensor& tensor) const {
  const c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
  for (const Region& region : regions) {
    if (region.storage.unsafeGetStorageImpl() != storage) continue;
    const auto bytes = file->storage(region.entry->offset, static_cast<std::size_t>(region.entry->size));
    std::memcpy(region.storage.unsafeGetStorageImpl()->mutable_data(), bytes->data(),
                std::min(bytes->size(), region.storage.nbytes()));
  }
}

}  // namespace tonnx::torch
