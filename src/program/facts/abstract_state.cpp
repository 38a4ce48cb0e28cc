#include "program/facts/abstract_state.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/merge.h"

namespace tonnx::program {

using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

const Sampled& AbstractState::of(const Value* value) const {
  static const Sampled unknown;
  const Sampled* found = values.find(value);
  return found ? *found : unknown;
}

namespace {

DType dtype_of_number(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Int: return DType::Int64;
    case Type::Kind::Float: return DType::Float64;
    case Type::Kind::Bool: return DType::Bool;
    default: return DType::Undefined;
  }
}

}  // namespace

void AbstractState::record(const Value* value, Sampled sampled) {
  if (sampled.unreachable) {
    values[value] = std::move(sampled);
    return;
  }
  // The list that append() returns is usually unused, so its facts are not computed.
  const bool is_read = !value->is_unused() || !value->type().is(Type::Kind::List);
  Facts facts = is_read ? lattice_.note_facts(sampled) : Facts();
  if (!sampled.known()) facts.dtype = sampled.dtype != DType::Undefined ? sampled.dtype : imported.at(value).dtype;
  if (facts.dtype == DType::Undefined) facts.dtype = dtype_of_number(value->type());
  Facts& joined = found.values[value];
  joined = seen_.insert(*value) ? std::move(facts) : ir::join(joined, facts);
  values[value] = std::move(sampled);
}

std::optional<bool> AbstractState::certain(const Value* condition) const {
  return of(condition).varies ? std::nullopt : on_example(condition);
}

std::optional<bool> AbstractState::on_example(const Value* condition) const {
  const Sampled& e = of(condition);
  return !e.known() || (e.varies && e.depends_on_data) ? std::nullopt : constant_in<bool>(e, 0);
}

std::optional<std::int64_t> AbstractState::certain_integer(const Value* condition) const {
  const Sampled& e = of(condition);
  return !e.known() || e.varies ? std::nullopt : constant_in<std::int64_t>(e, 0);
}

std::vector<bool> AbstractState::taken_in_samples(const Value* condition) const {
  std::vector<bool> taken;
  for (std::size_t sample = 0; sample < of(condition).samples.size(); ++sample) {
    const auto value = constant_in<bool>(of(condition), sample);
    if (!value) return {};
    taken.push_back(*value);
  }
  return taken;
}

void AbstractState::note_inside(const Node& node, std::size_t sample, const std::string& message) {
  if (further_iteration || sample == 0 || lattice_.is_data_sample(sample) || unreached[sample]) return;
  const auto has_node = [&](const SampleFailure& failure) { return failure.node == &node; };
  auto found = std::ranges::find_if(failures_inside, has_node);
  if (found == failures_inside.end()) found = failures_inside.insert(found, {&node, {}, message});
  if (std::ranges::find(found->samples, sample) == found->samples.end()) found->samples.push_back(sample);
}

std::optional<std::vector<ir::Dim>> AbstractState::dims_now(const Value* tensor) {
  if (known.of(tensor).dims) return known.of(tensor).dims;
  return lattice_.facts_of(of(tensor)).dims;
}

}  // namespace tonnx::program
