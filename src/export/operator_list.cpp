#include "export/operator_list.h"

#include <algorithm>
#include <set>

#include "aten/quantised_traits.h"

namespace tonnx::exporting {

using lower::Registry;

namespace {

constexpr std::int32_t kFirst = 7;  // rounding to a scale is possible at every opset

const std::vector<Registry::Entry>& replaced() {
  static const auto& entries = *[] {
    auto* all = new std::vector<Registry::Entry>;
    for (const aten::QuantisedRow* row : aten::quantised_rows())
      if (aten::is_quantised_alone(row->traits.form) && row->traits.form != aten::QuantisedForm::Refused)
        all->push_back({std::string(row->op), kFirst, nullptr, nullptr});
    return all;
  }();
  return entries;
}

}  // namespace

std::vector<const Registry::Entry*> list_operators(const Registry& registry) {
  std::vector<const Registry::Entry*> all = registry.entries();
  std::set<std::string_view> built_in;  // operator names without overload
  for (const Registry::Entry* entry : all)
    if (!entry->is_custom()) built_in.insert(std::string_view(entry->name).substr(0, entry->name.find('.')));
  for (const Registry::Entry& entry : replaced())
    if (!built_in.contains(entry.name)) all.push_back(&entry);
  std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return a->name != b->name ? a->name < b->name : a->since < b->since;
  });
  return all;
}

}  // namespace tonnx::exporting
