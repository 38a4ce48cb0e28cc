#include <gmock/gmock.h>
#include <torch/torch.h>

#include "host.h"
#include "tonnx/torch.hpp"

// Writes of a program to what outlives its call: each is reported, and its new value can be an output.
using host::args;
using host::attributes;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;
using tonnx::Args;
using tonnx::Model;
using tonnx::Options;
using tonnx::Program;

namespace {

Program script(const std::string& body, const std::string& parameters = "x") {
  return Program::compile("def forward(self, " + parameters + "):\n" + body,
                          attributes({{"n", at::zeros({2})},
                                      {"m", at::ones({2})},
                                      {"cache", at::arange(8.0).view({4, 2})},
                                      {"count", at::zeros({}, at::kLong)},
                                      {"low", -at::ones({1})},
                                      {"high", at::ones({1})},
                                      {"scale", at::ones({1})},
                                      {"zero", at::zeros({1}, at::kInt)}}),
                          "net.py");
}

at::Tensor three_by_two() { return at::arange(6.0).view({3, 2}); }

Model verified_twice(const Program& program, const Args& inputs, const Options& options) {
  Model model = tonnx::export_program(program, inputs, options);
  for (int i = 0; i < 2; ++i) model.verify(program, inputs);
  return model;
}

struct Case {
  std::string name;
  std::string body;
  std::vector<std::string> outputs;       // that hold state
  std::vector<std::string> writers = {};  // "OP (net.py:LINE)" of each
};

const std::vector<Case> kScripts = {
    {"buffer", "    self.n.add_(1)\n    return x * self.n\n", {"n_written"}, {"aten::add_ (net.py:2)"}},
    {"number", "    self.count += 1\n    return x * self.count\n", {"count_written"}, {"aten::add_ (net.py:2)"}},
    {"unread", "    y = x * 2\n    self.n.copy_(y[0])\n    return y\n", {"n_written"}, {"aten::copy_ (net.py:3)"}},
    {"index",
     "    self.cache[1] = x[0]\n    return self.cache + x[0]\n",
     {"cache_written"},
     {"aten::copy_ (net.py:2)"}},
    {"slice", "    self.cache[:3].mul_(x)\n    return x\n", {"cache_written"}, {"aten::mul_ (net.py:2)"}},
    {"indices",
     "    self.cache[self.count + torch.tensor([0, 2])] = x[:2]\n    return self.cache * 1\n",
     {"cache_written"},
     {"aten::index_put_ (net.py:2)"}},
    {"out", "    torch.add(x[0], x[1], out=self.n)\n    return x + self.n\n", {"n_written"}, {"aten::add (net.py:2)"}},
    {"view",
     "    v = self.cache.view(-1)\n    v[2:].zero_()\n    return v + 1\n",
     {"cache_written"},
     {"aten::zero_ (net.py:3)"}},
    {"detached", "    self.n.detach().add_(x[0])\n    return x\n", {"n_written"}, {"aten::add_ (net.py:2)"}},
    {"input", "    x.add_(1)\n    return x * 2\n", {"x_written"}, {"aten::add_ (net.py:2)"}},
    {"input by relu", "    return torch.relu_(x) + self.n\n", {"x_written"}, {"aten::relu_ (net.py:2)"}},
    {"two",
     "    self.n.add_(1)\n    self.m.sub_(x[0])\n    return x\n",
     {"n_written", "m_written"},
     {"aten::add_ (net.py:2)", "aten::sub_ (net.py:3)"}},
    {"branch",
     "    if bool(x.sum() > 0):\n        self.n.add_(x[0])\n    return x + self.n\n",
     {"n_written"},
     {"aten::add_ (net.py:3)"}},
    {"loop",
     "    for i in range(x.size(0)):\n        self.n.add_(x[i])\n    return x\n",
     {"n_written"},
     {"aten::add_ (net.py:3)"}},
    {"rows in a loop",
     "    for i in range(3):\n        self.cache[i] = x[i]\n    return x\n",
     {"cache_written"},
     {"aten::copy_ (net.py:3)"}},
    {"chosen",
     "    t = self.n if bool(x.sum() > 0) else self.m\n    t.add_(x[0])\n    return x + t\n",
     {"n_written", "m_written"}},
    {"reshaped", "    self.cache.reshape(2, 4).add_(1)\n    return x\n", {"cache_written"}, {"aten::add_ (net.py:2)"}},
    {"renormalised",
     "    torch.embedding_renorm_(self.cache, torch.tensor([1, 3]), 1.0, 2.0)\n    return x + self.cache[3]\n",
     {"cache_written"},
     {"aten::embedding_renorm_ (net.py:2)"}},
    {"statistics",
     "    return torch.batch_norm(x, None, None, self.n, self.m, True, 0.1, 1e-5, False)\n",
     {"n_written", "m_written"},
     {"aten::batch_norm (net.py:2)"}},
    {"statistics of instances",
     "    return torch.instance_norm(x.view(1, 2, 3), None, None, self.n, self.m, True, 0.1, 1e-5, False)\n",
     {"n_written", "m_written"},
     {"aten::instance_norm (net.py:2)"}},
    {"observer",
     "    y = torch.fused_moving_avg_obs_fake_quant(x, torch.ones(1), torch.ones(1), self.low, self.high, self.scale, "
     "self.zero, 0.1, 0, 127, -1)\n    return y + self.scale\n",
     {"low_written", "high_written", "scale_written", "zero_written"},
     {"aten::fused_moving_avg_obs_fake_quant (net.py:2)"}},
    {"statistics that are read",
     "    y = torch.batch_norm(x, None, None, self.n, self.m, True, 0.1, 1e-5, False)\n    return y + self.n * 1\n",
     {"n_written", "m_written"},
     {"aten::batch_norm (net.py:2)"}},
};

}  // namespace

TEST(State, F140_EachWriteOfAScriptIsReported) {
  for (const Case& each : kScripts) {
    SCOPED_TRACE(each.name);
    const std::vector<std::string> warnings =
        verified_twice(script(each.body), args({three_by_two()}), Options()).warnings();
    for (const std::string& output : each.outputs)
      EXPECT_THAT(warnings, Contains(HasSubstr("'" + output.substr(0, output.rfind('_')) + "'")));
    for (const std::string& writer : each.writers) EXPECT_THAT(warnings, Contains(HasSubstr(writer)));
  }
}

TEST(State, NewValuesOfAScriptAreOutputs) {
  for (const Case& each : kScripts) {
    SCOPED_TRACE(each.name);
    // A recording has one path of a branch that data decide, and no number that an attribute is set to.
    const bool is_recordable =
        std::string(each.body).find("if bool(") == std::string::npos && each.outputs[0] != "count_written";
    for (const std::int32_t mode : {TONNX_MODE_SCRIPT, TONNX_MODE_TRACE}) {
      if (mode == TONNX_MODE_TRACE && !is_recordable) continue;
      const Model model =
          verified_twice(script(each.body), args({three_by_two()}), Options().written_outputs(true).mode(mode));
      std::vector<std::string> names = model.output_names();
      names.erase(names.begin());
      EXPECT_THAT(model.warnings(), Not(Contains(HasSubstr("writes to"))));
      EXPECT_EQ(names, each.outputs);
    }
  }
}

TEST(State, SizesThatAreOpen) {
  const Program program = script("    self.n.add_(x.sum(0))\n    x.mul_(self.n)\n    return x + 1\n");
  const Model model =
      verified_twice(program, args({three_by_two()}), Options().written_outputs(true).dynamic_axis("x", 0, "rows"));
  EXPECT_THAT(model.output_names(), ElementsAre("output_0", "n_written", "x_written"));
}

TEST(State, AttributesThatAreSet) {
  const Program program = script("    self.n = self.n + x[0]\n    self.m.add_(1)\n    return x * self.n\n");
  EXPECT_THAT(verified_twice(program, args({three_by_two()}), Options()).warnings(),
              ElementsAre(AllOf(HasSubstr("attribute 'n'"), HasSubstr("net.py:2")),
                          AllOf(HasSubstr("'m'"), HasSubstr("net.py:3"))));
  const Model model = verified_twice(program, args({three_by_two()}), Options().written_outputs(true));
  EXPECT_THAT(model.output_names(), ElementsAre("output_0", "n_written", "m_written"));
  EXPECT_THAT(model.warnings(), IsEmpty());
}

TEST(State, AnAttributeThatABranchSets) {
  const Program program =
      script("    if bool(x.sum() > 100):\n        self.n = self.n + x[0]\n    return x * self.n\n");
  EXPECT_THAT(verified_twice(program, args({three_by_two()}), Options().written_outputs(true)).output_names(),
              ElementsAre("output_0", "n_written"));
}

TEST(State, F86_ContainersOfTheCaller) {
  const Program program =
      script("    xs.append(xs[0] + 1)\n    xs[0].mul_(2)\n    return xs[0] + xs[1]\n", "xs: List[Tensor]");
  const auto inputs = [&](tonnx::Args& all) {
    const at::Tensor x = three_by_two(), y = x + 1;
    all.begin_list().add(tonnx::Tensor::from_torch(&x)).add(tonnx::Tensor::from_torch(&y)).end();
  };
  Args given;
  inputs(given);
  const std::vector<std::string> warnings = verified_twice(program, given, Options()).warnings();
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("argument 'xs'"), HasSubstr("aten::append"), HasSubstr("net.py:2"))));
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("input 'xs.0'"), HasSubstr("aten::mul_"), HasSubstr("net.py:3"))));
}

TEST(State, WhatTheCallMakesIsNone) {
  for (const char* body :
       {"    y = x * 2\n    y.add_(self.n)\n    return y\n", "    y = self.n.clone()\n    y += x[0]\n    return y\n",
        "    y = torch.zeros(3, 2)\n    for i in range(3):\n        y[i] = x[i]\n    return y\n",
        "    y = torch.tensor([1.0, 2.0])\n    y.mul_(x[0])\n    return y\n",
        "    h = x\n    for i in range(int(x.size(0))):\n        h = h + 1\n        h.relu_()\n    return h\n",
        "    y = x.reshape(-1) + 1\n    y.add_(1)\n    return y\n",
        "    y = x.contiguous() * 2\n    return y.zero_()\n",
        "    ys = [x * 1, x * 2]\n    for y in ys:\n        y.add_(1)\n    return ys[0] + ys[1]\n",
        "    return torch.batch_norm(x, None, None, self.n, self.m, False, 0.1, 1e-5, False)\n"}) {
    SCOPED_TRACE(body);
    EXPECT_THAT(verified_twice(script(body), args({three_by_two()}), Options()).warnings(), IsEmpty());
    const Model model = verified_twice(script(body), args({three_by_two()}), Options().written_outputs(true));
    EXPECT_EQ(model.output_names().size(), 1U);
    EXPECT_THAT(model.warnings(), IsEmpty());
  }
}

TEST(State, ATensorThatMayBeWrittenToIsReported) {
  const Program program = script("    y = x.t().reshape(-1, 2)\n    y.add_(1)\n    return y\n");
  const at::Tensor x = at::arange(2.0).view({1, 2});
  const std::vector<std::string> warnings =
      verified_twice(program, args({x}), Options().dynamic_axis("x", 0, "rows")).warnings();
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("write"), HasSubstr("input 'x'"))));
}

TEST(State, NormalisationOfAModuleInTraining) {
  torch::nn::Sequential net(torch::nn::Conv2d(3, 12, 1), torch::nn::BatchNorm2d(12));
  const at::Tensor x = at::randn({2, 3, 4, 4});
  net->eval();
  EXPECT_THAT(tonnx::export_program(tonnx::trace(net, {x}), Args()).warnings(), IsEmpty());
  net->train();
  const at::Tensor before = net->ptr(1)->as<torch::nn::BatchNorm2d>()->running_mean.clone();
  const Program program = tonnx::trace(net, {x});
  EXPECT_THAT(
      verified_twice(program, Args(), Options().training(TONNX_TRAINING_TRAIN)).warnings(),
      UnorderedElementsAre(AllOf(HasSubstr("'1.num_batches_tracked'"), HasSubstr("aten::add_")),
                           AllOf(HasSubstr("'1.running_mean', '1.running_var'"), HasSubstr("aten::batch_norm"))));
  const Model model = verified_twice(program, Args(), Options().training(TONNX_TRAINING_TRAIN).written_outputs(true));
  EXPECT_THAT(model.output_names(), testing::UnorderedElementsAre("output_0", "1.num_batches_tracked_written",
                                                                  "1.running_mean_written", "1.running_var_written"));
  // The host's code ran once.
  const at::Tensor mean =
      at::conv2d(x, net->ptr(0)->as<torch::nn::Conv2d>()->weight, net->ptr(0)->as<torch::nn::Conv2d>()->bias)
          .mean({0, 2, 3});
  EXPECT_TRUE(
      at::allclose(net->ptr(1)->as<torch::nn::BatchNorm2d>()->running_mean, before * 0.9 + mean * 0.1, 1e-4, 1e-5));
}

TEST(State, WritesOfATrace) {
  at::Tensor declared = at::zeros({2}), captured = at::zeros({2}), counter = at::zeros({}, at::kLong);
  const auto code = [&](tonnx::Trace& trace, const std::vector<at::Tensor>& x) {
    trace.weight("state", &declared);
    declared.add_(x[0][0]);
    captured.view({1, 2})[0].sub_(x[0][1]);
    counter.add_(1);
    x[0].mul_(2);
    return x[0] + declared + captured * counter;
  };
  const std::vector<std::string> warnings =
      verified_twice(tonnx::trace(code, {three_by_two()}), Args(), Options()).warnings();
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("'state'"), HasSubstr("aten::add_"))));
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("'constant_0'"), HasSubstr("aten::sub_"))));
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("'constant_1'"), HasSubstr("aten::add_"))));
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("input 'input'"), HasSubstr("aten::mul_"))));
  EXPECT_THAT(
      verified_twice(tonnx::trace(code, {three_by_two()}), Args(), Options().written_outputs(true)).output_names(),
      ElementsAre("output_0", "state_written", "constant_0_written", "constant_1_written", "input_written"));
}

TEST(State, EachNameOfAnAliasInATrace) {
  const at::Tensor cache = at::arange(8.0).view({4, 2});
  const auto code = [&](tonnx::Trace& trace, const std::vector<at::Tensor>& x) {
    trace.weight("cache", &cache);
    trace.weight("again", &cache);
    cache.add_(x[0][0]);
    return x[0] + cache[1];
  };
  const std::vector<std::string> warnings =
      verified_twice(tonnx::trace(code, {three_by_two()}), Args(), Options()).warnings();
  EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr("'cache', 'again'"), HasSubstr("aten::add_"))));
  EXPECT_THAT(
      verified_twice(tonnx::trace(code, {three_by_two()}), Args(), Options().written_outputs(true)).output_names(),
      ElementsAre("output_0", "cache_written", "again_written"));
}

TEST(State, EachNameOfAnAliasInAModule) {
  const auto made = [](const std::string& body) {
    torch::jit::Module module("m");
    const at::Tensor cache = at::arange(12.0).view({4, 3});
    module.register_buffer("cache", cache);
    module.register_buffer("again", cache);
    module.register_buffer("row", cache[1]);
    module.register_buffer("column", cache.select(1, 2).unsqueeze(1));
    module.register_buffer("turned", cache.narrow(0, 1, 2).t());
    module.register_buffer("other", at::ones({3}));
    module.define("def forward(self, x):\n" + body);
    return tonnx::program(module);
  };
  const auto names = testing::UnorderedElementsAre("output_0", "cache_written", "again_written", "row_written",
                                                   "column_written", "turned_written");
  for (const char* body : {"    self.cache.add_(x[0, 0])\n    return x * self.row + self.column[:3]\n",
                           "    self.row.add_(x[0])\n    return self.cache[:3] + x * self.turned.sum()\n",
                           "    self.turned.mul_(x[:, :2])\n    return self.cache * 1\n",
                           "    self.again[1:].sub_(x)\n    return x * 1\n"}) {
    const Program program = made(body);
    const Args inputs = args({at::arange(9.0).view({3, 3})});
    std::string warnings;
    for (const std::string& warning : verified_twice(program, inputs, Options()).warnings()) warnings += warning;
    for (const char* name : {"'cache'", "'again'", "'row'", "'column'", "'turned'"})
      EXPECT_THAT(warnings, HasSubstr(name)) << body;
    EXPECT_THAT(verified_twice(program, inputs, Options().written_outputs(true)).output_names(), names) << body;
  }
  const Program unaffected = made("    self.other.add_(x[0])\n    return self.row + x\n");
  EXPECT_THAT(verified_twice(unaffected, args({at::ones({3, 3})}), Options().written_outputs(true)).output_names(),
              ElementsAre("output_0", "other_written"));
}

TEST(State, WhatATracedCallMakesIsNone) {
  const auto code = [](tonnx::Trace&, const std::vector<at::Tensor>& x) {
    float own[] = {1, 2};
    at::Tensor made = at::from_blob(own, {2}).clone(), listed = torch::tensor({3.0F, 4.0F});
    made.add_(x[0][0]);
    listed.mul_(x[0][1]);
    at::Tensor filled = at::zeros({2});
    filled.copy_(x[0][2]);
    return made + listed + filled;
  };
  EXPECT_THAT(verified_twice(tonnx::trace(code, {three_by_two()}), Args(), Options()).warnings(), IsEmpty());
}
