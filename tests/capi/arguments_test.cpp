#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "symbolic_host.h"

// Arguments that a symbolic reads, and results that it returns.
using host::failure;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tonnx::Attributes;
using tonnx::Graph;
using tonnx::Node;
using tonnx::Value;

namespace {

tonnx::Model exported(const std::string& body, const std::string& op, const tonnx::Symbolic& symbolic) {
  tonnx::Registry registry;
  registry.add(op, 9, symbolic);
  return tonnx::export_program(host::compiled(body), host::example(), {}, registry);
}

}  // namespace

TEST(Arguments, F178_AnUnusedOutputNeedsNoValue) {
  const auto values_only = [](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> host::Results {
    EXPECT_EQ(node.output_count(), 2u);
    return std::vector<Value>{
        graph.op("ReduceMax", {inputs[0]}, Attributes().set_ints("axes", {1}).set_int("keepdims", 0)), Value()};
  };
  const auto model = exported("torch.max(x, 1)[0]", "aten::max.dim", values_only);
  EXPECT_THAT(model.text(), HasSubstr("onnx::ReduceMax"));
  model.verify(host::compiled("torch.max(x, 1)[0]"), host::example());
  EXPECT_THAT(failure([&] { exported("torch.max(x, 1)[1]", "aten::max.dim", values_only); }),
              host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("returned no value for output 1, which is used")));
}

TEST(Arguments, F179_F180_HaveThePlacesAndNamesOfTheSchema) {
  exported("torch.elu(x, 0.5, 2.0)", "aten::elu",
           [](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> host::Results {
             EXPECT_EQ(node.argument_index("self"), 0);
             EXPECT_EQ(node.argument_index("scale"), 2);
             EXPECT_EQ(node.argument_index("nothing"), -1);
             EXPECT_EQ(inputs[static_cast<std::size_t>(node.argument_index("scale"))].to_float(), 2.0);
             return std::vector<Value>{graph.op("Elu", {inputs[0]})};
           });
}

TEST(Arguments, F186_F190_ConstantsAndAbsentInputs) {
  const auto model = exported(
      "torch.clamp(x, None, 1.0) + 1", "aten::clamp",
      [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
        EXPECT_TRUE(inputs[1].is_none());
        EXPECT_EQ(inputs[2].to_float(), 1.0);
        const float one = 1;
        const Value made = graph.constant(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {}, &one, sizeof one));
        EXPECT_TRUE(made.is_constant());
        EXPECT_EQ(made.to_float(), 1.0);
        // A constant argument becomes a constant of the model, here with the dtype of another value.
        return std::vector<Value>{graph.op("Clip", {inputs[0], Value(), graph.cast(inputs[2], inputs[0].dtype())})};
      });
  EXPECT_THAT(model.text(), HasSubstr("onnx::Clip(%x, none, %"));
  model.verify(host::compiled("torch.clamp(x, None, 1.0) + 1"), host::example());
}

TEST(Arguments, F180_TensorsComeFirstForOldSymbolics) {
  std::vector<std::size_t> order, of_where, of_index;
  const auto note = [](std::vector<std::size_t>& into) {
    return [&into](Graph&, const Node& node, const std::vector<Value>&) -> host::Results {
      into = node.tensors_first();
      return std::nullopt;
    };
  };
  // (Tensor self, int dim, Tensor index, Tensor src): two tensors follow a number.
  exported("torch.scatter(x, 1, torch.zeros([2, 3], dtype=torch.long), x)", "aten::scatter.src", note(order));
  EXPECT_THAT(order, ElementsAre(0, 2, 3, 1));
  exported("torch.where(x > 0, x, x)", "aten::where.self", note(of_where));
  EXPECT_THAT(of_where, ElementsAre(0, 1, 2));
  // (Tensor self, Tensor?[] indices, Tensor values, bool accumulate): a list of tensors, with None, is among them.
  exported("torch.index_put(x, [None, torch.tensor([1])], torch.zeros([2, 1]))", "aten::index_put", note(of_index));
  EXPECT_THAT(of_index, ElementsAre(0, 1, 2, 3));
}

namespace {

// The error of an export whose symbolic for an operator has this description of its arguments; it is not called.
tonnx::Error refused(const std::string& body, const std::string& op, const std::string& kinds) {
  tonnx::Registry registry;
  registry.add(op, 9, [](Graph&, const Node& node, const std::vector<Value>&) -> host::Results {
    ADD_FAILURE() << node.op() << " was called";
    return std::nullopt;
  });
  registry.set_arguments(op, 9, kinds);
  return failure([&] { tonnx::export_program(host::compiled(body), host::example(), {}, registry); });
}

}  // namespace

TEST(Arguments, F191_ADescriptorChecksAndTheGettersConvert) {
  int calls = 0;
  tonnx::Registry registry;
  // aten::elu(Tensor self, Scalar alpha, Scalar scale, Scalar input_scale): ints where floats are meant.
  registry.add("aten::elu", 9, [&](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
    ++calls;
    EXPECT_EQ(inputs[1].to_float(), 2.0);
    EXPECT_EQ(inputs[2].to_tensor().dims().size(), 0U);
    return std::vector<Value>{graph.op("Elu", {inputs[0]}, Attributes().set_suffixed("alpha_f", inputs[1]))};
  });
  registry.set_arguments("aten::elu", 9, " v, f,t ,none");
  const auto model = tonnx::export_program(host::compiled("torch.elu(x, 2)"), host::example(), {}, registry);
  EXPECT_THAT(model.text(), HasSubstr("onnx::Elu[alpha=2.]"));
  EXPECT_GT(calls, 0);
  model.verify(host::compiled("torch.elu(x, 2)"), host::example());

  // None fits every kind, a list of ints is one, and so is a bool.
  calls = 0;
  registry.add("aten::sum.dim_IntList", 9, [&](Graph&, const Node&, const std::vector<Value>& inputs) -> host::Results {
    ++calls;
    EXPECT_THAT(inputs[1].to_ints(), ElementsAre(0, -1));
    EXPECT_EQ(inputs[2].to_int(), 1);
    EXPECT_TRUE(inputs[3].is_none());
    return std::nullopt;
  });
  registry.set_arguments("aten::sum.dim_IntList", 9, "v,is,b,i");
  tonnx::export_program(host::compiled("torch.sum(x, [0, -1], True)"), host::example(), {}, registry);
  EXPECT_GT(calls, 0);
  // More kinds than arguments are those of other overloads.
  registry.set_arguments("aten::sum.dim_IntList", 9, "v,is,i,none,s,ss,fs");
  tonnx::export_program(host::compiled("torch.sum(x, [0, -1], True)"), host::example(), {}, registry);
}

TEST(Arguments, F192_AnArgumentThatDoesNotFitIsNamed) {
  EXPECT_THAT(refused("torch.elu(x, 0.5)", "aten::elu", "v,i,none,none"),
              host::is_error(TONNX_STATUS_CALLBACK,
                             AllOf(HasSubstr("argument 'alpha' of aten::elu is not an int: it is 0.5 of type float"),
                                   HasSubstr("in aten::elu(self: Float(2, 3), alpha: float = 0.5, scale: int = 1, "
                                             "input_scale: int = 1) -> Float(2, 3)"),
                                   HasSubstr("its kind is 'i'"))));
  // An argument that the inputs determine.
  EXPECT_THAT(refused("torch.mul(x, float(x.sum()))", "aten::mul.Scalar", "v,f"),
              host::is_error(TONNX_STATUS_CALLBACK, AllOf(HasSubstr("argument 'other' of aten::mul is not a constant"),
                                                          HasSubstr("other: float"))));
  EXPECT_THAT(refused("torch.reshape(x, [int(x.sum()), -1])", "aten::reshape", "v,is"),
              host::is_error(TONNX_STATUS_CALLBACK,
                             AllOf(HasSubstr("argument 'shape' of aten::reshape"), HasSubstr("(item 0 of the list)"))));
  EXPECT_THAT(refused("torch.relu(x) + x", "aten::add.Tensor", "v,t,f"),
              host::is_error(TONNX_STATUS_CALLBACK, HasSubstr("argument 'other' of aten::add is not a constant")));
  for (const char* kinds : {"v,s,none,none", "v,b,none,none", "v,is,none,none", "v,ss,none,none"})
    EXPECT_THAT(refused("torch.elu(x, 0.5)", "aten::elu", kinds),
                host::is_error(TONNX_STATUS_CALLBACK, HasSubstr("argument 'alpha' of aten::elu is not a")))
        << kinds;
  EXPECT_THAT(refused("torch.elu(x, 0.5)", "aten::elu", "v,f"),
              host::is_error(TONNX_STATUS_CALLBACK, AllOf(HasSubstr("it describes 2 arguments, but the operator has 4"),
                                                          HasSubstr("input_scale: int = 1"))));
}

TEST(Arguments, F191_ADescriptorBelongsToARegistration) {
  tonnx::Registry registry;
  const auto declines = [](Graph&, const Node&, const std::vector<Value>&) -> host::Results { return std::nullopt; };
  registry.add("aten::elu", 9, declines);
  const auto describe = [&](const std::string& name, std::int32_t since, const std::string& kinds) {
    return failure([&] { registry.set_arguments(name, since, kinds); });
  };
  EXPECT_THAT(describe("aten::elu", 10, "v"), host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("no symbolic")));
  EXPECT_THAT(describe("aten::relu", 9, "v"), host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("no symbolic")));
  for (const char* kinds : {"v,x", "v,", ",v", "vi", "I", "v;i"})
    EXPECT_THAT(describe("aten::elu", 9, kinds),
                host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("is not a kind of argument")))
        << kinds;
  const auto fails = [&] {
    return failure([&] { tonnx::export_program(host::compiled("torch.elu(x)"), host::example(), {}, registry); })
        .status();
  };
  EXPECT_EQ(fails(), TONNX_STATUS_OK);
  registry.set_arguments("aten::elu", 9, "");
  EXPECT_EQ(fails(), TONNX_STATUS_CALLBACK);
  registry.set_arguments("aten::elu", 9, "v,f,f,f");  // replaces the description
  EXPECT_EQ(fails(), TONNX_STATUS_OK);
  registry.set_arguments("aten::elu", 9, "v");
  registry.add("aten::elu", 9, declines);  // a new symbolic has none
  EXPECT_EQ(fails(), TONNX_STATUS_OK);
}

TEST(Arguments, F184_F185_AttributesFromValuesBySuffix) {
  const auto model_of = [](const std::string& body, const std::string& op, const auto& set) {
    tonnx::Registry registry;
    registry.add(op, 9, [&](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> host::Results {
      Attributes attributes;
      set(attributes, node, inputs);
      Value made = graph.op("my::Op", {inputs[0]}, attributes);
      made.copy_type(node.output());
      return std::vector<Value>{made};
    });
    tonnx::Options options;
    options.custom_opset("my", 1);
    return tonnx::export_program(host::compiled(body), host::example(), options, registry).contents();
  };
  const auto elu =
      model_of("torch.elu(x, 0.5, 2)", "aten::elu", [](auto& attributes, const auto& node, const auto& inputs) {
        attributes.set_suffixed("alpha_f", inputs[1])
            .set_suffixed("scale_i", inputs[2])
            .set_suffixed("scale_f_f", inputs[2]);
        attributes.set_suffixed("alpha_t", inputs[1]);  // replaces the float
        attributes.set_suffixed("shape_ty", node.output()).set_suffixed("left_i", Value());
        EXPECT_THAT(failure([&] { attributes.set_suffixed("alpha_i", inputs[1]); }),
                    host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("argument 'alpha' of aten::elu is not an int")));
        EXPECT_THAT(failure([&] { attributes.set_suffixed("self_f", inputs[0]); }),
                    host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("is not a constant")));
        for (const char* name : {"alpha", "alpha_x", "_f", "f", "alpha_", "alpha_is"})
          EXPECT_THAT(failure([&] { attributes.set_suffixed(name, inputs[1]); }),
                      host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("as in 'dim_i' or 'dims_i'")))
              << name;
        EXPECT_THAT(failure([&] { attributes.set_suffixed("body_g", inputs[1]); }),
                    host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("tonnx_attributes_set_graph")));
      });
  const Node node = elu.graph().nodes().at(0);
  std::vector<std::string> names;
  for (const Value& attribute : node.attributes()) names.push_back(attribute.name());
  EXPECT_THAT(names, ElementsAre("alpha", "scale", "scale_f", "shape"));
  EXPECT_EQ(node.attribute("alpha").kind(), TONNX_KIND_TENSOR);
  EXPECT_EQ(node.attribute("alpha").to_float(), 0.5);
  EXPECT_EQ(node.attribute("scale").to_int(), 2);
  EXPECT_EQ(node.attribute("scale_f").kind(), TONNX_KIND_FLOAT);
  EXPECT_EQ(node.attribute("shape").dtype(), TONNX_DTYPE_FLOAT32);
  EXPECT_EQ(node.attribute("shape").dim(1), 3);

  const auto sum = model_of("torch.sum(x, [0, -1], True)", "aten::sum.dim_IntList",
                            [](auto& attributes, const auto&, const auto& inputs) {
                              attributes.set_suffixed("dims_i", inputs[1]).set_suffixed("dims_f_f", inputs[1]);
                              attributes.set_suffixed("keep_i", inputs[2]).set_suffixed("dtype_i", inputs[3]);
                            });
  const Node reduced = sum.graph().nodes().at(0);
  EXPECT_EQ(reduced.attributes().size(), 3U);  // None sets nothing
  EXPECT_THAT(reduced.attribute("dims").to_ints(), ElementsAre(0, -1));
  EXPECT_THAT(reduced.attribute("dims_f").to_floats(), ElementsAre(0, -1));
  EXPECT_EQ(reduced.attribute("keep").to_int(), 1);
  const auto div =
      model_of("torch.div(x, x, rounding_mode='floor')", "aten::div.Tensor_mode",
               [](auto& attributes, const auto&, const auto& inputs) { attributes.set_suffixed("mode_s", inputs[2]); });
  EXPECT_EQ(div.graph().nodes().at(0).attribute("mode").to_string(), "floor");

  // An empty list is an empty list of each kind.
  const auto whole =
      model_of("torch.sum(x, [])", "aten::sum.dim_IntList", [](auto& attributes, const auto&, const auto& inputs) {
        attributes.set_suffixed("a_i", inputs[1]).set_suffixed("b_f", inputs[1]);
        attributes.set_suffixed("c_s", inputs[1]).set_suffixed("d_t", inputs[1]);
      });
  const Node all = whole.graph().nodes().at(0);
  EXPECT_THAT(all.attribute("a").to_ints(), IsEmpty());
  EXPECT_THAT(all.attribute("b").to_floats(), IsEmpty());
  EXPECT_THAT(all.attribute("c").to_strings(), IsEmpty());
  EXPECT_THAT(all.attribute("d").to_list(), IsEmpty());
  EXPECT_EQ(all.attribute("c").type(), "str[]");
  EXPECT_EQ(all.attribute("d").kind(), TONNX_KIND_TENSOR_LIST);
}

TEST(Arguments, F190_NumbersAreReadAsTheyAreMeant) {
  int calls = 0;
  exported("torch.constant_pad_nd(x, [1, 2], 0.5)", "aten::constant_pad_nd",
           [&](Graph&, const Node&, const std::vector<Value>& inputs) -> host::Results {
             ++calls;
             EXPECT_THAT(inputs[1].to_ints(), ElementsAre(1, 2));
             EXPECT_THAT(inputs[1].to_floats(), ElementsAre(1.0, 2.0));
             EXPECT_THAT(inputs[2].to_floats(), ElementsAre(0.5));  // a single number is a list of one
             EXPECT_EQ(failure([&] { inputs[2].to_ints(); }).status(), TONNX_STATUS_ARGUMENT);
             EXPECT_EQ(inputs[2].to_tensor().dtype(), TONNX_DTYPE_FLOAT64);
             return std::nullopt;
           });
  // The elements of a tensor of floats are not ints.
  exported("torch.clamp(x, torch.tensor([0.5, 1.5, 2.5]))", "aten::clamp.Tensor",
           [&](Graph&, const Node&, const std::vector<Value>& inputs) -> host::Results {
             ++calls;
             EXPECT_TRUE(inputs[1].is_constant());
             EXPECT_EQ(failure([&] { inputs[1].to_ints(); }).status(), TONNX_STATUS_ARGUMENT);
             EXPECT_EQ(failure([&] { inputs[1].to_int(); }).status(), TONNX_STATUS_ARGUMENT);
             return std::nullopt;
           });
  EXPECT_EQ(calls, 2);
}
