#include "onnx/external_region.h"

#include <charconv>
#include <set>

#include "ir/error.h"

namespace tonnx::onnx {

ExternalRegion external_region_of(const pb::TensorProto& tensor, const std::string& model) {
  const auto fail = [&](const std::string& reason) {
    throw ir::Error(ir::Code::File, model + ": tensor " + tensor.name() + ": " + reason);
  };
  const auto bytes = [&](const pb::StringStringEntryProto& entry) {
    const std::string& text = entry.value();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      fail("the " + entry.key() + " '" + text + "' of its external data is not a number of bytes");
    return value;
  };
  ExternalRegion region;
  std::set<std::string> keys;
  for (const pb::StringStringEntryProto& entry : tensor.external_data()) {
    if (!keys.insert(entry.key()).second) fail("the " + entry.key() + " of its external data is specified twice");
    if (entry.key() == "location") region.location = entry.value();
    if (entry.key() == "offset") region.offset = bytes(entry);
    if (entry.key() == "length") region.length = bytes(entry);
  }
  if (region.location.empty()) fail("its external data has no location");
  return region;
}

}  // namespace tonnx::onnx
