#include <gtest/gtest.h>

#include "ir/constant.h"
#include "ir/facts.h"
#include "ir/location.h"
#include "ir/opset.h"
#include "ir/schema.h"
#include "ir/text.h"

namespace tonnx::ir {
namespace {

TEST(Text, FloatsAreShortestAndNeverLookLikeIntegers) {
  EXPECT_EQ(format_float(1.0), "1.");
  EXPECT_EQ(format_float(-3.0), "-3.");
  EXPECT_EQ(format_float(0.1), "0.1");
  EXPECT_EQ(format_float(0.1f), "0.1");
  EXPECT_EQ(format_float(static_cast<double>(0.1f)), "0.10000000149011612");
  EXPECT_EQ(format_float(1e-5), "1e-05");
  EXPECT_EQ(format_float(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Text, QuoteEscapes) { EXPECT_EQ(quote("a\"b\\\n\x01"), "\"a\\\"b\\\\\\n\\x01\""); }

TEST(Text, FirstLines) {
  EXPECT_EQ(first_line("a\nb\n"), "a");
  EXPECT_EQ(first_line("a"), "a");
  EXPECT_EQ(first_line("\nb"), "");
}

TEST(Text, TensorTypes) {
  EXPECT_EQ(format_type(DType::Float32, std::vector<std::int64_t>{64, 3}), "float32[64,3]");
  EXPECT_EQ(format_type(DType::Bool, {}), "bool[]");
}

TEST(Text, Constants) {
  const Constant::List list{{Constant{std::int64_t{1}}, Constant{2.0}, Constant{Constant::None{}}}};
  EXPECT_EQ(to_string(Constant{list}), "[1, 2., None]");
  EXPECT_EQ(to_string(Constant{Constant::Tuple{{Constant{false}}, {}}}), "(False,)");
  EXPECT_EQ(to_string(Constant{Constant::Dict{{{Constant{std::string("k")}, Constant{1.5}}}}}), "{\"k\": 1.5}");
  EXPECT_EQ(to_string(Constant{std::complex<double>(1, -2)}), "(1.-2.j)");
  const std::vector<float> values(12);
  EXPECT_EQ(to_string(Constant{Tensor::from_bytes(DType::Float32, {3, 4}, values.data(), 48)}), "<Tensor 3x4>");
}

TEST(Text, Types) {
  using Kind = Type::Kind;
  EXPECT_EQ(to_string(Type::list(Type::of(Kind::Int))), "int[]");
  EXPECT_EQ(to_string(Type{Kind::Tuple, {Type::of(Kind::Tensor), Type::of(Kind::Int)}, {}}), "(Tensor, int)");
  EXPECT_EQ(to_string(Type{Kind::Optional, {Type::of(Kind::String)}, {}}), "str?");
  EXPECT_EQ(to_string(Type{Kind::Dict, {Type::of(Kind::String), Type::of(Kind::Tensor)}, {}}), "Dict(str, Tensor)");
  EXPECT_EQ(to_string(Type{Kind::Dict, {}, {}}), "Dict(Any, Any)");
  EXPECT_EQ(to_string(Type{Kind::Object, {}, "my.Class"}), "my.Class");
}

TEST(Location, PathAndText) {
  const auto net = std::make_shared<const Scope>(Scope{nullptr, "AlexNet", ""});
  const auto features = std::make_shared<const Scope>(Scope{net, "Sequential", "features"});
  const Scope conv{features, "Conv2d", "0"};
  EXPECT_EQ(conv.path(), "features.0");
  EXPECT_EQ(conv.text(), "AlexNet/Sequential[features]/Conv2d[0]");
  EXPECT_EQ(net->path(), "");
}

TEST(Facts, FixedDims) {
  Facts facts;
  EXPECT_EQ(facts.fixed_dims(), std::nullopt);
  facts.dims = {Dim(2), Dim(0)};
  EXPECT_EQ(facts.fixed_dims(), (std::vector<std::int64_t>{2, 0}));
  facts.dims->push_back(Dim::symbol("n"));
  EXPECT_EQ(facts.fixed_dims(), std::nullopt);
}

TEST(Schema, IndexOf) {
  Schema schema{"aten::add", "Tensor", {}, {}, false};
  schema.arguments.push_back({"self", {}, {}, "", false});
  schema.arguments.push_back({"other", {}, {}, "", false});
  EXPECT_EQ(schema.index_of("other"), 1);
  EXPECT_EQ(schema.index_of("alpha"), -1);
  EXPECT_EQ(schema.full_name(), "aten::add.Tensor");
}

TEST(OpSlot, AllowsItsDtypes) {
  OpSlot slot;
  slot.dtypes = {DType::Float32};
  EXPECT_TRUE(slot.allows(DType::Float32));
  EXPECT_FALSE(slot.allows(DType::Int64));
}

}  // namespace
}  // namespace tonnx::ir
