// Replaces an einsum of one operand that sums nothing by views: it only permutes axes and takes diagonals.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "aten/containers.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/writes/passes.h"

namespace tonnx::program {

using ir::Node;
using ir::Value;

namespace {

constexpr char kEllipsis = '.';  // represents the axes without a label

// The labels of an operand or the result, one character each.
std::string labels_of(std::string_view part) {
  std::string labels;
  for (const char c : part) {
    if (c == ' ' || (c == kEllipsis && labels.ends_with(kEllipsis))) continue;
    labels += c;
  }
  return labels;
}

// The labels of an implicit result: those that occur once, sorted.
std::string implicit_result(std::string labels) {
  std::ranges::sort(labels);
  const std::string sorted = labels;
  std::erase_if(labels, [&](char c) { return std::ranges::count(sorted, c) > 1; });
  return labels;
}

struct Equation {
  std::string operand;
  std::string result;
};

// Removes an ellipsis of no axes.
void drop_empty_ellipsis(Equation& equation, const ir::Facts& operand) {
  const std::size_t ellipsis = equation.operand.find(kEllipsis);
  const bool is_empty =
      ellipsis == std::string::npos ||
      (operand.has_rank() && operand.rank() + 1 == static_cast<std::int64_t>(equation.operand.size()));
  if (!is_empty) return;
  std::erase(equation.operand, kEllipsis);
  std::erase(equation.result, kEllipsis);
}

// Parses an equation of one operand; none if it sums over a label.
std::optional<Equation> parse_view(std::string_view string, const ir::Facts& operand) {
  const std::size_t arrow = string.find("->");
  Equation equation{labels_of(string.substr(0, arrow)), ""};
  equation.result =
      arrow == std::string_view::npos ? implicit_result(equation.operand) : labels_of(string.substr(arrow + 2));
  drop_empty_ellipsis(equation, operand);
  const auto in = [](const std::string& labels) { return [&](char c) { return labels.find(c) != std::string::npos; }; };
  if (!std::ranges::all_of(equation.operand, in(equation.result)) ||
      !std::ranges::all_of(equation.result, in(equation.operand)))
    return std::nullopt;
  return equation;
}

// The axis of a label. After an ellipsis it counts from the end.
std::int64_t axis_at(const std::string& labels, std::size_t index) {
  const std::size_t ellipsis = labels.find(kEllipsis);
  const auto axis = static_cast<std::int64_t>(index);
  return index < ellipsis ? axis : axis - static_cast<std::int64_t>(labels.size());
}

Value* take_diagonals(Inserter& insert, Value* x, std::string& labels) {
  for (std::size_t first = 0; first < labels.size();) {
    const std::size_t second = labels.find(labels[first], first + 1);
    if (second == std::string::npos) {
      ++first;
      continue;
    }
    Value* one = insert.integer(axis_at(labels, first));
    Value* other = insert.integer(axis_at(labels, second));
    x = insert.call("aten::diagonal", {x, insert.integer(0), one, other});
    labels += labels[first];
    labels.erase(second, 1);
    labels.erase(first, 1);
    first = 0;
  }
  return x;
}

Value* move_axes(Inserter& insert, Value* x, const std::string& from, const std::string& to) {
  std::vector<std::int64_t> source;
  std::vector<std::int64_t> destination;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == kEllipsis) continue;
    source.push_back(axis_at(from, i));
    destination.push_back(axis_at(to, to.find(from[i])));
  }
  if (from == to) return insert.call("aten::alias", {x});
  return insert.call("aten::movedim.intlist", {x, insert.integers(source), insert.integers(destination)});
}

}  // namespace

bool spell_views(ir::Graph& graph) {
  const std::vector<Node*> nodes =
      nodes_where(graph, [&](const Node* node) { return node->full_name() == "aten::einsum"; });
  bool changed = false;
  for (Node* node : nodes) {
    const ir::Constant* constant = node->input(0)->constant();
    const auto* equation_string = constant ? constant->get<std::string>() : nullptr;
    const Node& operands = *node->input(1)->node();
    if (!equation_string || !aten::acts_as(operands, aten::Container::List) || operands.input_count() != 1) continue;
    std::optional<Equation> equation = parse_view(*equation_string, operands.input()->facts());
    if (!equation) continue;
    Inserter insert(node);
    Value* view = take_diagonals(insert, operands.input(), equation->operand);
    view = move_axes(insert, view, equation->operand, equation->result);
    node->output()->replace_uses(view);
    node->erase();
    changed = true;
  }
  return changed;
}

}  // namespace tonnx::program
