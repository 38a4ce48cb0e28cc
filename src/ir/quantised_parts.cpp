#include "ir/quantised_parts.h"

#include <algorithm>

namespace tonnx::ir {
namespace {

constexpr const char* kParts = "quantised_parts";  // attribute of the params and return nodes

std::vector<Part> parts_of(const Node& node, std::size_t count) {
  std::vector<Part> parts(count, Part::Whole);
  if (const auto* known = node.attribute_as<std::vector<std::int64_t>>(kParts))
    for (std::size_t i = 0; i < std::min(count, known->size()); ++i) parts[i] = static_cast<Part>((*known)[i]);
  return parts;
}

void set_parts(Node& node, const std::vector<Part>& parts) {
  node.remove_attribute(kParts);
  if (std::ranges::all_of(parts, [](Part part) { return part == Part::Whole; })) return;
  std::vector<std::int64_t> codes;
  for (const Part part : parts) codes.push_back(static_cast<std::int64_t>(part));
  node.set_attribute(kParts, std::move(codes));
}

}  // namespace

std::string_view ending_of(Part part) {
  return part == Part::Scale ? "_scale" : part == Part::ZeroPoint ? "_zero_point" : "";
}

std::vector<Part> input_parts(const Graph& program) {
  return parts_of(*program.block().params(), program.inputs().size());
}
std::vector<Part> output_parts(const Graph& program) {
  return parts_of(*program.block().return_node(), program.outputs().size());
}

void set_output_parts(Graph& program, const std::vector<Part>& parts) {
  set_parts(*program.block().return_node(), parts);
}

void mark_quantised_input(Graph& program, std::size_t first) {
  std::vector<Part> parts = input_parts(program);
  parts.at(first + 1) = Part::Scale;
  parts.at(first + 2) = Part::ZeroPoint;
  set_parts(*program.block().params(), parts);
}

void remove_input(Graph& program, std::size_t i) {
  std::vector<Part> parts = input_parts(program);
  parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
  program.block().params()->remove_output(i);
  set_parts(*program.block().params(), parts);
}

}  // namespace tonnx::ir
