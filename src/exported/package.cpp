#include "exported/package.h"

#include <algorithm>

#include "exported/document_error.h"
#include "exported/enums.h"
#include "exported/examples.h"
#include "exported/flat_package.h"
#include "exported/model_package.h"
#include "exported/saved_file.h"
#include "ir/checked.h"
#include "ir/error.h"

namespace tonnx::exported {

using archive::ArchiveFile;
using archive::ZipEntry;
using ir::Code;
using ir::Error;

Package::Package(std::shared_ptr<const ArchiveFile> file) : file_(std::move(file)) {
  for (const ZipEntry& entry : file_->entries()) records_.emplace(ArchiveFile::record_name(entry.name), &entry);
}

const ZipEntry* Package::find(const std::string& record) const {
  const auto found = records_.find(record);
  return found == records_.end() ? nullptr : found->second;
}

void Package::damaged(const std::string& why) const { throw Error(Code::File, file_->what() + " is damaged: " + why); }

JsonDocument Package::document(const std::string& record) const {
  const ZipEntry* entry = find(record);
  if (!entry) damaged("it has no '" + record + "'");
  const std::string text = file_->text(*entry);
  try {
    return JsonDocument(text);
  } catch (const JsonError& error) {
    damaged("its '" + record + "' is not a JSON document: " + error.what());
  }
}

PickledPtr Package::saved(const std::string& record) const {
  const ZipEntry* entry = find(record);
  if (!entry || entry->size == 0) return nullptr;
  if (!entry->stored) throw Error(Code::File, file_->what() + ": entry '" + record + "' is compressed");
  return read_saved(*file_, entry->offset, entry->size, "'" + record + "' in " + file_->what());
}

ir::Arguments Package::examples(const std::string& model) const {
  const PickledPtr value = saved(record_of_examples(model));
  return value ? examples_of(*value) : ir::Arguments();
}

namespace {

enum class Layout { None, Models, Flat, Compiled };

Layout layout_of(const std::vector<ZipEntry>& entries) {
  Layout layout = Layout::None;
  for (const ZipEntry& entry : entries) {
    const std::string record = ArchiveFile::record_name(entry.name);
    if (record.starts_with("models/") && record.ends_with(".json")) return Layout::Models;
    if (record == kFlatProgram) return Layout::Flat;
    if (record.starts_with("data/aotinductor/")) layout = Layout::Compiled;
  }
  return layout;
}

}  // namespace

bool Package::is_one(const std::vector<ZipEntry>& entries) { return layout_of(entries) != Layout::None; }

std::shared_ptr<const Package> Package::open(std::shared_ptr<const ArchiveFile> file) {
  switch (layout_of(file->entries())) {
    case Layout::Models: return open_model_package(std::move(file));
    case Layout::Flat: return open_flat_package(std::move(file));
    case Layout::Compiled:
      throw Error(Code::Unsupported, file->what() +
                                         " is a package of AOTInductor: it has compiled code but no program; save the "
                                         "exported program with torch.export.save");
    case Layout::None: break;
  }
  return nullptr;
}

ir::Tensor tensor_of(const Json& meta, std::shared_ptr<const ir::Storage> storage) {
  ir::Tensor tensor;
  tensor.dtype = dtype_of(meta.at("dtype").get<std::int64_t>());
  if (tensor.dtype == ir::DType::Undefined)
    throw Error(Code::Unsupported, "its dtype (number " + meta.at("dtype").dump() + ") is not supported");
  if (meta.at("layout").get<std::int64_t>() != kStrided) throw Error(Code::Unsupported, "it is not dense");
  const auto integers = [](const Json& list) {
    std::vector<std::int64_t> out;
    for (const Json& item : list) out.push_back(item.at("as_int").get<std::int64_t>());
    return out;
  };
  tensor.dims = integers(meta.at("sizes"));
  tensor.strides = integers(meta.at("strides"));
  tensor.offset = meta.at("storage_offset").at("as_int").get<std::int64_t>();
  check_bounds(tensor, storage->size());
  tensor.storage = std::move(storage);
  return tensor;
}

void check_bounds(const ir::Tensor& tensor, std::size_t bytes) {
  const auto fail = [] { throw DocumentError("it extends beyond its bytes in the archive"); };
  if (tensor.dims.size() != tensor.strides.size() || tensor.offset < 0) fail();
  const auto elements = ir::checked_count(tensor.dims);
  const std::size_t size = size_of(tensor.dtype);
  if (!elements || size == 0) fail();
  if (*elements == 0) return;
  const auto count = static_cast<std::int64_t>(bytes / size);
  std::int64_t last = tensor.offset;
  for (std::size_t d = 0; d < tensor.dims.size(); ++d) {
    if (tensor.strides[d] < 0) fail();
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(tensor.dims[d] - 1, tensor.strides[d], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      fail();
  }
  if (last >= count) fail();
}

}  // namespace tonnx::exported
