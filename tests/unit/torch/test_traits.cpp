// The rows of src/aten against what LibTorch's dispatcher says, and does.
#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "aten/functional_form.h"
#include "aten/schemas.h"
#include "aten/trait_table.h"
#include "torch/operator_table.h"

namespace tonnx::torch {
namespace {

using aten::Alias;
using aten::DataDims;
using aten::Effect;
using aten::Row;
using aten::SchemaLine;
using aten::Traits;
using aten::Write;

// Every overload that a row speaks of, and no row of its own.
std::vector<SchemaLine> overloads_of(const Row& row) {
  if (const auto line = aten::find_line(row.op); line && row.op.find('.') != std::string_view::npos) return {*line};
  std::vector<SchemaLine> found;
  for (const SchemaLine& line : aten::overloads_of(row.op))
    if (&aten::traits_of(row.op, line.overload()) == &row.traits) found.push_back(line);
  return found;
}

std::string name_of(std::string_view full_name) { return std::string(full_name.substr(0, full_name.find('.'))); }

// Something to call an operator with; None where nothing simple fits.
c10::IValue sample(const c10::Argument& argument, const at::Tensor& tensor) {
  if (argument.default_value()) return *argument.default_value();
  switch (argument.type()->kind()) {
    case c10::TypeKind::TensorType: return tensor;
    case c10::TypeKind::IntType: return argument.name() == "dtype" ? std::int64_t{6} : std::int64_t{0};
    case c10::TypeKind::FloatType:
    case c10::TypeKind::NumberType: return 0.5;
    case c10::TypeKind::BoolType: return false;
    case c10::TypeKind::DeviceObjType: return c10::Device(c10::kCPU);
    case c10::TypeKind::ListType:
      if (argument.type()->str() == "Tensor[]") return c10::List<at::Tensor>({tensor});
      return tensor.sizes().vec();
    default: return {};
  }
}

// The results of an operator on samples: `tensor` as the first tensor, `others` as the further ones. Nullopt if the
// operator does not accept them.
std::optional<c10::Stack> call(std::string_view full_name, const at::Tensor& tensor, const at::Tensor& others) {
  const std::string name = name_of(full_name);
  const auto op = ::torch::jit::findOperatorFor({name, std::string(aten::find_line(full_name)->overload())});
  if (!op) return std::nullopt;
  c10::Stack stack;
  for (const c10::Argument& argument : op->schema().arguments())
    stack.push_back(sample(argument, stack.empty() ? tensor : others));
  try {
    op->getOperation()(stack);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return stack;
}

std::optional<c10::Stack> call(std::string_view full_name, const at::Tensor& tensor) {
  return call(full_name, tensor, tensor);
}

bool shares(const c10::IValue& result, const at::Tensor& tensor) {
  if (result.isTensor()) return result.toTensor().is_alias_of(tensor);
  if (!result.isTensorList()) return false;
  for (const at::Tensor& item : result.toTensorVector())
    if (item.is_alias_of(tensor)) return true;
  return false;
}

bool takes_tensor(const SchemaLine& line) {
  const auto schema = aten::find_schema(line.full_name);
  if (schema->arguments.empty() || schema->returns.empty()) return false;
  const ir::Type& type = schema->arguments[0].type;
  return type.is(ir::Type::Kind::Tensor) || type.is_tensor_list();
}

TEST(Traits, RowsOfMemoryAreTrueOfTheKernels) {
  int checked = 0;
  for (const Row* row : aten::trait_table().rows()) {
    if (row->traits.alias == Alias::Marked || !row->op.starts_with("aten::")) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      if (!takes_tensor(line)) continue;
      if (line.full_name.ends_with("out") || line.full_name.find("name") != std::string_view::npos) continue;
      const at::Tensor tensor = at::ones({2, 3});
      const auto results = call(line.full_name, tensor);
      if (!results) continue;
      EXPECT_TRUE(shares(results->at(0), tensor)) << line.full_name;
      ++checked;
    }
  }
  EXPECT_GE(checked, 30);
}

TEST(Traits, ResultsHaveTheDtypeThatTheRowSays) {
  std::set<std::string_view> checked;
  for (const Row* row : aten::trait_table().rows()) {
    if (row->traits.dtype == aten::ResultDtype::Promoted) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      if (!takes_tensor(line) || line.full_name.ends_with("out")) continue;
      for (const at::ScalarType dtype : {at::kHalf, at::kFloat, at::kDouble, at::kChar, at::kInt}) {
        const auto results = call(line.full_name, at::ones({2, 3}).to(dtype), at::ones({2, 3}, at::kFloat));
        if (!results || !results->at(0).isTensor()) continue;
        const bool is_bool = row->traits.dtype == aten::ResultDtype::Bool;
        EXPECT_EQ(results->at(0).toTensor().scalar_type(), is_bool ? at::kBool : dtype) << line.full_name;
        checked.insert(row->op);
      }
    }
  }
  EXPECT_GE(checked.size(), 20u);
}

TEST(Traits, SpelledSizesAreThoseOfTheResult) {
  int checked = 0;
  for (const Row* row : aten::trait_table().rows()) {
    if (!row->traits.spells_sizes || row->op == "aten::repeat" || row->op == "aten::tile") continue;  // of factors
    for (const SchemaLine& line : overloads_of(*row)) {
      if (!takes_tensor(line) || line.full_name.ends_with("out")) continue;
      // The result has the sizes of the other tensor.
      const auto results = call(line.full_name, at::ones({1, 6}), at::ones({3, 6}));
      const auto reshaped = results ? std::nullopt : call(line.full_name, at::ones({2, 9}), at::ones({3, 6}));
      if (!results && !reshaped) continue;
      EXPECT_EQ((results ? results : reshaped)->at(0).toTensor().sizes().vec(), (std::vector<std::int64_t>{3, 6}))
          << line.full_name;
      ++checked;
    }
  }
  EXPECT_GE(checked, 3);
}

// They read the same elements of two tensors over one storage, whatever the strides are.
TEST(Traits, RowsThatReadMemoryLookAtNoStrides) {
  int checked = 0;
  for (const Row* row : aten::trait_table().rows()) {
    if (!row->traits.reads_memory) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      // The result of a scatter is all of its first argument.
      if (line.full_name.ends_with("out") || line.full_name.find("scatter") != std::string_view::npos) continue;
      const at::Tensor memory = at::arange(64), sizes = at::ones({2, 3});
      const auto rows = call(line.full_name, memory.as_strided({2, 3}, {3, 1}), sizes);
      const auto columns = call(line.full_name, memory.as_strided({2, 3}, {1, 2}), sizes);
      if (!rows || !columns) continue;
      EXPECT_TRUE(rows->at(0).toTensor().equal(columns->at(0).toTensor())) << line.full_name;
      ++checked;
    }
  }
  EXPECT_GE(checked, 2);
}

TEST(Traits, OperatorsThatMayAliasHaveARow) {
  // Batch normalisation changes running statistics, and its results are new.
  const std::set<std::string> harmless = {"aten::batch_norm", "aten::_batch_norm_impl_index"};
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto handle = c10::Dispatcher::singleton().findSchema(name);
    if (!handle || !handle->hasTag(at::Tag::maybe_aliasing_or_mutating) || harmless.contains(name.name)) continue;
    EXPECT_NE(aten::traits_of(name.name, name.overload_name).alias, Alias::Marked) << name.name;
  }
}

TEST(Traits, ViewsWithAnInverseAreMarkedAsViews) {
  for (const Row* row : aten::trait_table().rows()) {
    if (row->traits.inverse == aten::Inverse::None || row->traits.alias != Alias::Marked) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      const auto schema = aten::find_schema(line.full_name);
      if (!schema->arguments[0].type.is(ir::Type::Kind::Tensor) || line.full_name.ends_with("out")) continue;
      EXPECT_FALSE(schema->arguments[0].alias_set.empty()) << line.full_name;
      EXPECT_EQ(schema->returns[0].alias_set, schema->arguments[0].alias_set) << line.full_name;
    }
  }
}

TEST(Traits, RowsThatDropAxesOfSizeOneDo) {
  int checked = 0;
  for (const Row* row : aten::trait_table().rows()) {
    if (!row->traits.drops_single) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      const auto results = call(line.full_name, at::ones({1, 2, 3}));
      if (!results) continue;
      EXPECT_EQ(results->at(0).toTensor().sizes().vec(), (std::vector<std::int64_t>{2, 3})) << line.full_name;
      ++checked;
    }
  }
  EXPECT_GE(checked, 4);
}

TEST(Traits, WritingRowsWrite) {
  for (const Row* row : aten::trait_table().rows()) {
    if (row->traits.write == Write::Content) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      const auto schema = aten::find_schema(line.full_name);
      bool writes = false;
      for (const ir::Argument& argument : schema->arguments) writes = writes || argument.is_write;
      const bool form_without_update = row->traits.write == Write::Statistics;
      EXPECT_TRUE(writes || form_without_update) << line.full_name;
    }
  }
}

TEST(Traits, InPlaceOperatorsHaveFunctionalForms) {
  // LibTorch has no functional form of these; conversions are found by the name without the underscore.
  const std::set<std::string> without = {"aten::_fill_mem_eff_dropout_mask_",
                                         "aten::_no_grad_fill_",
                                         "aten::_no_grad_normal_",
                                         "aten::_no_grad_uniform_",
                                         "aten::_no_grad_zero_",
                                         "aten::_sobol_engine_ff_",
                                         "aten::_sobol_engine_initialize_state_",
                                         "aten::_sobol_engine_scramble_",
                                         "aten::fill_diagonal_"};
  int found = 0;
  aten::for_each_line([&](const SchemaLine& line) {
    const std::string name = name_of(line.full_name);
    if (!name.starts_with("aten::") || !name.ends_with("_") || name.ends_with("__") || line.tags.inplace_view) return;
    const auto schema = aten::find_schema(line.full_name);
    if (schema->arguments.empty() || !schema->arguments[0].is_write) return;
    if (!schema->arguments[0].type.is(ir::Type::Kind::Tensor)) return;
    if (aten::traits_of(name, line.overload()).write != Write::Content) return;
    const auto form = aten::functional_form(*schema, 0);
    ASSERT_TRUE(form.schema) << line.full_name;
    const bool known = aten::find_line(form.schema->full_name()).has_value();
    EXPECT_NE(known, without.contains(name)) << line.full_name;
    found += known;
  });
  EXPECT_GE(found, 200);
}

TEST(Traits, DimsThatDependOnDataAreTagged) {
  // Composite operators call one that is tagged; the others lack the tag.
  const std::set<std::string> untagged = {"aten::where", "aten::nonzero_numpy", "aten::_unique",
                                          "aten::_padded_dense_to_jagged_forward"};
  for (const Row* row : aten::trait_table().rows()) {
    if (row->traits.data_dims == DataDims::All || untagged.contains(std::string(row->op))) continue;
    bool tagged = false;
    for (const SchemaLine& line : overloads_of(*row)) tagged = tagged || line.tags.dynamic_output_shape;
    EXPECT_TRUE(tagged) << row->op;
  }
}

TEST(Traits, OperatorsThatDependOnDataAreTaggedAtRunTime) {
  OperatorTable operators;
  ir::Graph graph;
  int checked = 0;
  aten::for_each_line([&](const SchemaLine& line) {
    if (!line.full_name.starts_with("aten::") || !line.tags.nondeterministic_seeded) return;
    ir::Node* node = graph.create(name_of(line.full_name), {}, 0);
    node->set_schema(aten::find_schema(line.full_name));
    EXPECT_TRUE(aten::is_random(*node)) << line.full_name;
    const Operator* op = operators.find(*node, {});
    EXPECT_TRUE(!op || op->is_random) << line.full_name;
    ++checked;
  });
  EXPECT_GT(checked, 100);
}

TEST(Traits, SizeBlindQuestionsHaveOneAnswerAtAllSizes) {
  int checked = 0;
  for (const Row* row : aten::trait_table().rows()) {
    if (!row->traits.size_blind || row->traits.gives_sizes) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      const auto schema = aten::find_schema(line.full_name);
      if (schema->arguments.size() != 1 || !schema->arguments[0].type.is(ir::Type::Kind::Tensor)) continue;
      if (!schema->returns[0].type.is_scalar()) continue;
      const auto small = call(line.full_name, at::ones({2, 3}));
      const auto large = call(line.full_name, at::ones({7, 1}));
      if (!small || !large) continue;
      EXPECT_EQ(small->at(0), large->at(0)) << line.full_name;
      ++checked;
    }
  }
  EXPECT_GE(checked, 12);
}

// The answers of LibTorch to tensors that differ in all but dtype and rank; nothing where it refuses one of them.
std::optional<std::vector<c10::IValue>> answers(std::string_view full_name) {
  const at::Tensor written = at::ones({2, 2}).add_(1);
  const at::Tensor tensors[] = {at::ones({2, 3}), at::arange(8.f).view({4, 2}).t(), at::ones({0, 4}),
                                at::arange(9.f).view({3, 3}).slice(0, 1), written};
  std::vector<c10::IValue> found;
  for (const at::Tensor& tensor : tensors) {
    const auto result = call(full_name, tensor);
    if (!result || result->size() != 1) return std::nullopt;
    found.push_back(result->at(0));
  }
  return found;
}

TEST(Traits, AQuestionThatAllTensorsAnswerAlikeHasARow) {
  // Queries of sparse layouts, of memory or of autograd's state; a script cannot express most of them.
  const std::set<std::string_view> left = {
      "aten::_debug_has_internal_overlap",  "aten::_is_zerotensor", "aten::cudnn_is_acceptable", "aten::dense_dim",
      "aten::is_non_overlapping_and_dense", "aten::output_nr",      "aten::sparse_dim",          "prim::name"};
  int checked = 0;
  aten::for_each_line([&](const SchemaLine& line) {
    const auto schema = aten::find_schema(line.full_name);
    const auto& arguments = schema->arguments;
    if (arguments.empty() || !arguments[0].type.is(ir::Type::Kind::Tensor) || schema->returns.size() != 1) return;
    const ir::Type& result = schema->returns[0].type;
    if (result.is(ir::Type::Kind::Tensor) || result.is(ir::Type::Kind::List)) return;
    if (std::any_of(arguments.begin() + 1, arguments.end(), [](const auto& a) { return !a.default_value; })) return;
    if (aten::traits_of(schema->name, schema->overload).effect == aten::Effect::Outside) return;
    const auto found = answers(line.full_name);
    if (!found || !std::all_of(found->begin(), found->end(), [&](const c10::IValue& v) { return v == found->front(); }))
      return;
    ++checked;
    const bool has_row = aten::traits_of(schema->name, schema->overload).size_blind;
    EXPECT_NE(has_row, left.contains(line.full_name)) << line.full_name;
  });
  EXPECT_GE(checked, 25);
}

// For all sizes, elements and dtypes. A query that a row answers needs no kernel of LibTorch.
TEST(Traits, QuestionsOfTypeHaveTheAnswerOfTheirRowOrOneADtypeAndRank) {
  int of_type = 0, answered = 0;
  for (const Row* row : aten::trait_table().rows()) {
    if (!row->traits.type_only) continue;
    EXPECT_TRUE(row->traits.size_blind) << row->op;
    for (const SchemaLine& line : overloads_of(*row)) {
      for (const at::ScalarType dtype : {at::kHalf, at::kDouble, at::kInt, at::kBool, at::kComplexFloat}) {
        const auto one = call(line.full_name, at::ones({2, 3}).to(dtype)),
                   other = call(line.full_name, at::zeros({0, 1}).to(dtype));
        if (!one || !other || one->empty() || one->at(0).isTensor()) continue;
        EXPECT_EQ(one->at(0), other->at(0)) << line.full_name << " of " << dtype;
        ++of_type;
        if (row->traits.answer == aten::Answer::Asked) continue;
        EXPECT_EQ(one->at(0), c10::IValue(row->traits.answer == aten::Answer::Yes))
            << line.full_name << " of " << dtype;
        ++answered;
      }
    }
  }
  EXPECT_GE(of_type, 60);
  EXPECT_GE(answered, 20);
}

// A tensor that represents a number does not promote a dtype of its category.
TEST(Traits, OperandsThatMayBeNumbersArePromotedAsNumbers) {
  at::Tensor number = at::scalar_tensor(2, at::kDouble);
  number.unsafeGetTensorImpl()->set_wrapped_number(true);
  int checked = 0;
  for (const Row* row : aten::trait_table().rows()) {
    if (!row->traits.takes_number) continue;
    const auto results = call(std::string(row->op) + ".Tensor", at::ones({2, 3}, at::kHalf), number);
    ASSERT_TRUE(results) << row->op;
    EXPECT_EQ(results->at(0).toTensor().scalar_type(), at::kHalf) << row->op;
    ++checked;
  }
  EXPECT_GE(checked, 8);
}

TEST(Traits, SectionsAreThoseOfTheAxisThatTheRowNames) {
  int checked = 0;
  for (const Row* row : aten::trait_table().rows()) {
    if (row->traits.inverse != aten::Inverse::Sections) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      const auto schema = aten::find_schema(line.full_name);
      const auto& arguments = schema->arguments;
      const bool is_named =
          std::any_of(arguments.begin(), arguments.end(), [](const auto& a) { return a.name == "dim"; });
      if (is_named || arguments.size() != 2 || !arguments[1].type.is(ir::Type::Kind::List)) continue;
      const std::int64_t axis = row->traits.section_axis;
      for (const std::int64_t rank : {std::int64_t{1}, std::int64_t{3}}) {
        if (rank == 1 && axis != 1) continue;
        at::Tensor tensor = rank == 1 ? at::arange(5) : at::arange(5 * 6 * 7).view({5, 6, 7});
        c10::Stack stack = {tensor, std::vector<std::int64_t>{1, 3}};
        const auto op = ::torch::jit::findOperatorFor({name_of(line.full_name), std::string(line.overload())});
        op->getOperation()(stack);
        const at::Tensor middle = stack.at(0).toTensorVector().at(1);
        EXPECT_TRUE(middle.equal(tensor.slice(rank == 1 ? 0 : axis, 1, 3))) << line.full_name;
        ++checked;
      }
    }
  }
  EXPECT_GE(checked, 4);
}

TEST(Traits, SizeQueriesReturnSizes) {
  int checked = 0;
  const at::Tensor tensor = at::ones({2, 3});
  for (const Row* row : aten::trait_table().rows()) {
    if (!row->traits.gives_sizes) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      const auto result = call(line.full_name, tensor);
      if (!result) continue;
      EXPECT_EQ(result->at(0), result->at(0).isInt() ? c10::IValue(tensor.size(0)) : c10::IValue(tensor.sizes()))
          << line.full_name;
      ++checked;
    }
  }
  EXPECT_GE(checked, 2);
}

TEST(Traits, OperatorsOfLayoutAloneKeepElementsAndSizes) {
  int checked = 0;
  for (const Row* row : aten::trait_table().rows()) {
    if (!row->traits.layout_only) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      const at::Tensor tensor = at::arange(6).view({2, 3});
      const auto result = call(line.full_name, tensor);
      if (!result || !result->at(0).isTensor()) continue;
      EXPECT_TRUE(result->at(0).toTensor().equal(tensor)) << line.full_name;
      ++checked;
    }
  }
  EXPECT_GE(checked, 1);
}

// The result of an operator on a list or dict, and the container after it.
struct ContainerCase {
  aten::Container container;
  const char* result;  // empty: none, or itself
  const char* left;
};

std::string text_of(const c10::IValue& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// `of` is a list or a dict of integers; all other arguments are 1, a container like it, or what the schema has by
// default.
void expect_rows_hold(const std::vector<ContainerCase>& cases, const std::function<c10::IValue()>& make,
                      const std::string& type) {
  std::set<aten::Container> seen;
  for (const Row* row : aten::trait_table().rows()) {
    const auto wanted = std::ranges::find(cases, row->traits.container, &ContainerCase::container);
    if (wanted == cases.end()) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      const auto op = ::torch::jit::findOperatorFor({name_of(line.full_name), std::string(line.overload())});
      if (!op || op->schema().arguments().empty() || op->schema().arguments()[0].type()->str() != type) continue;
      const c10::IValue of = make();
      c10::Stack stack{of};
      for (const c10::Argument& argument : std::span(op->schema().arguments()).subspan(1)) {
        const bool is_like = argument.type()->str() == type;
        stack.push_back(argument.default_value() ? *argument.default_value() : is_like ? make() : c10::IValue(1));
      }
      op->getOperation()(stack);
      const bool gives_itself = !stack.empty() && stack.back().is(of);
      EXPECT_EQ(stack.empty() || gives_itself ? "" : text_of(stack.back()), wanted->result) << line.full_name;
      EXPECT_EQ(text_of(of), wanted->left) << line.full_name;
      seen.insert(row->traits.container);
    }
  }
  for (const ContainerCase& c : cases) EXPECT_TRUE(seen.contains(c.container)) << c.result << " " << c.left;
}

TEST(Traits, OperatorsOnListsDoWhatTheirRowsSay) {
  using C = aten::Container;
  const std::vector<ContainerCase> cases = {
      {C::Item, "5", "[3, 5, 1]"},
      {C::Length, "3", "[3, 5, 1]"},
      {C::Concat, "[3, 5, 1, 3, 5, 1]", "[3, 5, 1]"},
      {C::Part, "[3, 5, 1]", "[3, 5, 1]"},
      {C::Copy, "[3, 5, 1]", "[3, 5, 1]"},
      {C::Append, "", "[3, 5, 1, 1]"},
      {C::Extend, "", "[3, 5, 1, 3, 5, 1]"},
      {C::Insert, "", "[3, 1, 5, 1]"},
      {C::SetItem, "", "[3, 1, 1]"},
      {C::Pop, "1", "[3, 5]"},
      {C::Delete, "", "[3, 1]"},
      {C::Clear, "", "[]"},
      {C::Reverse, "", "[1, 5, 3]"},
  };
  expect_rows_hold(cases, [] { return c10::IValue(c10::List<std::int64_t>({3, 5, 1})); }, "t[]");
  const std::vector<ContainerCase> of_integers = {
      {C::Contains, "True", "[3, 5, 1]"},
      {C::Sorted, "[1, 3, 5]", "[3, 5, 1]"},
      {C::Remove, "", "[3, 5]"},
      {C::Sort, "", "[1, 3, 5]"},
  };
  expect_rows_hold(of_integers, [] { return c10::IValue(c10::List<std::int64_t>({3, 5, 1})); }, "int[]");
}

TEST(Traits, OperatorsOnDictsDoWhatTheirRowsSay) {
  using C = aten::Container;
  const auto make = [] {
    c10::Dict<std::int64_t, std::int64_t> dict;
    dict.insert(1, 7);
    dict.insert(2, 8);
    return c10::IValue(dict);
  };
  const std::vector<ContainerCase> cases = {
      {C::Item, "7", "{1: 7, 2: 8}"},
      {C::Length, "2", "{1: 7, 2: 8}"},
      {C::Contains, "True", "{1: 7, 2: 8}"},
      {C::Get, "7", "{1: 7, 2: 8}"},
      {C::Keys, "[1, 2]", "{1: 7, 2: 8}"},
      {C::Values, "[7, 8]", "{1: 7, 2: 8}"},
      {C::Items, "[(1, 7), (2, 8)]", "{1: 7, 2: 8}"},
      {C::Copy, "{1: 7, 2: 8}", "{1: 7, 2: 8}"},
      {C::SetItem, "", "{1: 1, 2: 8}"},
      {C::Pop, "7", "{2: 8}"},
      {C::Delete, "", "{2: 8}"},
      {C::Clear, "", "{}"},
      {C::SetDefault, "7", "{1: 7, 2: 8}"},
      {C::PopItem, "(1, 7)", "{2: 8}"},  // the first, unlike Python's
      {C::Update, "", "{1: 7, 2: 8}"},
  };
  expect_rows_hold(cases, make, "Dict(int, t)");
}

TEST(Traits, ConversionsReturnScalars) {
  for (const Row* row : aten::trait_table().rows()) {
    if (row->traits.number == aten::Number::None) continue;
    bool reads = false;
    for (const SchemaLine& line : overloads_of(*row)) {
      const auto schema = aten::find_schema(line.full_name);
      EXPECT_TRUE(schema->returns.at(0).type.is_scalar()) << line.full_name;
      reads = reads || schema->arguments.at(0).type.is(ir::Type::Kind::Tensor);
    }
    EXPECT_TRUE(reads) << row->op;
  }
}

TEST(Traits, NewMemoryWithoutContentHasARow) {
  aten::for_each_line([](const SchemaLine& line) {
    const std::string name = name_of(line.full_name);
    const bool makes =
        name.starts_with("aten::empty") || name.starts_with("aten::_empty") || name.starts_with("aten::new_empty");
    if (!makes || line.overload() == "out") return;
    EXPECT_TRUE(aten::traits_of(name, line.overload()).is_undefined) << name;
  });
}

TEST(Traits, TensorsMadeAfterAnExampleHaveARow) {
  int checked = 0;
  aten::for_each_line([&](const SchemaLine& line) {
    const std::string name = name_of(line.full_name);
    const aten::Traits& traits = aten::traits_of(name, line.overload());
    const bool makes = name.starts_with("aten::") && (name.ends_with("_like") || name.starts_with("aten::new_"));
    EXPECT_EQ(traits.creates, makes) << line.full_name;
    if (traits.creates) {
      EXPECT_EQ(traits.gradient, aten::Gradient::None) << line.full_name;
    }
    checked += makes;
  });
  EXPECT_GE(checked, 20);
}

// The gradients in the rows match the results for a tensor that requires gradients.
TEST(Traits, ResultsWithoutGradientsHaveNone) {
  int checked = 0;
  for (const Row* row : aten::trait_table().rows()) {
    if (row->traits.gradient != aten::Gradient::None) continue;
    for (const SchemaLine& line : overloads_of(*row)) {
      const at::Tensor tensor = at::ones({2, 3}).requires_grad_();
      const auto results = line.full_name.ends_with("out") ? std::nullopt : call(line.full_name, tensor);
      if (!results || results->empty() || !results->at(0).isTensor()) continue;
      EXPECT_FALSE(results->at(0).toTensor().requires_grad()) << line.full_name;
      ++checked;
    }
  }
  EXPECT_GE(checked, 10);
}

TEST(Traits, ResultsLearnWhereTheArgumentSaysSo) {
  int checked = 0;
  for (const Row* row : aten::trait_table().rows()) {
    if (row->traits.gradient != aten::Gradient::Asked) continue;
    const auto op = ::torch::jit::findOperatorFor({std::string(row->op), ""});
    ASSERT_TRUE(op) << row->op;
    for (const bool learns : {true, false}) {
      c10::Stack stack = {at::ones({2, 3}).requires_grad_(!learns), learns};
      op->getOperation()(stack);
      EXPECT_EQ(stack.at(0).toTensor().requires_grad(), learns) << row->op;
      ++checked;
    }
    EXPECT_EQ(op->schema().arguments().at(1).default_value(), c10::IValue(true)) << row->op;
  }
  EXPECT_GE(checked, 2);
}

// An operator without results that writes to no argument has another side effect.
TEST(Traits, OperatorsThatActElsewhereHaveARow) {
  const std::set<std::string> gradients = {"aten::backward", "aten::_backward"};  // read through prim::grad alone
  aten::for_each_line([&](const SchemaLine& line) {
    const std::string name = name_of(line.full_name);
    const auto schema = aten::find_schema(line.full_name);
    if (!schema->returns.empty() || line.text.ends_with("...") || name == "prim::RaiseException") return;
    for (const ir::Argument& argument : schema->arguments)
      if (argument.is_write) return;
    if (gradients.contains(name)) return;
    EXPECT_NE(aten::traits_of(name, line.overload()).effect, Effect::None) << line.text;
  });
}

TEST(Traits, NamesOfFilesAreReachedByNoOperatorWithoutARow) {
  aten::for_each_line([](const SchemaLine& line) {
    if (line.text.find("str filename") == std::string_view::npos &&
        line.text.find("str path") == std::string_view::npos)
      return;
    EXPECT_EQ(aten::traits_of(name_of(line.full_name), line.overload()).effect, Effect::Outside) << line.text;
  });
}

}  // namespace
}  // namespace tonnx::torch
