// Pickles of torch.save. Tensors that they contain are read.
#include "exported/unpickler.h"

#include "ir/error.h"
#include "target.h"

namespace {

using tonnx::exported::Pickled;

void visit(const Pickled& value, int depth) {
  if (depth > 100) return;
  if (const auto* tensor = value.get<tonnx::ir::Tensor>()) {
    if (tensor->numel() <= 1024) tensor->to_doubles();
  } else if (const auto* list = value.get<Pickled::List>()) {
    for (const auto& item : *list)
      if (item) visit(*item, depth + 1);
  } else if (const auto* dict = value.get<Pickled::Dict>()) {
    for (const auto& [key, item] : *dict) {
      if (key) visit(*key, depth + 1);
      if (item) visit(*item, depth + 1);
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto storage = [](const std::string& key) {
    static const float values[] = {1, 2, 3, 4, 5, 6};
    return key == "0" ? tonnx::ir::Storage::copy(values, sizeof values) : nullptr;
  };
  try {
    const auto value = tonnx::exported::unpickle({reinterpret_cast<const char*>(data), size}, storage);
    if (value) visit(*value, 0);
  } catch (const tonnx::ir::Error&) {
  }
  return 0;
}
