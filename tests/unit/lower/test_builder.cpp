#include <functional>
#include <ostream>

#include <gtest/gtest.h>

#include "ir/graph.h"
#include "listing.h"
#include "lower/builder.h"
#include "lower/loop.h"
#include "lower/op.h"
#include "onnx/opset.h"

namespace tonnx::lower {
namespace {

using ir::Dim;
using ir::DType;

// A graph with an input of each kind that the helpers distinguish.
struct Inputs {
  ir::Graph graph;
  Builder b;
  Value* x = add("x", DType::Float32, {{2, 3}});                 // fixed
  Value* y = add("y", DType::Float32, {{Dim::symbol("n"), 3}});  // one dynamic size
  Value* z = add("z", DType::Float32, std::nullopt);             // of unknown rank
  Value* h = add("h", DType::Float16, {{2, 3}});
  Value* d = add("d", DType::Float64, {{2, 3}});
  Value* i = add("i", DType::Int64, {{2}});
  Value* k = add("k", DType::Int32, {{2, 3}});
  Value* n = add("n", DType::Int64, std::vector<Dim>{});  // a scalar
  Value* c = add("c", DType::Bool, {{2, 3}});

  explicit Inputs(const ir::Opset& opset) : b(graph, opset) {}
  Value* add(const char* name, DType dtype, std::optional<std::vector<Dim>> dims) {
    Value* v = graph.block().add_input();
    v->set_name(name);
    v->set_facts({dtype, std::move(dims), nullptr});
    return v;
  }
};

struct BuilderCase {
  const char* helper;
  int opset;
  std::function<Values(Inputs&)> call;
  const char* text;  // the listing, or the refusal
};
std::ostream& operator<<(std::ostream& out, const BuilderCase& c) { return out << c.helper << " at " << c.opset; }

class Helper : public testing::TestWithParam<BuilderCase> {};

TEST_P(Helper, BuildsTheFormOfTheOpset) {
  const auto opset = onnx::opset(GetParam().opset);
  Inputs in(*opset);
  std::string text;
  try {
    for (Value* v : GetParam().call(in)) in.graph.block().add_output(v);
    text = test::Listing::of(in.graph);
  } catch (const Refusal& refusal) {
    text = std::string("refused: ") + refusal.what() + "\n";
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Argument);
    text = std::string("wrong use: ") + error.what() + "\n";
  }
  EXPECT_EQ("\n" + text, GetParam().text);
}

#define CALL(...) [](Inputs& in) -> Values { return {__VA_ARGS__}; }

const BuilderCase kBuilderCases[] = {
    {"op", 7, CALL(in.b.op("Erf", {in.x})), R"(
refused: ONNX operator Erf is not part of opset 7; it was added in opset 9, try exporting with that opset or a newer one
)"},
    {"op", 9, CALL(in.b.op("Erf", {in.x})), R"(
%1 = Erf(%x)
-> %1
)"},
    {"op", 9, CALL(in.b.op("NoSuch", {in.x})), R"(
wrong use: ONNX has no operator NoSuch
)"},
    {"op, widened", 13, CALL(in.b.op("Erf", {in.d})), R"(
%1 = Erf(%d)
-> %1
)"},
    {"op, widened", 17, CALL(in.b.op("Acos", {in.d})), R"(
%1 = Acos(%d)
-> %1
)"},
    {"op, widened", 17, CALL(in.b.op("Max", {in.k, in.k})), R"(
%1 = Max(%k, %k)
-> %1
)"},
    {"op, widened", 11, CALL(in.b.op("Max", {in.k, in.k})), R"(
%1 = Cast[to=11](%k)
%2 = Cast[to=11](%k)
%3 = Max(%1, %2)
%4 = Cast[to=6](%3)
-> %4
)"},
    {"op, absent inputs", 17, CALL(in.b.op("Clip", {in.x, nullptr, nullptr})), R"(
%1 = Clip(%x)
-> %1
)"},
    {"op, a domain", 17, CALL(in.b.op("my.domain::Op", {in.x}, {{"a", 1.5}})), R"(
%1 = my.domain::Op[a=1.5](%x)
-> %1
)"},
    {"op, results", 17, CALL(in.b.op("TopK", {in.x, in.b.int64s({1})}, {}, 2)[1]), R"(
%1, %2 = TopK(%x, {1})
-> %2
)"},
    {"cast", 17, CALL(in.b.cast(in.x, DType::Float32)), R"(
-> %x
)"},
    {"cast", 17, CALL(in.b.cast(in.x, DType::Float16)), R"(
%1 = Cast[to=10](%x)
-> %1
)"},
    {"cast", 19, CALL(in.b.cast(in.x, DType::Float8E4M3FN)), R"(
%1 = Cast[to=17, saturate=0](%x)
-> %1
)"},
    {"cast", 17, CALL(in.b.cast(in.b.scalar(DType::Float64, 2.5), DType::Int64)), R"(
-> {2}
)"},
    {"cast", 17, CALL(in.b.cast(in.x, DType::Complex64)), R"(
refused: ONNX Cast does not support complex tensors
)"},
    {"constant", 17, CALL(in.b.constant(ir::Tensor::of_int64(Dims{4, 5}))), R"(
-> {4, 5}
)"},
    {"scalar", 17, CALL(in.b.scalar(DType::Float16, 1.5), in.b.scalar(DType::Int32, std::int64_t{7})), R"(
-> float16 {1.5}, int32 {7}
)"},
    {"int64", 17, CALL(in.b.int64(-1)), R"(
-> {-1}
)"},
    {"int64s", 17, CALL(in.b.int64s({1, 2}), in.b.int64s(Dims{})), R"(
-> {1, 2}, {}
)"},
    {"scalar_like", 17, CALL(in.b.scalar_like(in.h, 0.5), in.b.scalar_like(in.k, 2)), R"(
-> float16 {0.5}, int32 {2}
)"},
    {"flatten_to_vector", 17, CALL(in.b.flatten_to_vector(in.x)), R"(
%1 = Reshape(%x, {-1})
-> %1
)"},
    {"arithmetic", 7, CALL(in.b.add(in.x, in.y), in.b.sub(in.x, in.y), in.b.mul(in.x, in.y), in.b.div(in.x, in.y)), R"(
%1 = Add(%x, %y)
%2 = Sub(%x, %y)
%3 = Mul(%x, %y)
%4 = Div(%x, %y)
-> %1, %2, %3, %4
)"},
    {"arithmetic, of bools", 17, CALL(in.b.add(in.c, in.c)), R"(
%1 = Cast[to=6](%c)
%2 = Cast[to=6](%c)
%3 = Add(%1, %2)
%4 = Cast[to=9](%3)
-> %4
)"},
    {"matmul", 17, CALL(in.b.matmul(in.x, in.b.transpose(in.y, {1, 0}))), R"(
%1 = Transpose[perm=[1, 0]](%y)
%2 = MatMul(%x, %1)
-> %2
)"},
    {"shape", 17, CALL(in.b.shape(in.x)), R"(
-> {2, 3}
)"},
    {"shape", 17, CALL(in.b.shape(in.y)), R"(
%1 = Shape(%y)
-> %1
)"},
    {"size", 17, CALL(in.b.size(in.y, -1)), R"(
-> {3}
)"},
    {"size", 17, CALL(in.b.size(in.y, 0)), R"(
%1 = Shape(%y)
%2 = Gather[axis=0](%1, {0})
-> %2
)"},
    {"size", 17, CALL(in.b.size(in.z, -1)), R"(
%1 = Shape(%z)
%2 = Gather[axis=0](%1, {-1})
-> %2
)"},
    {"size", 9, CALL(in.b.size(in.z, -1)), R"(
%1 = Shape(%z)
%2 = Shape(%1)
%3 = Gather[axis=0](%2, {0})
%4 = Less({-1}, {0})
%5 = Cast[to=7](%4)
%6 = Mul(%5, %3)
%7 = Add({-1}, %6)
%8 = Gather[axis=0](%1, %7)
-> %8
)"},
    {"size_scalar", 17, CALL(in.b.size_scalar(in.y, 0)), R"(
%1 = Shape(%y)
%2 = Gather[axis=0](%1, {0})
-> %2
)"},
    {"size_scalar", 17, CALL(in.b.size_scalar(in.y, 1)), R"(
-> {3}
)"},
    {"rank", 17, CALL(in.b.rank(in.y)), R"(
-> {2}
)"},
    {"rank", 17, CALL(in.b.rank(in.z)), R"(
%1 = Shape(%z)
%2 = Size(%1)
-> %2
)"},
    {"join_sizes", 17, CALL(in.b.join_sizes({in.b.int64s({2}), in.b.int64s({3, 4})})), R"(
-> {2, 3, 4}
)"},
    {"join_sizes", 17, CALL(in.b.join_sizes({in.b.int64s({2}), in.i})), R"(
%1 = Concat[axis=0]({2}, %i)
-> %1
)"},
    {"reshape", 17, CALL(in.b.reshape(in.x, {3, -1})), R"(
%1 = Reshape(%x, {3, -1})
-> %1
)"},
    {"reshape", 13, CALL(in.b.reshape(in.x, {0, 6})), R"(
%1 = ConstantOfShape[value={0.}]({0, 6})
-> %1
)"},
    {"reshape", 14, CALL(in.b.reshape(in.y, {0, 3})), R"(
%1 = Reshape[allowzero=1](%y, {0, 3})
-> %1
)"},
    {"reshape", 14, CALL(in.b.reshape(in.y, in.i)), R"(
%1 = Reshape(%y, %i)
-> %1
)"},
    {"reshape", 14, CALL(in.b.reshape(in.y, in.b.shape(in.y))), R"(
%1 = Shape(%y)
%2 = Reshape[allowzero=1](%y, %1)
-> %2
)"},
    {"reshape", 13, CALL(in.b.reshape(in.y, in.b.shape(in.y))), R"(
%1 = Shape(%y)
%2 = Reshape(%y, %1)
-> %2
)"},
    {"reshape", 14, CALL(in.b.reshape(in.y, in.b.join_sizes({in.b.mul(in.b.size(in.y, 0), in.b.int64s({3})), in.b.int64s({1})}))), R"(
%1 = Shape(%y)
%2 = Gather[axis=0](%1, {0})
%3 = Mul(%2, {3})
%4 = Concat[axis=0](%3, {1})
%5 = Reshape[allowzero=1](%y, %4)
-> %5
)"},
    {"reshape", 14, CALL(in.b.reshape(in.y, in.b.join_sizes({in.b.size(in.y, 0), in.b.int64s({-1})}))), R"(
%1 = Shape(%y)
%2 = Gather[axis=0](%1, {0})
%3 = Concat[axis=0](%2, {-1})
%4 = Reshape(%y, %3)
-> %4
)"},
    {"reshape", 14, CALL(in.b.reshape(in.y, in.b.sub(in.b.shape(in.y), in.i))), R"(
%1 = Shape(%y)
%2 = Sub(%1, %i)
%3 = Reshape(%y, %2)
-> %3
)"},
    {"reshape_keeping", 14, CALL(in.b.reshape_keeping(in.y, {0, -1})), R"(
%1 = Reshape(%y, {0, -1})
-> %1
)"},
    {"reshape_exactly", 13, CALL(in.b.reshape_exactly(in.y, in.i)), R"(
%1 = Reshape(%y, %i)
-> %1
)"},
    {"reshape_exactly", 14, CALL(in.b.reshape_exactly(in.y, in.i)), R"(
%1 = Reshape[allowzero=1](%y, %i)
-> %1
)"},
    {"transpose", 17, CALL(in.b.transpose(in.x, {0, 1})), R"(
-> %x
)"},
    {"transpose", 17, CALL(in.b.transpose(in.x, {1, 0})), R"(
%1 = Transpose[perm=[1, 0]](%x)
-> %1
)"},
    {"swap_axes", 17, CALL(in.b.swap_axes(in.x, 0, -1)), R"(
%1 = Transpose[perm=[1, 0]](%x)
-> %1
)"},
    {"swap_axes", 17, CALL(in.b.swap_axes(in.z, 0, -1)), R"(
refused: a transposition needs a known rank
)"},
    {"squeeze", 12, CALL(in.b.squeeze(in.b.unsqueeze(in.x, {-1}), {-1})), R"(
%1 = Unsqueeze[axes=[2]](%x)
%2 = Squeeze[axes=[2]](%1)
-> %2
)"},
    {"squeeze", 13, CALL(in.b.squeeze(in.b.unsqueeze(in.x, {-1}), {-1})), R"(
%1 = Unsqueeze(%x, {2})
%2 = Squeeze(%1, {2})
-> %2
)"},
    {"squeeze", 10, CALL(in.b.squeeze(in.z, {-1})), R"(
refused: a negative axis of Squeeze needs a known rank below opset 11
)"},
    {"squeeze", 11, CALL(in.b.squeeze(in.z, {-1})), R"(
%1 = Squeeze[axes=[-1]](%z)
-> %1
)"},
    {"unsqueeze", 10, CALL(in.b.unsqueeze(in.x, {0, -1})), R"(
%1 = Unsqueeze[axes=[0, 3]](%x)
-> %1
)"},
    {"unsqueeze", 17, CALL(in.b.unsqueeze(in.x, {})), R"(
-> %x
)"},
    {"expand", 17, CALL(in.b.expand(in.x, in.b.int64s({2, 3}))), R"(
-> %x
)"},
    {"expand", 17, CALL(in.b.expand(in.y, in.b.int64s({1, 1}))), R"(
-> %y
)"},
    {"expand", 17, CALL(in.b.expand(in.y, in.b.int64s({4, 2, 3}))), R"(
%1 = Expand(%y, {4, 2, 3})
-> %1
)"},
    {"expand", 8, CALL(in.b.expand(in.y, in.i)), R"(
%1 = Expand(%y, %i)
-> %1
)"},
    {"expand", 7, CALL(in.b.expand(in.x, in.b.int64s({4, 2, 3}))), R"(
%1 = Unsqueeze[axes=[0]](%x)
%2 = Concat[axis=0]({4}, {1}, {1})
%3 = Tile(%1, %2)
-> %3
)"},
    {"expand", 7, CALL(in.b.expand(in.y, in.i)), R"(
%1 = Slice[axes=[0], starts=[0], ends=[1]](%i)
%2 = Shape(%y)
%3 = Gather[axis=0](%2, {0})
%4 = Equal(%3, {0})
%5 = Cast[to=7](%4)
%6 = Add(%3, %5)
%7 = Sub(%6, {1})
%8 = Add(%1, %7)
%9 = Div(%8, %6)
%10 = Concat[axis=0](%9, {1})
%11 = Tile(%y, %10)
-> %11
)"},
    {"expand", 7, CALL(in.b.expand(in.z, in.i)), R"(
refused: an expansion below opset 8 needs a known rank
)"},
    {"broadcast_shape", 17, CALL(in.b.broadcast_shape({in.x, in.y})), R"(
-> {2, 3}
)"},
    {"broadcast_shape", 17, CALL(in.b.broadcast_shape({in.y, in.add("w", DType::Float32, {{Dim::symbol("m"), 1}})})), R"(
%1 = Shape(%y)
%2 = Gather[axis=0](%1, {0})
%3 = Shape(%w)
%4 = Gather[axis=0](%3, {0})
%5 = Equal(%2, {1})
%6 = Where(%5, %4, %2)
%7 = Concat[axis=0](%6, {3})
-> %7
)"},
    {"broadcast_shape", 17, CALL(in.b.broadcast_shape({in.x, in.z})), R"(
refused: the rank of an input must be known
)"},
    {"broadcast", 17, [](Inputs& in) -> Values {
       Value *x = in.x, *y = in.y;
       in.b.broadcast(x, y);
       return {x, y};
     }, R"(
%1 = Expand(%y, {2, 3})
-> %x, %1
)"},
    {"broadcast", 17, [](Inputs& in) -> Values {
       Value *x = in.x, *n = in.b.cast(in.n, DType::Float32);
       in.b.broadcast(x, n);
       return {x, n};
     }, R"(
%1 = Cast[to=1](%n)
%2 = Expand(%1, {2, 3})
-> %x, %2
)"},
    {"concat", 17, CALL(in.b.concat({in.x}, 0)), R"(
-> %x
)"},
    {"concat", 10, CALL(in.b.concat({in.x, in.y}, -2)), R"(
%1 = Concat[axis=0](%x, %y)
-> %1
)"},
    {"slice", 17, CALL(in.b.slice(in.x, 0, 0, INT64_MAX)), R"(
-> %x
)"},
    {"slice", 9, CALL(in.b.slice(in.x, -1, 1, INT64_MAX)), R"(
%1 = Slice[axes=[1], starts=[1], ends=[9223372036854775807]](%x)
-> %1
)"},
    {"slice", 9, CALL(in.b.slice(in.x, -1, 0, INT64_MAX, 2)), R"(
refused: a slice with a step needs opset 10 or newer
)"},
    {"slice", 10, CALL(in.b.slice(in.x, -1, 0, INT64_MAX, 2)), R"(
%1 = Slice(%x, {0}, {9223372036854775807}, {1}, {2})
-> %1
)"},
    {"slice, computed", 9, CALL(in.b.slice(in.x, in.i, in.i, in.i)), R"(
refused: a slice with bounds computed at run time needs opset 10 or newer
)"},
    {"slice, computed", 10, CALL(in.b.slice(in.x, in.i, in.i, in.i)), R"(
%1 = Slice(%x, %i, %i, %i)
-> %1
)"},
    {"gather", 17, CALL(in.b.gather(in.x, in.i, -1)), R"(
%1 = Gather[axis=1](%x, %i)
-> %1
)"},
    {"gather", 10, CALL(in.b.gather(in.x, in.i, -1)), R"(
%1 = Less(%i, {0})
%2 = Cast[to=7](%1)
%3 = Mul(%2, {3})
%4 = Add(%i, %3)
%5 = Less(%4, {0})
%6 = Where(%5, {4294967296}, %4)
%7 = Gather[axis=1](%x, %6)
-> %7
)"},
    {"gather", 10, CALL(in.b.gather(in.x, in.b.int64s({1, 0}), 0)), R"(
%1 = Gather[axis=0](%x, {1, 0})
-> %1
)"},
    {"gather", 10, CALL(in.b.gather(in.y, in.b.int64s({-1}), 0)), R"(
%1 = Shape(%y)
%2 = Gather[axis=0](%1, {0})
%3 = Less({-1}, {0})
%4 = Cast[to=7](%3)
%5 = Mul(%4, %2)
%6 = Add({-1}, %5)
%7 = Gather[axis=0](%y, %6)
-> %7
)"},
    {"take", 10, CALL(in.b.take(in.x, in.i, -1)), R"(
%1 = Gather[axis=1](%x, %i)
-> %1
)"},
    {"take", 10, CALL(in.b.take(in.z, in.i, -1)), R"(
refused: a negative axis of Gather needs a known rank below opset 11
)"},
    {"gather_elements", 11, CALL(in.b.gather_elements(in.y, in.k, 0)), R"(
%1 = GatherElements[axis=0](%y, %k)
-> %1
)"},
    {"gather_elements", 10, CALL(in.b.gather_elements(in.x, in.k, -1)), R"(
%1 = Unsqueeze[axes=[1]]({0, 1})
%2 = Cast[to=7](%k)
%3 = Less(%2, {0})
%4 = Cast[to=7](%3)
%5 = Mul(%4, {3})
%6 = Add(%2, %5)
%7 = Less(%6, {0})
%8 = Less(%6, {3})
%9 = Not(%8)
%10 = Or(%7, %9)
%11 = Where(%10, {4294967296}, %6)
%12 = Mul(%1, {3})
%13 = Add(%12, %11)
%14 = Reshape(%x, {-1})
%15 = Gather[axis=0](%14, %13)
-> %15
)"},
    {"gather_elements", 10, CALL(in.b.gather_elements(in.z, in.k, 0)), R"(
refused: reading single elements along an axis needs a known rank below opset 11
)"},
    {"flat_position", 17, CALL(in.b.flat_position(in.y, 0, {in.i, in.i})), R"(
%1 = Mul(%i, {3})
%2 = Add(%1, %i)
-> %2
)"},
    {"flat_position", 17, CALL(in.b.flat_position(in.y, 1, {in.i})), R"(
-> %i
)"},
    {"from_front", 17, CALL(in.b.from_front(in.b.int64s({0, 1}), in.y, 0)), R"(
-> {0, 1}
)"},
    {"from_front", 17, CALL(in.b.from_front(in.i, in.y, 0)), R"(
%1 = Shape(%y)
%2 = Gather[axis=0](%1, {0})
%3 = Less(%i, {0})
%4 = Cast[to=7](%3)
%5 = Mul(%4, %2)
%6 = Add(%i, %5)
-> %6
)"},
    {"from_front", 17, CALL(in.b.from_front(in.k, in.x, 1)), R"(
%1 = Cast[to=7](%k)
%2 = Less(%1, {0})
%3 = Cast[to=7](%2)
%4 = Mul(%3, {3})
%5 = Add(%1, %4)
-> %5
)"},
    {"element_from_front", 17, CALL(in.b.element_from_front(in.b.int64s({2, 0}), in.x, 1, true)), R"(
-> {2, 0}
)"},
    {"element_from_front", 17, CALL(in.b.element_from_front(in.i, in.x, 1)), R"(
%1 = Less(%i, {0})
%2 = Cast[to=7](%1)
%3 = Mul(%2, {3})
%4 = Add(%i, %3)
%5 = Less(%4, {0})
%6 = Where(%5, {4294967296}, %4)
-> %6
)"},
    {"element_index", 17, CALL(in.b.element_index(in.b.int64s({2, 0}))), R"(
-> {2, 0}
)"},
    {"element_index", 17, CALL(in.b.element_index(in.i)), R"(
%1 = Less(%i, {0})
%2 = Where(%1, {4294967296}, %i)
-> %2
)"},
    {"element_index", 17, CALL(in.b.element_index(in.i, in.b.int64(3))), R"(
%1 = Less(%i, {0})
%2 = Where(%1, {4294967296}, %i)
%3 = Gather[axis=0]({0, 1, 2}, %2)
-> %3
)"},
    {"range", 17, CALL(in.b.range(in.b.int64(3))), R"(
-> {0, 1, 2}
)"},
    {"range", 11, CALL(in.b.range(in.n)), R"(
%1 = Range({0}, %n, {1})
-> %1
)"},
    {"range", 9, CALL(in.b.range(in.n)), R"(
%1 = Reshape(%n, {1})
%2 = ConstantOfShape[value={1.}](%1)
%3 = NonZero(%2)
%4 = Reshape(%3, {-1})
-> %4
)"},
    {"range", 8, CALL(in.b.range(in.n)), R"(
%7, %8 = Loop(%n, -, %n) {%1, %2, %3
  %4 = Identity(%2)
  %5 = Identity(%3)
  %6 = Identity(%1)
  -> %4, %5, %6
}
-> %8
)"},
    {"split", 17, CALL(in.b.split(in.x, Dims{3}, 1)[0]), R"(
-> %x
)"},
    {"split", 12, CALL(in.b.split(in.x, Dims{1, 2}, -1)[1]), R"(
%1, %2 = Split[axis=1, split=[1, 2]](%x)
-> %2
)"},
    {"split", 13, CALL(in.b.split(in.x, Dims{1, 2}, -1)[1]), R"(
%1, %2 = Split[axis=1](%x, {1, 2})
-> %2
)"},
    {"reduce", 12, CALL(in.b.reduce("ReduceSum", in.x, Dims{-1}, true)), R"(
%1 = ReduceSum[keepdims=1, axes=[1]](%x)
-> %1
)"},
    {"reduce", 13, CALL(in.b.reduce("ReduceSum", in.x, Dims{-1}, true)), R"(
%1 = ReduceSum[keepdims=1](%x, {1})
-> %1
)"},
    {"reduce", 17, CALL(in.b.reduce("ReduceMax", in.x, Dims{0}, false)), R"(
%1 = ReduceMax[keepdims=0, axes=[0]](%x)
-> %1
)"},
    {"reduce", 18, CALL(in.b.reduce("ReduceMax", in.x, Dims{0}, false)), R"(
%1 = ReduceMax[keepdims=0](%x, {0})
-> %1
)"},
    {"reduce", 18, CALL(in.b.reduce("ReduceMean", in.x, Dims{}, false)), R"(
%1 = ReduceMean[keepdims=0](%x)
-> %1
)"},
    {"reduce", 10, CALL(in.b.reduce("ReduceMean", in.z, Dims{-1}, false)), R"(
refused: a negative axis of ReduceMean needs a known rank below opset 11
)"},
    {"clip", 10, CALL(in.b.clip(in.x, 0, std::nullopt)), R"(
%1 = Clip[min=0., max=inf](%x)
-> %1
)"},
    {"clip", 11, CALL(in.b.clip(in.x, 0, std::nullopt)), R"(
%1 = Max(%x, {0.})
-> %1
)"},
    {"clip", 11, CALL(in.b.clip(in.x, std::nullopt, std::nullopt)), R"(
-> %x
)"},
    {"pad", 10, CALL(in.b.pad(in.x, Dims{0, 1, 0, -1})), R"(
%1 = Pad[mode=constant, pads=[0, 1, 0, -1]](%x)
-> %1
)"},
    {"pad", 11, CALL(in.b.pad(in.x, Dims{0, 1, 0, -1}, "constant", in.b.scalar(DType::Float32, 2.0))), R"(
%1 = Pad[mode=constant](%x, {0, 1, 0, -1}, {2.})
-> %1
)"},
    {"pad", 10, CALL(in.b.pad(in.x, Dims{0, 1, 0, 0}, "constant", in.n)), R"(
%1 = Cast[to=1](%n)
%2 = Expand(%1, {2, 1})
%3 = Concat[axis=1](%2, %x)
-> %3
)"},
    {"pad", 18, CALL(in.b.pad(in.x, Dims{0, 1, 0, 0}, "wrap")), R"(
refused: padding mode wrap needs opset 19 or newer
)"},
    {"pad", 19, CALL(in.b.pad(in.x, Dims{0, 1, 0, 0}, "wrap")), R"(
%1 = Pad[mode=wrap](%x, {0, 1, 0, 0})
-> %1
)"},
    {"pad", 19, CALL(in.b.pad(in.x, Dims{0, 0, 0, 0})), R"(
-> %x
)"},
    {"constant_of_shape", 8, CALL(in.b.constant_of_shape(in.b.int64s({2}), DType::Float32, 1)), R"(
-> {1., 1.}
)"},
    {"constant_of_shape", 8, CALL(in.b.constant_of_shape(in.i, DType::Float32, 1)), R"(
%1 = Expand({1.}, %i)
-> %1
)"},
    {"constant_of_shape", 7, CALL(in.b.constant_of_shape(in.b.join_sizes({in.i}), DType::Float32, 1)), R"(
%1 = Unsqueeze[axes=[0, 1]]({1.})
%2 = Slice[axes=[0], starts=[0], ends=[1]](%i)
%3 = Slice[axes=[0], starts=[1], ends=[2]](%i)
%4 = Concat[axis=0](%2, %3)
%5 = Tile(%1, %4)
-> %5
)"},
    {"constant_of_shape", 9, CALL(in.b.constant_of_shape(in.i, DType::Float32, 1)), R"(
%1 = ConstantOfShape[value={1.}](%i)
-> %1
)"},
    {"constant_of_shape", 19, CALL(in.b.constant_of_shape(in.i, DType::BFloat16, 1)), R"(
%1 = ConstantOfShape[value={1.}](%i)
%2 = Cast[to=16](%1)
-> %2
)"},
    {"constant_of_shape", 20, CALL(in.b.constant_of_shape(in.i, DType::BFloat16, 1)), R"(
%1 = ConstantOfShape[value=bfloat16 {1.}](%i)
-> %1
)"},
    {"where", 9, CALL(in.b.where(in.c, in.x, in.y)), R"(
%1 = Where(%c, %x, %y)
-> %1
)"},
    {"where", 8, CALL(in.b.where(in.c, in.c, in.c)), R"(
%1 = And(%c, %c)
%2 = Not(%c)
%3 = And(%2, %c)
%4 = Or(%1, %3)
-> %4
)"},
    {"where", 8, CALL(in.b.where(in.c, in.k, in.k)), R"(
%1 = Cast[to=6](%c)
%2 = Mul(%1, %k)
%3 = Not(%c)
%4 = Cast[to=6](%3)
%5 = Mul(%4, %k)
%6 = Add(%2, %5)
-> %6
)"},
    {"where", 8, CALL(in.b.where(in.c, in.x, in.b.scalar(DType::Float32, 0.0))), R"(
%1 = Expand({0.}, {2, 3})
%2 = Unsqueeze[axes=[2]](%1)
%3 = Unsqueeze[axes=[2]](%x)
%4 = Concat[axis=2](%2, %3)
%5 = Unsqueeze[axes=[1]]({0, 1})
%6 = Mul(%5, {3})
%7 = Add(%6, {0, 1, 2})
%8 = Cast[to=7](%c)
%9 = Mul(%7, {2})
%10 = Add(%9, %8)
%11 = Reshape(%4, {-1})
%12 = Gather[axis=0](%11, %10)
-> %12
)"},
    {"where", 8, CALL(in.b.where(in.c, in.y, in.x)), R"(
%1 = Expand(%y, {2, 3})
%2 = Unsqueeze[axes=[2]](%x)
%3 = Unsqueeze[axes=[2]](%1)
%4 = Concat[axis=2](%2, %3)
%5 = Unsqueeze[axes=[1]]({0, 1})
%6 = Mul(%5, {3})
%7 = Add(%6, {0, 1, 2})
%8 = Cast[to=7](%c)
%9 = Mul(%7, {2})
%10 = Add(%9, %8)
%11 = Reshape(%4, {-1})
%12 = Gather[axis=0](%11, %10)
-> %12
)"},
    {"where", 8, CALL(in.b.where(in.c, in.z, in.x)), R"(
refused: the rank of an input must be known
)"},
    {"open and close", 17, [](Inputs& in) -> Values {
       ir::Node* node = in.b.open("If", {in.c}, 2);
       ir::Block* const outside = in.b.block();
       for (std::size_t side : {0, 1}) {
         in.b.enter(node->block(side));
         node->block(side)->add_output(side == 0 ? in.b.add(in.x, in.x) : in.b.mul(in.x, in.x));
       }
       in.b.enter(outside);
       return in.b.close(node, 1);
     }, R"(
%3 = If(%c) {
  %1 = Add(%x, %x)
  -> %1
} {
  %2 = Mul(%x, %x)
  -> %2
}
-> %3
)"},
    {"open", 17, [](Inputs& in) -> Values {
       in.b.open("NoSuch", {in.c}, 1);
       return {};
     }, R"(
wrong use: ONNX has no operator NoSuch
)"},
    {"loop", 17,
     [](Inputs& in) -> Values { return loop(in.b, in.n, nullptr, {in.x, in.n}, [&](Value* turn, const Values& s) -> Pass { return {nullptr, {in.b.mul(s[0], in.x), turn}}; }); }, R"(
%8, %9 = Loop(%n, -, %x, %n) {%1, %2, %3, %4
  %5 = Mul(%3, %x)
  %6 = Identity(%2)
  %7 = Identity(%1)
  -> %6, %5, %7
}
-> %8, %9
)"},
    {"loop", 17,
     [](Inputs& in) -> Values { return loop(in.b, nullptr, in.b.op("Not", {in.c}), {}, [&](Value*, const Values&) -> Pass { return {nullptr, {}}; }); }, R"(
%1 = Not(%c)
-> 
)"},
};

INSTANTIATE_TEST_SUITE_P(Builder, Helper, testing::ValuesIn(kBuilderCases));

TEST(BuilderTarget, WidensADtypeOnlyForATargetWithoutAKernel) {
  for (const ir::Target target : {ir::Target(), ir::Target::onnx()}) {
    ir::Graph graph;
    Builder b(graph, *onnx::opset(17), target);
    Value* x = graph.block().add_input();
    x->set_facts({DType::BFloat16, std::vector<ir::Dim>{2}, nullptr});
    EXPECT_EQ(b.op("Exp", {x})->node()->is("onnx::Cast"), target.is_onnxruntime());
    x->facts().dtype = DType::Float64;
    EXPECT_EQ(b.serves("Conv", x), !target.is_onnxruntime());
    EXPECT_EQ(b.accepts("Conv", DType::Float64), !target.is_onnxruntime());
    EXPECT_EQ(b.has_kernel("Conv", DType::Float64), !target.is_onnxruntime());
    EXPECT_EQ(b.avoids(ir::Defect::EmptyMatMul), target.is_onnxruntime());
    EXPECT_FALSE(b.avoids(ir::Defect::QuantiseRounding));  // of opset 10 only
    EXPECT_FALSE(b.serves("Celu", x));                     // ONNX accepts float32 only
    EXPECT_FALSE(b.serves("Gelu", x));                     // added in opset 20
    x->facts().dtype = DType::Float32;
    EXPECT_TRUE(b.serves("Conv", x));
  }
}

TEST(Builder, AsksWhetherWeightsChange) {
  ir::Graph graph;
  const std::int64_t id = 3;
  const Value* weight = graph.add_weight("id", ir::Tensor::from_bytes(DType::Int64, {1}, &id, sizeof id));
  for (const bool changes : {false, true}) {
    const Builder b(graph, *onnx::opset(17), {}, changes);
    EXPECT_EQ(b.weights_change(), changes);
    EXPECT_EQ(b.may_be_negative(weight), changes);
  }
}

}  // namespace
}  // namespace tonnx::lower
