#include "torch/args_file.h"

#include <algorithm>

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/import_read.h>

#include "ir/error.h"
#include "torch/convert.h"
#include "torch/guard.h"
#include "torch/libtorch_texts.h"
#include "torch/pickle_check.h"
#include "torch/skipping_reader.h"

namespace tonnx::torch {

using ir::Code;
using ir::Constant;
using ir::Error;

namespace {

c10::IValue read_value(const ArchiveFile& file, const std::shared_ptr<SkippingReader>& adapter) {
  return guarded(Code::File,
                 file.what() + " is damaged or contains other objects than tensors, numbers, strings, lists and dicts",
                 [&] {
                   caffe2::serialize::PyTorchStreamReader reader(adapter);
                   return ::torch::jit::readArchiveAndTensors(
                       "data", /*pickle_prefix=*/"", /*tensor_prefix=*/"data/",
                       /*type_resolver=*/std::nullopt, /*obj_loader=*/std::nullopt, c10::Device(c10::kCPU), reader);
                 });
}

}  // namespace

ir::Arguments read_arguments(const std::string& path) {
  const auto file = ArchiveFile::open(path);
  if (!file->find("data.pkl"))
    throw Error(Code::File, file->what() + " was not written by torch.save: it has no entry 'data.pkl'");
  for (const ZipEntry& entry : file->entries())
    if (ArchiveFile::record_name(entry.name).starts_with("code/"))
      throw Error(Code::File, file->what() + " is a TorchScript archive, not a file of arguments");
  file->check();
  check_saved_pickle(file);
  const c10::IValue value = [&] {
    try {
      return read_value(*file, std::make_shared<SkippingReader>(file, Skip::Nothing));
    } catch (const Error& e) {
      if (texts::is_ordered_dict(e.what()))
        throw Error(
            Code::File,
            file->what() + " contains an OrderedDict, as a state dict is, which cannot be read; save dict(...) of it");
      if (const std::string name = texts::unknown_pickled_class(e.what()); !name.empty())
        throw Error(Code::File, file->what() + " contains an object of class " + name +
                                    ", which only Python can create; save its content as a tuple, list or dict, for "
                                    "example tuple(...) of a named tuple");
      throw;
    }
  }();
  auto constant = guarded(Code::Argument, file->what(), [&] { return to_ir(value); });
  if (!constant) throw Error(Code::Argument, file->what() + " contains objects that cannot be arguments");
  ir::Arguments result;
  if (const auto* tuple = constant->get<Constant::Tuple>())
    result.positional = tuple->items;
  else if (const auto* list = constant->get<Constant::List>())
    result.positional = list->items;
  else
    result.positional.push_back(std::move(*constant));
  if (result.positional.empty()) return result;
  const auto* keywords = result.positional.back().get<Constant::Dict>();
  if (!keywords || (!constant->get<Constant::Tuple>() && !constant->get<Constant::List>())) return result;
  // Keyword arguments have names; a dict with other keys is a positional argument.
  const auto is_name = [](const auto& entry) { return entry.key.template get<std::string>() != nullptr; };
  if (!std::ranges::all_of(keywords->items, is_name)) return result;
  for (const auto& [key, item] : keywords->items) result.keywords.emplace_back(*key.get<std::string>(), item);
  result.positional.pop_back();
  return result;
}

}  // namespace tonnx::torch
