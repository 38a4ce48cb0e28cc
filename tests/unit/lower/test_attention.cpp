#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aten/schema_text.h"
#include "ir/graph.h"
#include "lower/lower.h"
#include "onnx/opset.h"

namespace tonnx::lower {
namespace {

using ir::Constant;
using ir::Dim;
using ir::DType;
using Kind = ir::Type::Kind;

// Attention with queries (batch, 2, queries, 4) and keys (batch, 2, keys, 4); its mask is expanded before it.
class AttentionProgram {
 public:
  AttentionProgram(std::vector<Dim> mask, std::vector<Dim> expanded) {
    ir::Value* query = input("query", {Dim::symbol("batch"), 2, 3, 4});
    ir::Value* key = input("key", {Dim::symbol("batch"), 2, Dim::symbol("keys"), 4});
    Constant::List sizes;
    for (const Dim& dim : expanded) sizes.items.push_back({dim.is_fixed() ? dim.size() : std::int64_t{-1}});
    ir::Value* wide = call("aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
                           {input("mask", std::move(mask)), constant({std::move(sizes)}), constant({false})});
    wide->set_facts({DType::Float32, std::move(expanded), nullptr});
    ir::Value* y = call(
        "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
        "dropout_p=0.0, "
        "bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
        {query, key, key, wide, constant({0.0}), constant({false}), constant({Constant::None{}}), constant({false})});
    graph_.block().add_output(y);
    y->set_name("out");
  }

  bool expands() const {
    const auto model = lower_program(graph_, Registry(), *onnx::opset(20), {});
    for (const ir::Node* node : model->block().nodes())
      if (node->is("onnx::Expand") && !node->output()->is_unused()) return true;
    return false;
  }

 private:
  ir::Value* input(const char* name, std::vector<Dim> dims) {
    ir::Value* v = graph_.block().add_input();
    v->set_name(name);
    v->set_type(ir::Type::of(Kind::Tensor));
    v->set_facts({DType::Float32, std::move(dims), nullptr});
    return v;
  }
  ir::Value* constant(Constant c) {
    ir::Node* node = graph_.create_constant(std::move(c));
    graph_.block().append(node);
    return node->output();
  }
  ir::Value* call(const char* schema, std::vector<ir::Value*> inputs) {
    auto parsed = std::make_shared<const ir::Schema>(aten::parse_schema(schema));
    ir::Node* node = graph_.create(parsed->name, inputs, 1);
    node->set_schema(std::move(parsed));
    node->output()->set_type(ir::Type::of(Kind::Tensor));
    graph_.block().append(node);
    return node->output();
  }

  ir::Graph graph_;
};

const Dim kBatch = Dim::symbol("batch"), kKeys = Dim::symbol("keys");

TEST(Attention, UsesTheMaskBeforeItsExpansionToTheScores) {
  EXPECT_FALSE(AttentionProgram({kBatch, 1, 1, kKeys}, {kBatch, 2, 3, kKeys}).expands());
  EXPECT_FALSE(AttentionProgram({kBatch, 1, 1, kKeys}, {kBatch, 2, 1, kKeys}).expands());
  EXPECT_FALSE(AttentionProgram({kKeys}, {3, kKeys}).expands());
}

TEST(Attention, UsesTheExpandedMaskIfItsSizesDifferFromTheScores) {
  EXPECT_TRUE(AttentionProgram({1, 1, 1, kKeys}, {5, 2, 3, kKeys}).expands());
  EXPECT_TRUE(AttentionProgram({kBatch, 1, 1, 1}, {kBatch, 2, 3, 9}).expands());
}

}  // namespace
}  // namespace tonnx::lower
