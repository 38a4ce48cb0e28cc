#include "torch/gradient_answers.h"

#include <algorithm>

#include "aten/remove_dead.h"
#include "aten/traits.h"
#include "ir/printer.h"
#include "ir/text.h"

namespace tonnx::torch {
namespace {

constexpr std::size_t kNamed = 3;  // questions printed in the warning

// True if the node only changes what gradients are computed for: detach, requires_grad_.
bool is_for_gradients_only(const ir::Node& node) {
  const aten::Traits& traits = aten::traits_of(node);
  return traits.gradient != aten::Gradient::Computed &&
         (traits.alias == aten::Alias::Same || traits.write == aten::Write::Nothing);
}

// The computation of the program, as text.
std::string computation(const ir::Graph& program) {
  const auto copy = program.clone();
  std::vector<ir::Node*> dropped;
  ir::for_each_node(copy->block(), [&](ir::Node* node) {
    if (is_for_gradients_only(*node)) dropped.push_back(node);
  });
  for (ir::Node* node : dropped) {
    node->output()->replace_uses(node->input(0));
    node->erase();
  }
  aten::remove_dead(*copy);
  return ir::print(*copy, {.scopes = false});
}

}  // namespace

std::string warning_of_gradients(const GradientAnswers& off, const GradientAnswers& on) {
  if (off.questions == on.questions) return {};
  if (on.program && computation(*off.program) == computation(*on.program)) return {};
  std::vector<std::string> sites;
  for (const GradientQuestion& question : off.questions) {
    const bool same = std::ranges::count(off.questions, question) == std::ranges::count(on.questions, question);
    if (!same && std::ranges::find(sites, question.site) == sites.end()) sites.push_back(question.site);
  }
  std::string text = "the program asks about gradients and computes something else if they are on: ";
  text += ir::comma_list(sites | std::views::take(kNamed));
  if (sites.size() > kNamed) text += " and " + std::to_string(sites.size() - kNamed) + " more";
  return text +
         "; the model is the program with gradients off, as under torch.no_grad(); --training train exports it with "
         "gradients on";
}

}  // namespace tonnx::torch
