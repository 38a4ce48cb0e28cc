#include "tonnx/registry.h"

#include "descriptor.h"
#include "export/function_symbolic.h"
#include "export/operator_list.h"
#include "guard.h"
#include "symbolic.h"

using tonnx::capi::answer;
using tonnx::capi::guard;
using tonnx::capi::own_user_data;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::exporting::Conversion;
using tonnx::lower::Registry;

namespace {

// Returns the result of `read` for an entry, or `none` if the index is out of range. The registry cannot change
// meanwhile.
template <class T, class Read>
T read_entry(const tonnx_registry* registry, size_t index, T none, const Read& read) {
  if (!registry) return none;
  return answer(none, [&]() -> T {
    const std::lock_guard lock(registry->mutex);
    const auto& entries = registry->entries();
    return index < entries.size() ? read(entries[index]) : none;
  });
}

}  // namespace

const std::vector<Conversion>& tonnx_registry::entries() const {
  if (!listed) listed = std::make_unique<std::vector<Conversion>>(tonnx::exporting::list_operators(registry));
  return *listed;
}

Registry tonnx_registry::snapshot(const tonnx_registry* registry) {
  if (!registry) return {};
  const std::lock_guard lock(registry->mutex);
  return registry->registry;
}

tonnx_status tonnx_registry_new(tonnx_registry** out, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    *out = new tonnx_registry;
  });
}

tonnx_status tonnx_registry_add(tonnx_registry* registry, const char* name, int32_t since, tonnx_symbolic_fn symbolic,
                                void* user_data, tonnx_destroy_fn destroy, tonnx_error** error) {
  return guard(error, [&] {
    const std::shared_ptr<void> owned = own_user_data(user_data, destroy);
    require(registry, "registry");
    require(name, "name");
    if (!symbolic) refuse("argument 'symbolic' is NULL");
    auto made = tonnx::capi::make_symbolic(symbolic, owned);
    Registry before;  // outlives the lock: the destroy function of a replaced symbolic may use the registry
    const std::lock_guard lock(registry->mutex);
    before = registry->registry;
    registry->registry.add(name, since, std::move(made));
    registry->listed.reset();
  });
}

tonnx_status tonnx_registry_add_functions(tonnx_registry* registry, const void* source, size_t size, const char* name,
                                          int32_t since, tonnx_error** error) {
  return guard(error, [&] {
    require(registry, "registry");
    require(source, "source");
    Registry before;  // as in tonnx_registry_add
    const std::lock_guard lock(registry->mutex);
    before = registry->registry;
    tonnx::exporting::add_functions(registry->registry, {static_cast<const std::byte*>(source), size}, name ? name : "",
                                    since);
    registry->listed.reset();
  });
}

tonnx_status tonnx_registry_set_arguments(tonnx_registry* registry, const char* name, int32_t since, const char* kinds,
                                          tonnx_error** error) {
  return guard(error, [&] {
    require(registry, "registry");
    require(name, "name");
    require(kinds, "kinds");
    Registry before;  // as in tonnx_registry_add
    const std::lock_guard lock(registry->mutex);
    before = registry->registry;
    const Registry::Entry* entry = before.symbolic(name, since);
    if (!entry) refuse("no symbolic is registered for " + std::string(name) + " at opset " + std::to_string(since));
    if (!entry->function.empty()) refuse(entry->name + " is converted to a function, which checks its own arguments");
    registry->registry.add(name, since, tonnx::capi::with_arguments(entry->symbolic, kinds));
    registry->listed.reset();
  });
}

tonnx_status tonnx_registry_remove(tonnx_registry* registry, const char* name, int32_t since, tonnx_error** error) {
  return guard(error, [&] {
    require(registry, "registry");
    require(name, "name");
    Registry before;  // as in tonnx_registry_add
    const std::lock_guard lock(registry->mutex);
    before = registry->registry;
    if (!registry->registry.remove(name, since))
      refuse("no symbolic is registered for " + std::string(name) + " at opset " + std::to_string(since));
    registry->listed.reset();
  });
}

size_t tonnx_registry_count(const tonnx_registry* registry) {
  if (!registry) return 0;
  return answer(size_t{0}, [&] {
    const std::lock_guard lock(registry->mutex);
    return registry->entries().size();
  });
}

const char* tonnx_registry_name(const tonnx_registry* registry, size_t index) {
  return read_entry(registry, index, "", [](const Conversion& entry) { return entry.name.c_str(); });
}

int32_t tonnx_registry_since(const tonnx_registry* registry, size_t index) {
  return read_entry(registry, index, int32_t{0}, [](const Conversion& entry) { return entry.since; });
}

int32_t tonnx_registry_is_custom(const tonnx_registry* registry, size_t index) {
  return read_entry(registry, index, int32_t{0}, [](const Conversion& entry) { return int32_t{entry.is_custom}; });
}

const char* tonnx_registry_kind(const tonnx_registry* registry, size_t index) {
  return read_entry(registry, index, "", [](const Conversion& entry) { return entry.kind.data(); });
}

void tonnx_registry_free(tonnx_registry* registry) { tonnx::capi::destroy(registry); }
