#include "lower/registry.h"

#include <algorithm>
#include <initializer_list>
#include <ranges>
#include <set>

#include "aten/called_as.h"
#include "ir/error.h"
#include "lower/families.h"
#include "lower/typed_name.h"

namespace tonnx::lower {
namespace {

using Entries = std::vector<Registry::Entry>;

constexpr std::int32_t kOldestOfSymbolics = 9;  // targets below it may use a symbolic of a newer opset, up to this one

// Keeps the newest first. Returns false for a second entry of the same opset, unless `replace`.
bool insert(Entries& entries, Registry::Entry entry, bool replace) {
  const auto at =
      std::find_if(entries.begin(), entries.end(), [&](const Registry::Entry& e) { return e.since <= entry.since; });
  if (at != entries.end() && at->since == entry.since) {
    if (!replace) return false;
    *at = std::move(entry);
    return true;
  }
  entries.insert(at, std::move(entry));
  return true;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word_character(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; }

// "add", "add.Tensor", "add<float16>", "add.Tensor<float16>"
bool is_operator_text(std::string_view text) {
  text = text.substr(0, text.find('<'));
  const std::size_t dot = text.find('.');
  const std::string_view base = text.substr(0, dot);
  if (base.empty() || !is_letter(base.front()) || !std::ranges::all_of(base, is_word_character)) return false;
  const std::string_view overload = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  return std::ranges::all_of(overload, is_word_character) && (dot == std::string_view::npos || !overload.empty());
}

void check_name(const std::string& name) {
  const std::size_t colon = name.find("::");
  const bool shaped = colon != std::string::npos && colon > 0 && colon + 2 < name.size() &&
                      name.find("::", colon + 2) == std::string::npos;
  if (!shaped)
    throw ir::Error(ir::Code::Argument, "failed to register operator " + name + ": the name must be <domain>::<op>");
  const bool typed = name.find('<') != std::string::npos;
  if (typed && !is_dtype_text(dtype_in(name)))
    throw ir::Error(ir::Code::Argument,
                    "failed to register operator " + name + ": expected a dtype or 'complex' between < and >");
  if (!is_operator_text(std::string_view(name).substr(colon + 2)))
    throw ir::Error(ir::Code::Argument,
                    "failed to register operator " + name +
                        ": the operator's name must begin with a letter and contain only letters, digits, _ and -");
  if (name.substr(0, colon) == "onnx")
    throw ir::Error(ir::Code::Argument, "failed to register operator " + name +
                                            ": the domain 'onnx' is reserved for the model's operators");
}

void add_rows(std::map<std::string, Entries, std::less<>>& table,
              std::initializer_list<std::span<const Row>> families) {
  for (const auto rows : families) {
    for (const Row& row : rows) {
      const std::string name(row.name);
      if (!insert(table[name], {name, row.since, row.lowering, nullptr}, false))
        throw ir::Error(ir::Code::Internal, "two lowerings for " + name + " at opset " + std::to_string(row.since));
    }
  }
}

}  // namespace

const Registry::Table& Registry::built_in(Form form) {
  static const Table real = [] {
    Table t;
    add_rows(t, {activation_rows(),
                 arithmetic_rows(),
                 attention_rows(),
                 bessel_rows(),
                 bit_rows(),
                 cast_rows(),
                 classification_loss_rows(),
                 comparison_rows(),
                 container_rows(),
                 control_rows(),
                 convolution_rows(),
                 counting_rows(),
                 covariance_rows(),
                 creation_rows(),
                 cumulative_rows(),
                 deformable_rows(),
                 distance_rows(),
                 distribution_rows(),
                 embedding_rows(),
                 error_function_rows(),
                 fourier_rows(),
                 gamma_rows(),
                 gradient_rows(),
                 grid_rows(),
                 grouped_product_rows(),
                 householder_rows(),
                 indexing_rows(),
                 integers_rows(),
                 integration_rows(),
                 joining_rows(),
                 linear_rows(),
                 loss_rows(),
                 lu_rows(),
                 matrix_function_rows(),
                 normalisation_rows(),
                 observer_rows(),
                 ordering_rows(),
                 orthogonal_rows(),
                 padding_rows(),
                 permutation_rows(),
                 pooling_rows(),
                 product_rows(),
                 quantile_rows(),
                 quantisation_rows(),
                 quantised_recurrent_rows(),
                 rearrangement_rows(),
                 recurrent_rows(),
                 reduction_rows(),
                 region_pooling_rows(),
                 resize_rows(),
                 scalar_rows(),
                 scatter_rows(),
                 segments_rows(),
                 sequence_loss_rows(),
                 shape_rows(),
                 short_time_fourier_rows(),
                 slicing_rows(),
                 spectral_rows(),
                 splitting_rows(),
                 statistics_rows(),
                 suppression_rows(),
                 triangular_rows(),
                 unary_rows(),
                 unpooling_rows(),
                 view_scatter_rows(),
                 windows_rows()});
    return t;
  }();
  static const Table complex = [&] {
    Table t;
    add_rows(t, {complex_arithmetic_rows(), complex_container_rows(), complex_function_rows(), complex_lu_rows(),
                 complex_householder_rows(), complex_jacobi_rows(), complex_matrix_rows(), complex_parts_rows(),
                 complex_product_rows(), complex_solution_rows(), complex_statistics_rows(), complex_view_rows(),
                 control_rows(), fourier_rows(), short_time_fourier_rows()});
    for (auto& [name, entries] : t)
      if (real.contains(name))
        for (Entry& e : entries) e.name += "<complex>";
    return t;
  }();
  return form == Form::Real ? real : complex;
}

Registry::Registry() {
  built_in();
  built_in(Form::Complex);
}

void Registry::add(std::string name, std::int32_t since, Symbolic symbolic, std::string function) {
  if (name.starts_with("::")) name = "aten" + name;
  check_name(name);
  if (since < 1)
    throw ir::Error(ir::Code::Argument,
                    "failed to register operator " + name + ": opset " + std::to_string(since) + " is below 1");
  auto shared = std::make_shared<const Symbolic>(std::move(symbolic));
  auto changed = std::make_shared<Table>(*custom_);
  Entries& entries = (*changed)[name];
  insert(entries, {std::move(name), since, nullptr, std::move(shared), std::move(function)}, true);
  custom_ = std::move(changed);
}

const Registry::Entry* Registry::symbolic(const std::string& given, std::int32_t since) const {
  const auto it = custom_->find(given.starts_with("::") ? "aten" + given : given);
  if (it == custom_->end()) return nullptr;
  const auto found = std::ranges::find(it->second, since, &Entry::since);
  return found == it->second.end() ? nullptr : &*found;
}

bool Registry::remove(const std::string& given, std::int32_t since) {
  auto changed = std::make_shared<Table>(*custom_);
  const auto it = changed->find(given.starts_with("::") ? "aten" + given : given);
  if (it == changed->end()) return false;
  const bool removed = std::erase_if(it->second, [&](const Entry& e) { return e.since == since; }) > 0;
  if (it->second.empty()) changed->erase(it);
  custom_ = std::move(changed);
  return removed;
}

namespace {

// Throws if a function on the path from `name` calls one that is on it. `done`: functions without such a path.
void refuse_recursion(const ir::Functions& functions, const std::string& name, std::vector<std::string>& path,
                      std::set<std::string>& done) {
  const auto found = functions.find(name);
  if (found == functions.end() || done.contains(name)) return;
  path.push_back(name);
  for (const std::string& called : found->second->operators) {
    if (const auto at = std::ranges::find(path, called); at != path.end()) {
      std::string cycle;
      for (auto it = at; it != path.end(); ++it) cycle += *it + " -> ";
      throw ir::Error(ir::Code::Argument,
                      "ONNX has no recursion, and the function " + called + " calls itself: " + cycle + called);
    }
    refuse_recursion(functions, called, path, done);
  }
  path.pop_back();
  done.insert(name);
}

}  // namespace

void Registry::add_functions(const std::vector<ir::FunctionPtr>& functions) {
  auto changed = std::make_shared<ir::Functions>(*functions_);
  for (const ir::FunctionPtr& function : functions) {
    const auto [known, is_new] = changed->try_emplace(function->full_name(), function);
    if (!is_new && known->second->message != function->message)
      throw ir::Error(ir::Code::Argument,
                      "another function " + function->full_name() + " is registered; rename one of them");
  }
  std::vector<std::string> path;
  std::set<std::string> done;
  for (const auto& [name, function] : *changed) refuse_recursion(*changed, name, path, done);
  functions_ = std::move(changed);
}

template <typename Take>
void Registry::visit(const Table& table, std::string_view name, std::string_view overload, const Take& take) {
  const std::string full = overload.empty() ? std::string(name) : std::string(name) + "." + std::string(overload);
  for (const std::string& key : {full, std::string(name)}) {
    for (auto it = table.lower_bound(key + "<"); it != table.end() && it->first.starts_with(key + "<"); ++it)
      take(it->second);
    if (const auto it = table.find(key); it != table.end()) take(it->second);
    if (overload.empty()) break;
  }
}

namespace {

// Appends the symbolics of one name that serve the target.
void add_symbolics(const Entries& entries, std::int32_t opset, std::vector<const Registry::Entry*>& found) {
  const auto at = std::ranges::find_if(entries, [&](const Registry::Entry& e) { return e.since <= opset; });
  for (const Registry::Entry& e : std::ranges::subrange(at, entries.end())) found.push_back(&e);
  if (at != entries.end()) return;
  for (const Registry::Entry& e : entries | std::views::reverse)
    if (e.since <= kOldestOfSymbolics) found.push_back(&e);
}

std::string_view overload_in(const ir::Node& node) {
  return node.schema() ? std::string_view(node.schema()->overload) : std::string_view();
}

}  // namespace

std::vector<const Registry::Entry*> Registry::find(const ir::Node& node, std::int32_t opset, Form form) const {
  std::vector<const Entry*> found;
  if (const std::string_view called = aten::called_as(node); !called.empty())
    visit(*custom_, called, "", [&](const Entries& entries) { add_symbolics(entries, opset, found); });
  const std::vector<const Entry*> own = find(node.kind(), overload_in(node), opset, form);
  found.insert(found.end(), own.begin(), own.end());
  return found;
}

std::vector<const Registry::Entry*> Registry::find(std::string_view name, std::string_view overload, std::int32_t opset,
                                                   Form form) const {
  std::vector<const Entry*> found;
  const auto add_custom = [&](const Entries& entries) { add_symbolics(entries, opset, found); };
  visit(*custom_, name, overload, add_custom);
  visit(built_in(form), name, overload, [&](const Entries& entries) {
    for (const Entry& e : entries)
      if (e.since <= opset) found.push_back(&e);
  });
  if (found.empty()) visit(*custom_, std::string(name) + "_", overload, add_custom);
  return found;
}

std::int32_t Registry::later(std::string_view name, std::string_view overload, std::int32_t opset, Form form) const {
  std::int32_t first = 0;
  for (const Table* table : {custom_.get(), &built_in(form)})
    visit(*table, name, overload, [&](const Entries& entries) {
      for (const Entry& e : entries)
        if (e.since > opset && (first == 0 || e.since < first)) first = e.since;
    });
  return first;
}

const Registry::Entry* Registry::newer_function(const ir::Node& node, std::int32_t opset) const {
  const Entry* newer = nullptr;
  bool is_served = false;
  const auto look = [&](const Entries& entries) {
    for (const Entry& e : entries) {
      is_served = is_served || e.since <= opset;
      if (e.since > opset && !e.function.empty()) newer = &e;
    }
  };
  visit(*custom_, node.kind(), overload_in(node), look);
  if (const std::string_view called = aten::called_as(node); !called.empty()) visit(*custom_, called, "", look);
  return is_served ? nullptr : newer;
}

std::vector<const Registry::Entry*> Registry::entries() const {
  std::vector<const Entry*> all;
  for (const Table* table : {&built_in(), custom_.get()})
    for (const auto& [name, entries] : *table)
      for (const Entry& e : entries) all.push_back(&e);
  for (const auto& [name, entries] : built_in(Form::Complex)) {
    const auto real = built_in().find(name);
    if (real != built_in().end() && real->second.back().since == entries.back().since) continue;
    for (const Entry& e : entries) all.push_back(&e);
  }
  std::stable_sort(all.begin(), all.end(), [](const Entry* a, const Entry* b) {
    return a->name != b->name ? a->name < b->name : a->since < b->since;
  });
  return all;
}

}  // namespace tonnx::lower
