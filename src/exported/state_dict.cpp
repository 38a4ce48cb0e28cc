#include "exported/state_dict.h"

#include <fstream>

#include "exported/safetensors.h"
#include "exported/saved_file.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Code;
using ir::Error;

namespace {

constexpr std::string_view kOldPickle("\x80\x02\x8a\x0a", 4);  // torch.save began with a 10-byte number

const Pickled::Dict* dict_in(const Pickled& value, const std::string& key) {
  const auto* dict = value.get<Pickled::Dict>();
  if (!dict) return nullptr;
  for (const auto& [name, item] : *dict)
    if (const auto* text = name->get<std::string>(); text && *text == key) return item->get<Pickled::Dict>();
  return nullptr;
}

StateDict read_saved_dict(const std::string& path) {
  const auto file = archive::ArchiveFile::open(path);
  const PickledPtr saved = read_saved(*file, 0, file->size(), file->what());
  const auto* dict = dict_in(*saved, "state_dict");
  if (!dict) dict = saved->get<Pickled::Dict>();
  if (!dict)
    throw Error(Code::File,
                file->what() + " does not contain a state dict; write one with torch.save(model.state_dict(), ...)");
  StateDict tensors;
  for (const auto& [key, value] : *dict) {
    const auto* name = key->get<std::string>();
    const auto* tensor = value->get<ir::Tensor>();
    if (!name || !tensor)
      throw Error(Code::File, file->what() + ": entry '" + (name ? *name : "?") + "' is not a dense tensor");
    tensors[*name] = *tensor;
  }
  return tensors;
}

}  // namespace

StateDict read_state_dict(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[4] = {};
  file.read(start, sizeof(start));
  if (file.gcount() < 2) throw Error(Code::File, "'" + path + "' cannot be read");
  if (std::string_view(start, sizeof(start)) == kOldPickle)
    throw Error(
        Code::File,
        "'" + path + "' is a pickle of torch.save before PyTorch 1.6, not a zip file; save the state dict again");
  if (start[0] == 'P' && start[1] == 'K') return read_saved_dict(path);
  return start[0] == '{' ? read_safetensors_index(path) : read_safetensors(path);
}

}  // namespace tonnx::exported
