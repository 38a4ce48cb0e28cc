#include <filesystem>
#include <functional>
#include <unistd.h>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host.h"

// Every kind of attribute that a symbolic can set, as the written model contains it.
using testing::HasSubstr;
using testing::Not;

namespace {

using Set = std::function<tonnx_status(tonnx_attributes*, tonnx_error**)>;

// The node that a symbolic makes with these attributes, from the file that the model was saved to.
std::string node_text(const std::vector<Set>& setters) {
  tonnx_attributes* attributes = nullptr;
  EXPECT_EQ(tonnx_attributes_new(&attributes, nullptr), TONNX_STATUS_OK);
  for (const Set& set : setters) {
    tonnx_error* error = nullptr;
    EXPECT_EQ(set(attributes, &error), TONNX_STATUS_OK) << tonnx_error_message(error);
    tonnx_error_free(error);
  }
  tonnx_registry* registry = nullptr;
  EXPECT_EQ(tonnx_registry_new(&registry, nullptr), TONNX_STATUS_OK);
  const auto symbolic = [](tonnx_graph* graph, const tonnx_node* node, tonnx_value* const* inputs, std::size_t,
                           void* user_data) -> std::int32_t {
    tonnx_value* out = nullptr;
    tonnx_error* error = nullptr;
    const bool done = tonnx_graph_op(&out, 1, graph, "mine::All", inputs, 1, static_cast<tonnx_attributes*>(user_data),
                                     &error) == TONNX_STATUS_OK &&
                      tonnx_value_copy_type(out, tonnx_node_output(node, 0), nullptr) == TONNX_STATUS_OK &&
                      tonnx_graph_set_results(graph, &out, 1, nullptr) == TONNX_STATUS_OK;
    if (!done) tonnx_graph_fail(graph, tonnx_error_message(error), nullptr, nullptr);
    tonnx_error_free(error);
    return done ? TONNX_SYMBOLIC_DONE : TONNX_SYMBOLIC_FAIL;
  };
  EXPECT_EQ(tonnx_registry_add(
                registry, "aten::relu", 1, symbolic, attributes,
                [](void* taken) { tonnx_attributes_free(static_cast<tonnx_attributes*>(taken)); }, nullptr),
            TONNX_STATUS_OK);
  const auto program = host::program("torch.relu(x)");
  const auto args = host::args({at::zeros({2})});
  tonnx_model* model = nullptr;
  tonnx_error* error = nullptr;
  EXPECT_EQ(tonnx_program_export(&model, program.get(), args.get(), nullptr, registry, &error), TONNX_STATUS_OK)
      << tonnx_error_message(error);
  tonnx_error_free(error);
  tonnx_registry_free(registry);
  const std::string path =
      (std::filesystem::temp_directory_path() / ("tonnx_attributes_" + std::to_string(::getpid()) + ".onnx")).string();
  EXPECT_EQ(tonnx_model_save(model, path.c_str(), nullptr, nullptr), TONNX_STATUS_OK);
  tonnx_model_free(model);
  std::string text = tonnx::file_text(path, TONNX_TEXT_FULL);
  std::filesystem::remove(path);
  const std::size_t begin = text.find("node {"), end = text.find("\n  }", begin);
  text = text.substr(begin, end - begin);
  // Without the indent, so that expected texts are easy to read.
  std::string flat;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      flat += ' ';
      while (i + 1 < text.size() && text[i + 1] == ' ') ++i;
    } else {
      flat += text[i];
    }
  }
  return flat;
}

}  // namespace

TEST(Attributes, Numbers) {
  EXPECT_THAT(node_text({[](auto* a, auto** e) { return tonnx_attributes_set_int(a, "n", INT64_MIN, e); }}),
              HasSubstr(R"(attribute { name: "n" i: -9223372036854775808 type: INT })"));
  EXPECT_THAT(node_text({[](auto* a, auto** e) { return tonnx_attributes_set_float(a, "f", 0.15625, e); }}),
              HasSubstr(R"(attribute { name: "f" f: 0.15625 type: FLOAT })"));
  EXPECT_THAT(node_text({[](auto* a, auto** e) { return tonnx_attributes_set_int(a, "zero", 0, e); }}),
              HasSubstr(R"(attribute { name: "zero" i: 0 type: INT })"));
  EXPECT_THAT(node_text({[](auto* a, auto** e) { return tonnx_attributes_set_float(a, "zero", 0, e); }}),
              HasSubstr(R"(attribute { name: "zero" f: 0 type: FLOAT })"));
}

TEST(Attributes, Strings) {
  EXPECT_THAT(
      node_text({[](auto* a, auto** e) { return tonnx_attributes_set_string(a, "s", "gr\xc3\xbc\xc3\x9f \"x\"", e); }}),
      HasSubstr(R"(name: "s" s: "gr\303\274\303\237 \"x\"" type: STRING)"));
  EXPECT_THAT(node_text({[](auto* a, auto** e) { return tonnx_attributes_set_string(a, "s", "", e); }}),
              HasSubstr(R"(name: "s" s: "" type: STRING)"));
  const char* texts[] = {"one", "", "two"};
  EXPECT_THAT(node_text({[&](auto* a, auto** e) { return tonnx_attributes_set_strings(a, "t", texts, 3, e); }}),
              HasSubstr(R"(name: "t" strings: "one" strings: "" strings: "two" type: STRINGS)"));
}

TEST(Attributes, Lists) {
  const std::int64_t ints[] = {3, -1, 0};
  const double floats[] = {0.5, -2};
  EXPECT_THAT(node_text({[&](auto* a, auto** e) { return tonnx_attributes_set_ints(a, "i", ints, 3, e); }}),
              HasSubstr(R"(name: "i" ints: 3 ints: -1 ints: 0 type: INTS)"));
  EXPECT_THAT(node_text({[&](auto* a, auto** e) { return tonnx_attributes_set_floats(a, "f", floats, 2, e); }}),
              HasSubstr(R"(name: "f" floats: 0.5 floats: -2 type: FLOATS)"));
}

TEST(Attributes, EmptyListsKeepTheirKind) {
  EXPECT_THAT(node_text({[](auto* a, auto** e) { return tonnx_attributes_set_ints(a, "i", nullptr, 0, e); },
                         [](auto* a, auto** e) { return tonnx_attributes_set_floats(a, "f", nullptr, 0, e); },
                         [](auto* a, auto** e) { return tonnx_attributes_set_strings(a, "s", nullptr, 0, e); },
                         [](auto* a, auto** e) { return tonnx_attributes_set_tensors(a, "t", nullptr, 0, e); }}),
              HasSubstr(R"(attribute { name: "f" type: FLOATS } attribute { name: "i" type: INTS } )"
                        R"(attribute { name: "s" type: STRINGS } attribute { name: "t" type: TENSORS })"));
}

TEST(Attributes, Tensors) {
  const at::Tensor turned = at::arange(4, at::kByte).reshape({2, 2}).t(), half = at::ones({1}, at::kHalf),
                   none = at::zeros({0});
  const auto one = tonnx::Tensor::from_torch(&turned), two = tonnx::Tensor::from_torch(&half),
             empty = tonnx::Tensor::from_torch(&none);
  EXPECT_THAT(node_text({[&](auto* a, auto** e) { return tonnx_attributes_set_tensor(a, "t", one.get(), e); }}),
              HasSubstr(R"(name: "t" t { dims: 2 dims: 2 data_type: 2 raw_data: "\000\002\001\003" } type: TENSOR)"));
  const tonnx_tensor* all[] = {two.get(), empty.get()};
  EXPECT_THAT(node_text({[&](auto* a, auto** e) { return tonnx_attributes_set_tensors(a, "t", all, 2, e); }}),
              HasSubstr(R"(name: "t" tensors { dims: 1 data_type: 10 raw_data: "\000<" } )"
                        R"(tensors { dims: 0 data_type: 1 raw_data: "" } type: TENSORS)"));
}

TEST(Attributes, ATensorOutlivesItsHandle) {
  std::string text = node_text({[](auto* a, auto** e) {
    const at::Tensor t = at::full({2}, 7, at::kChar);
    const auto handle = tonnx::Tensor::from_torch(&t);
    return tonnx_attributes_set_tensor(a, "t", handle.get(), e);
  }});
  EXPECT_THAT(text, HasSubstr(R"(raw_data: "\007\007")"));
}

TEST(Attributes, Types) {
  const std::int64_t dims[] = {2, -1};
  EXPECT_THAT(
      node_text(
          {[&](auto* a, auto** e) { return tonnx_attributes_set_type(a, "t", TONNX_DTYPE_FLOAT16, dims, 2, e); }}),
      HasSubstr(
          R"(name: "t" tp { tensor_type { elem_type: 10 shape { dim { dim_value: 2 } dim { } } } } type: TYPE_PROTO)"));
  EXPECT_THAT(node_text({[](auto* a, auto** e) {
                return tonnx_attributes_set_type(a, "t", TONNX_DTYPE_INT64, nullptr, 0, e);
              }}),
              HasSubstr(R"(tp { tensor_type { elem_type: 7 shape { } } } type: TYPE_PROTO)"));
}

TEST(Attributes, ASecondValueReplacesTheFirst) {
  const std::string text = node_text({[](auto* a, auto** e) { return tonnx_attributes_set_int(a, "n", 1, e); },
                                      [](auto* a, auto** e) { return tonnx_attributes_set_int(a, "m", 2, e); },
                                      [](auto* a, auto** e) { return tonnx_attributes_set_string(a, "n", "new", e); }});
  EXPECT_THAT(text,
              HasSubstr(R"(attribute { name: "m" i: 2 type: INT } attribute { name: "n" s: "new" type: STRING })"));
  EXPECT_THAT(text, Not(HasSubstr("i: 1")));
}

TEST(Attributes, ANonAttributeIsRefused) {
  tonnx_attributes* a = nullptr;
  ASSERT_EQ(tonnx_attributes_new(&a, nullptr), TONNX_STATUS_OK);
  const std::int64_t ints[] = {1}, dims[] = {2};
  const double floats[] = {1};
  const char* const holes[] = {"a", nullptr};
  const tonnx_tensor* const none[] = {nullptr};
  EXPECT_EQ(tonnx_attributes_set_int(nullptr, "n", 1, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_attributes_set_int(a, nullptr, 1, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_attributes_set_int(a, "", 1, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_attributes_set_float(a, nullptr, 1, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_attributes_set_string(a, "s", nullptr, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_attributes_set_tensor(a, "t", nullptr, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_attributes_set_ints(a, "i", nullptr, 1, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_attributes_set_ints(a, nullptr, ints, 1, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_attributes_set_floats(a, "", floats, 1, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_attributes_set_strings(a, "s", holes, 2, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_attributes_set_tensors(a, "t", none, 1, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_attributes_set_type(a, "t", TONNX_DTYPE_FLOAT32, nullptr, 1, nullptr), TONNX_STATUS_ARGUMENT);
  for (const tonnx_dtype dtype : {TONNX_DTYPE_UNDEFINED + 0, TONNX_DTYPE_COMPLEX32 + 0, 1000, -1})
    EXPECT_EQ(tonnx_attributes_set_type(a, "t", dtype, dims, 1, nullptr), TONNX_STATUS_ARGUMENT) << dtype;
  tonnx_attributes_free(a);
}
