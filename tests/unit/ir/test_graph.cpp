#include <gtest/gtest.h>

#include "ir/error.h"
#include "ir/graph.h"
#include "ir/printer.h"

namespace tonnx::ir {
namespace {

using Values = std::vector<Value*>;

Node* append(Block& block, std::string kind, const Values& inputs, std::size_t outputs = 1) {
  Node* node = block.graph().create(std::move(kind), inputs, outputs);
  block.append(node);
  return node;
}

std::vector<std::string> kinds(const Block& block) {
  std::vector<std::string> out;
  for (const Node* node : block.nodes()) out.push_back(node->kind());
  return out;
}

// x, c -> If(c) { Relu(x) } { x } -> Neg
struct Branching {
  Branching() {
    x = graph.block().add_input();
    c = graph.block().add_input();
    branch = append(graph.block(), "prim::If", {c});
    Block* then = branch->add_block();
    relu = append(*then, "aten::relu", {x});
    then->add_output(relu->output());
    branch->add_block()->add_output(x);
    neg = append(graph.block(), "aten::neg", {branch->output()});
    graph.block().add_output(neg->output());
  }
  Graph graph;
  Value *x, *c;
  Node *branch, *relu, *neg;
};

TEST(Graph, UsesFollowEveryEdit) {
  Graph graph;
  Value* a = graph.block().add_input();
  Value* b = graph.block().add_input();
  Node* node = append(graph.block(), "aten::add", {a, a});
  EXPECT_EQ(a->uses().size(), 2u);
  node->set_input(0, b);
  EXPECT_EQ(a->uses().size(), 1u);
  EXPECT_EQ(b->uses().size(), 1u);
  node->insert_input(0, a);
  EXPECT_EQ((Values(node->inputs().begin(), node->inputs().end())), (Values{a, b, a}));
  verify(graph, "insert_input");
  node->remove_input(0);
  EXPECT_EQ((Values(node->inputs().begin(), node->inputs().end())), (Values{b, a}));
  node->add_input(nullptr);
  verify(graph, "remove_input");
  a->replace_uses(b);
  EXPECT_TRUE(a->is_unused());
  EXPECT_EQ(b->uses().size(), 2u);
  node->remove_inputs();
  EXPECT_TRUE(b->is_unused());
  verify(graph, "remove_inputs");
}

TEST(Graph, ParamsAndReturnsReferToTheirBlocks) {
  Branching b;
  const Block* then = b.branch->block(0);
  EXPECT_EQ(then->params()->edge_of(), then);
  EXPECT_EQ(then->return_node()->edge_of(), then);
  EXPECT_EQ(then->return_node()->home(), then);
  EXPECT_EQ(then->return_node()->parent(), nullptr);
  EXPECT_EQ(b.relu->edge_of(), nullptr);
  EXPECT_EQ(b.relu->home(), then);
  EXPECT_EQ(b.graph.create("aten::neg", Values{b.x}, 1)->home(), nullptr);
}

TEST(Graph, NodesMoveAndAreErased) {
  Graph graph;
  Value* x = graph.block().add_input();
  Node* a = append(graph.block(), "t::a", {x});
  Node* b = append(graph.block(), "t::b", {x});
  Node* c = append(graph.block(), "t::c", {b->output()});
  EXPECT_THROW(b->erase(), Error);
  EXPECT_THROW(a->insert_before(c), Error);
  c->move_before(a);
  EXPECT_THROW(verify(graph, "moving"), Error);
  a->move_before(c);
  b->move_before(a);
  EXPECT_EQ(kinds(graph.block()), (std::vector<std::string>{"t::b", "t::a", "t::c"}));
  verify(graph, "moving back");
  Node* d = graph.create("t::d", Values{x});
  d->insert_after(c);
  Node* e = graph.create("t::e", Values{x});
  graph.block().prepend(e);
  for (Node* node : graph.block().nodes())
    if (!node->is("t::b")) node->erase();
  EXPECT_EQ(kinds(graph.block()), std::vector<std::string>{"t::b"});
  EXPECT_EQ(graph.block().first(), graph.block().last());
  verify(graph, "erasing");
}

TEST(Graph, ErasingANodeFreesItsBlocks) {
  Branching g;
  verify(g.graph, "building");
  EXPECT_EQ(g.x->uses().size(), 2u);
  g.branch->output()->replace_uses(g.x);
  g.branch->erase();
  EXPECT_EQ(g.x->uses().size(), 1u);
  EXPECT_TRUE(g.c->is_unused());
  verify(g.graph, "erasing");
}

TEST(Graph, ForEachNodeGoesInProgramOrder) {
  Branching g;
  std::vector<std::string> seen;
  for_each_node(g.graph.block(), [&](Node* node) { seen.push_back(node->kind()); });
  EXPECT_EQ(seen, (std::vector<std::string>{"prim::If", "aten::relu", "aten::neg"}));
}

TEST(Graph, CloneIsEqualAndIndependent) {
  Branching g;
  g.graph.set_name("net");
  Value* weight = g.graph.add_weight("w", Tensor::of_int64(std::vector<std::int64_t>{1, 2}), true);
  g.neg->add_input(weight);
  g.neg->set_attribute("alpha", 2.0);
  const auto copy = g.graph.clone();
  verify(*copy, "clone");
  EXPECT_EQ(print(*copy), print(g.graph));
  EXPECT_EQ(copy->name(), "net");
  EXPECT_EQ(copy->weights()[0]->weight()->storage, weight->weight()->storage);
  EXPECT_TRUE(copy->weights()[0]->has_made_up_name());
  weight->set_name("w");
  EXPECT_FALSE(weight->has_made_up_name());
  copy->block().last()->set_attribute("alpha", 3.0);
  EXPECT_EQ(*g.neg->attribute_as<double>("alpha"), 2.0);
}

TEST(Graph, WeightsAndConstantsCarryTheirFacts) {
  Graph graph;
  Value* weight = graph.add_weight("w", Tensor::of_int64(std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(weight->facts().dtype, DType::Int64);
  EXPECT_EQ(weight->facts().fixed_dims(), std::vector<std::int64_t>{2});
  graph.remove_weight(weight);
  EXPECT_TRUE(graph.weights().empty());
  Node* node = graph.create_constant(Constant{2.5});
  graph.block().append(node);
  EXPECT_TRUE(node->output()->type().is(Type::Kind::Float));
  EXPECT_EQ(node->output()->constant()->as_double(), 2.5);
}

TEST(Graph, AttributesAreReplacedByName) {
  Graph graph;
  Node* node = graph.create("onnx::Concat", Values{});
  node->set_attribute("axis", std::int64_t{1});
  node->set_attribute("axis", std::int64_t{2});
  EXPECT_EQ(*node->attribute_as<std::int64_t>("axis"), 2);
  EXPECT_EQ(node->attribute_as<double>("axis"), nullptr);
  node->remove_attribute("axis");
  EXPECT_EQ(node->attribute("axis"), nullptr);
  EXPECT_EQ(node->domain(), "onnx");
  EXPECT_EQ(node->op(), "Concat");
  node->erase();
}

TEST(Graph, KnowsWhetherANodeWrites) {
  auto in_place = std::make_shared<Schema>();
  in_place->name = "aten::relu_";
  in_place->arguments.resize(1);
  in_place->arguments[0].is_write = true;
  Branching g;
  EXPECT_FALSE(g.graph.has_writing_node());
  Node* apart = g.graph.create("aten::relu_", Values{g.x});
  apart->set_schema(in_place);
  EXPECT_TRUE(apart->is_writing());
  EXPECT_FALSE(g.graph.has_writing_node());  // it is not in a block
  apart->insert_after(g.relu);
  EXPECT_TRUE(g.graph.has_writing_node());
  EXPECT_TRUE(g.graph.clone()->has_writing_node());
  apart->set_schema(std::make_shared<Schema>());
  EXPECT_FALSE(g.graph.has_writing_node());
  apart->set_schema(in_place);
  apart->erase();
  EXPECT_FALSE(g.graph.has_writing_node());
}

TEST(Graph, RemovesUnusedWeightsInOrder) {
  Graph graph;
  std::vector<Value*> weights;
  for (const char* name : {"a", "b", "c", "d"})
    weights.push_back(graph.add_weight(name, Tensor::scalar(DType::Float32, 1.0)));
  graph.block().add_output(weights[1]);
  graph.block().add_output(weights[3]);
  EXPECT_TRUE(graph.remove_unused_weights());
  EXPECT_FALSE(graph.remove_unused_weights());
  EXPECT_EQ((Values(graph.weights().begin(), graph.weights().end())), (Values{weights[1], weights[3]}));
  EXPECT_EQ(weights[3]->index(), 1u);
  verify(graph, "remove_unused_weights");
}

TEST(Graph, VerifyRefusesAValueReadOutsideItsBlock) {
  Branching g;
  g.neg->set_input(0, g.relu->output());
  try {
    verify(g.graph, "some pass");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::Internal);
    EXPECT_NE(std::string(e.what()).find("some pass"), std::string::npos);
  }
}

}  // namespace
}  // namespace tonnx::ir
