#include "program/control/trip_count.h"

#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "aten/whole_numbers.h"
#include "ir/constant_facts.h"
#include "program/facts/marks.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();  // larger ones are unknown

using Number = std::optional<std::int64_t>;  // a bool is 0 or 1

bool is_whole(const Value* value) { return value->type().is(Type::Kind::Int) || value->type().is(Type::Kind::Bool); }

Number known_number(const Value* value) {
  if (value->type().is(Type::Kind::Bool)) {
    const auto truth = ir::constant_truth(value);
    return truth ? Number(*truth) : std::nullopt;
  }
  return ir::constant_integer(value);
}

// The known integers and bools of one iteration.
class IterationNumbers {
 public:
  void set(const Value* value, Number number) { known_[value] = number; }

  Number of(const Value* value) {
    if (!is_whole(value)) return std::nullopt;
    if (const auto found = known_.find(value); found != known_.end()) return found->second;
    Number number = known_number(value);
    if (!number && value->node()) number = result(*value->node(), value);
    if (number && (*number > kLargest || *number < -kLargest)) number.reset();
    return known_[value] = number;
  }

 private:
  Number result(const Node& node, const Value* value) {
    if (node.is("prim::If")) {
      const Number taken = of(node.input());
      return taken ? of(node.block(*taken ? 0 : 1)->outputs()[value->index()]) : std::nullopt;
    }
    if (!node.blocks().empty() || node.output_count() != 1) return std::nullopt;
    std::vector<std::int64_t> operands;
    for (const Value* in : node.inputs()) {
      const Number operand = of(in);
      if (!operand) return std::nullopt;
      operands.push_back(*operand);
    }
    return aten::whole_number(node.kind(), operands);
  }

  std::unordered_map<const Value*, Number> known_;
};

std::int64_t evaluated_trip_count(const Node& loop, std::int64_t most) {
  const Number enters = known_number(loop.input(1)), trips = known_number(loop.input(0));
  if (!enters) return -1;
  if (!*enters) return 0;
  if (!trips) return -1;
  if (*trips <= 0) return 0;
  if (*trips == 1) return 1;
  if (const Number again = known_number(loop.block(0)->outputs()[0])) return !*again ? 1 : *trips <= most ? *trips : -1;
  const ir::Block& body = *loop.block(0);
  const auto params = body.inputs(), ends = body.outputs();
  std::vector<Number> carried;
  for (std::size_t k = 0; k < loop.output_count(); ++k)
    carried.push_back(is_whole(params[k + 1]) ? known_number(loop.input(k + 2)) : std::nullopt);
  for (std::int64_t iteration = 0; iteration < most; ++iteration) {
    IterationNumbers numbers;
    numbers.set(params[0], iteration);
    for (std::size_t k = 0; k < carried.size(); ++k) numbers.set(params[k + 1], carried[k]);
    const Number again = numbers.of(ends[0]);
    if (!again) return -1;
    if (!*again || iteration + 1 == *trips) return iteration + 1;
    for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = numbers.of(ends[k + 1]);
  }
  return -1;
}

}  // namespace

std::int64_t known_trip_count(const Node& loop, std::int64_t most, const FactMarks& marks) {
  const std::int64_t count = evaluated_trip_count(loop, most);
  if (count >= 0) return count;
  const LoopFacts* inferred = marks.loops.find(loop.block(0)->inputs()[0]);
  return inferred && inferred->trip_count && *inferred->trip_count <= most ? *inferred->trip_count : -1;
}

}  // namespace tonnx::program
