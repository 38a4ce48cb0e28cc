#include "functional_form.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "graph_text.h"
#include "ir/error.h"
#include "ir/writes.h"
#include "machine.h"
#include "program/facts/facts.h"
#include "program/writes/functionalise.h"

namespace tonnx::program {
namespace {

using test::array_of;
using test::Machine;
using test::make;
using test::Ref;

std::vector<Ref> example_inputs(const ir::Graph& graph, bool flag) {
  std::vector<Ref> out;
  double seed = 1;
  for (const ir::Value* in : graph.inputs()) {
    if (in->type().is(ir::Type::Kind::Bool)) {
      out.push_back(make(ir::Constant{flag}));
    } else if (in->type().is(ir::Type::Kind::Int)) {
      out.push_back(make(ir::Constant{std::int64_t{3}}));
    } else {
      const auto dims = in->facts().fixed_dims().value();
      std::int64_t n = 1;
      for (const auto d : dims) n *= d;
      std::vector<double> data;
      for (std::int64_t i = 0; i < n; ++i) data.push_back(seed += (i % 3 == 2 ? -4 : 3));
      out.push_back(make(array_of(dims, data)));
    }
  }
  return out;
}

}  // namespace

void test::functionalise_or_throw(ir::Graph& graph) {
  ir::Refusals refusals;
  functionalise(graph, refusals);
  refusals.raise();
}

std::string test::functional(const std::string& text) {
  const auto original = test::parse(text);
  const auto graph = test::parse(text);
  Machine machine;
  infer_facts(*graph, machine, {});
  functionalise_or_throw(*graph);
  verify(*graph, "functionalise");
  for_each_node(graph->block(), [](const ir::Node* node) { EXPECT_FALSE(writes(*node)) << node->full_name(); });
  const auto facts = test::parse(text);
  for (const bool flag : {true, false})
    EXPECT_EQ(test::run(*graph, example_inputs(*facts, flag)), test::run(*original, example_inputs(*facts, flag)))
        << text << "\n"
        << test::show(*graph);
  return test::show(*graph);
}

std::string test::refused(const std::string& text) {
  const auto graph = test::parse(text);
  Machine machine;
  infer_facts(*graph, machine, {});
  try {
    functionalise_or_throw(*graph);
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Unsupported);
    return error.what();
  }
  ADD_FAILURE() << "not refused:\n" << test::show(*graph);
  return {};
}

}  // namespace tonnx::program
