#include <gtest/gtest.h>

#include "ir/graph.h"
#include "ir/merge.h"
#include "lower/builder.h"
#include "lower/emptiness.h"
#include "onnx/opset.h"

namespace tonnx::lower {
namespace {

using ir::Dim;

struct SizedModel {
  ir::Graph graph;
  Builder b{graph, *onnx::opset(17)};
  // Images with dynamic batch and sizes, and the output of a layer on them.
  Value* images = input({Dim::symbol("batch"), 3, Dim::symbol("height"), Dim::symbol("width")});
  Value* map = with_dims(b.op("Conv", {images, input({4, 3, 3, 3})}), {Dim::symbol("batch"), 4, {}, {}});
  Value* tokens = input({Dim::symbol("batch"), Dim::symbol("length"), 6});

  Value* input(std::vector<Dim> dims) { return with_dims(graph.block().add_input(), std::move(dims)); }
  static Value* with_dims(Value* v, std::vector<Dim> dims) {
    v->set_facts({DType::Float32, std::move(dims), nullptr});
    return v;
  }
};

TEST(MayBeEmptied, IfAnInputHasDynamicSizes) {
  SizedModel m;
  EXPECT_TRUE(may_be_emptied(m.images, 2));
  EXPECT_FALSE(may_be_emptied(m.images, 1));
  EXPECT_TRUE(may_be_emptied(m.b.op("Relu", {m.b.transpose(m.tokens, {0, 2, 1})}), 2));
  EXPECT_TRUE(may_be_emptied(m.b.mul(m.map, m.input({1, 1, Dim::symbol("height"), 1})), 2));
}

TEST(MayBeEmptied, NotAfterALayer) {
  SizedModel m;
  EXPECT_TRUE(may_be_emptied(m.map, 0));
  EXPECT_FALSE(may_be_emptied(m.map, 3));
  Value* scales = m.b.unsqueeze(m.input({Dim::symbol("batch"), 4}), {2, 3});
  Value* modulated = m.b.op("Relu", {m.b.mul(m.map, scales)});
  EXPECT_FALSE(may_be_emptied(modulated, 2));
  EXPECT_TRUE(may_be_emptied(modulated, 0));
}

TEST(MayBeEmptied, FollowsReshapes) {
  SizedModel m;
  Value* flat = SizedModel::with_dims(m.b.reshape(m.map, Dims{8, 4, -1}), {Dim::symbol("batch"), 4, {}});
  EXPECT_FALSE(may_be_emptied(flat, 2));
  EXPECT_FALSE(may_be_emptied(m.b.transpose(flat, {0, 2, 1}), 1));
  EXPECT_TRUE(may_be_emptied(flat, 0));
  // The image batch combines clips and time.
  Value* clips = SizedModel::with_dims(m.b.reshape(m.map, Dims{2, -1, 4}), {2, {}, 4});
  EXPECT_TRUE(may_be_emptied(clips, 1));
}

TEST(MayBeEmptied, FollowsNumbersOfElements) {
  SizedModel m;
  Value* count = m.graph.block().add_input();
  count->set_facts({DType::Int64, std::vector<Dim>{1}, nullptr});
  const auto top = [&](Value* k) {
    return SizedModel::with_dims(m.b.op("TopK", {m.map, k}, {{"axis", std::int64_t{2}}}, 2)[0],
                                 {Dim::symbol("batch"), 4, {}, {}});
  };
  EXPECT_TRUE(may_be_emptied(top(count), 2));
  EXPECT_FALSE(may_be_emptied(top(count), 3));
  EXPECT_FALSE(may_be_emptied(top(m.b.int64s({2})), 2));
  EXPECT_FALSE(may_be_emptied(top(m.b.size(m.map, 2)), 2));
  EXPECT_TRUE(may_be_emptied(top(m.b.size(m.tokens, 1)), 2));
  Value* places = top(count)->node()->output(1);
  SizedModel::with_dims(places, {Dim::symbol("batch"), 4, {}, {}})
      ->set_facts({DType::Int64, places->facts().dims, nullptr});
  Value* picked = m.b.op("GatherElements", {m.map, places}, {{"axis", std::int64_t{2}}});
  EXPECT_TRUE(may_be_emptied(SizedModel::with_dims(picked, {Dim::symbol("batch"), 4, {}, {}}), 2));
}

std::int64_t least_of(const Dim& size) { return size.is_fixed() ? size.size() : 0; }

// The dims that are left of these facts of x.
std::string opened(const Value* x, std::vector<Dim> dims) {
  ir::Facts facts{DType::Float32, std::move(dims), nullptr};
  open_empty_slices(facts, *x, least_of);
  return ir::to_string(*facts.dims);
}

TEST(OpenEmptySlices, OpensSizesOfSlicesOfEmptyAxes) {
  SizedModel m;
  Value* first = m.b.slice(m.tokens, 1, 0, 1);
  EXPECT_EQ(opened(first, {Dim::symbol("batch"), 1, 6}), "(batch, ?, 6)");
  EXPECT_EQ(opened(m.b.op("Relu", {m.b.transpose(first, {0, 2, 1})}), {Dim::symbol("batch"), 6, 1}), "(batch, 6, ?)");
  EXPECT_EQ(opened(m.b.concat({first, first}, 1), {Dim::symbol("batch"), 2, 6}), "(batch, ?, 6)");
  EXPECT_EQ(opened(m.b.matmul(first, m.input({6, 5})), {Dim::symbol("batch"), 1, 5}), "(batch, ?, 5)");
  EXPECT_EQ(opened(m.b.take(first, m.b.int64s({2, 4}), 2), {Dim::symbol("batch"), 1, 2}), "(batch, ?, 2)");
}

TEST(OpenEmptySlices, KeepsSizesThatAreNeverZero) {
  SizedModel m;
  Value* fixed = m.input({Dim::symbol("batch"), 4, 6});
  EXPECT_EQ(opened(m.b.slice(fixed, 1, 3, 4), {Dim::symbol("batch"), 1, 6}), "(batch, 1, 6)");
  Value* shaped = m.b.reshape(m.b.slice(m.tokens, 1, 0, 1), Dims{-1, 1, 6});
  EXPECT_EQ(opened(shaped, {Dim::symbol("batch"), 1, 6}), "(batch, 1, 6)");
  // A symbol of the program that is never 0.
  ir::Facts facts{DType::Float32, std::vector<Dim>{Dim::symbol("batch"), 1, 6}, nullptr};
  open_empty_slices(facts, *m.b.slice(m.tokens, 1, 0, 1), [](const Dim&) { return 1; });
  EXPECT_EQ(ir::to_string(*facts.dims), "(batch, 1, 6)");
  facts.dims = std::vector<Dim>{Dim::symbol("batch"), 1, 6};
  open_empty_slices(facts, *m.b.slice(m.tokens, 1, 2, 3), [](const Dim&) { return 2; });
  EXPECT_EQ(ir::to_string(*facts.dims), "(batch, ?, 6)");
  facts.dims = std::vector<Dim>{Dim::symbol("batch"), 1, 6};
  open_empty_slices(facts, *m.b.slice(m.tokens, 1, 2, 3), [](const Dim&) { return 3; });
  EXPECT_EQ(ir::to_string(*facts.dims), "(batch, 1, 6)");
}

TEST(IsAttention, OnlyAlongTheAxisOfSoftmax) {
  SizedModel m;
  Value* weights =
      m.b.op("Softmax", {m.b.matmul(m.tokens, m.b.transpose(m.tokens, {0, 2, 1}))}, {{"axis", std::int64_t{-1}}});
  EXPECT_TRUE(is_attention_along(weights, 2));
  EXPECT_FALSE(is_attention_along(weights, 1));
  Value* turned = m.b.transpose(m.b.mul(weights, m.b.scalar_like(weights, 2)), {0, 2, 1});
  EXPECT_TRUE(is_attention_along(turned, 1));
  EXPECT_TRUE(is_attention_along(m.b.unsqueeze(weights, {1}), 3));
  EXPECT_TRUE(is_attention_along(m.b.squeeze(m.b.unsqueeze(weights, {1}), {1}), 2));
  EXPECT_FALSE(is_attention_along(m.tokens, 2));
}

}  // namespace
}  // namespace tonnx::lower
