#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_text.h"
#include "ir/error.h"
#include "program/pass_driver.h"
#include "program/pass_table.h"
#include "program/pipeline.h"

namespace tonnx::program {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kChain = R"(
graph(%x : Float(3))
%y = aten::relu(%x)
%z = aten::relu(%y)
%d = aten::neg(%y)
return %z)";

std::vector<std::string> ran;
int left = 0;

bool note(const char* name, bool changed) {
  ran.push_back(name);
  return changed;
}

const Pass kFirst{.name = "first", .run = [](PassContext&) { return note("first", false); }};
const Pass kSecond{.name = "second", .run = [](PassContext&) { return note("second", true); }};
const Pass kThird{.name = "third", .run = [](PassContext&) { return note("third", true); }, .invalidates_facts = true};
const Pass kSome{.name = "some", .run = [](PassContext&) { return note("some", left-- > 0); }};
const Pass kInfer{.name = "infer", .run = [](PassContext&) { return note("infer", true); }, .infers_facts = true};
const Pass kReads{.name = "reads", .run = [](PassContext&) { return note("reads", false); }, .needs_facts = true};
const Pass kWrites{.name = "writes",
                   .run = [](PassContext&) { return note("writes", false); },
                   .treats = Feature::Writes | Feature::ControlFlow};
const Pass kPure{.name = "pure", .run = [](PassContext&) { return note("pure", false); }, .needs_no_writes = true};
const Pass kDropLast{.name = "drop_last", .run = [](PassContext& c) {
                       ir::Node* last = nullptr;
                       ir::for_each_node(c.graph.block(), [&](ir::Node* node) { last = node; });
                       if (!last || !last->output()->is_unused()) return false;
                       last->erase();
                       return true;
                     }};
// Invalid: moves the last node before its operands.
const Pass kBreak{.name = "break", .run = [](PassContext& c) {
                    ir::Node* last = nullptr;
                    ir::for_each_node(c.graph.block(), [&](ir::Node* node) { last = node; });
                    last->move_before(c.graph.block().first());
                    return true;
                  }};
const Pass kHide{.name = "hide", .run = [](PassContext& c) {
                   ir::Node* node = c.graph.create("prim::TupleConstruct", {}, 1);
                   node->output()->set_type(ir::Type::of(ir::Type::Kind::Tuple));
                   c.graph.block().append(node);
                   return false;
                 }};

Step step(const Pass& pass) { return {.kind = Step::Kind::Pass, .name = pass.name, .pass = &pass}; }

struct Driven {
  bool changed;
  std::vector<std::string> order;
  PassStatistics statistics;
  std::vector<std::string> warnings;
};

Driven drive(const Step& steps, Progress progress = Progress::Changes, PassOptions options = {},
             const char* program = kChain) {
  ran.clear();
  const auto graph = test::parse(program);
  Driven driven;
  PassContext context{.graph = *graph, .warnings = &driven.warnings};
  driven.changed = PassDriver(context, std::move(options), &driven.statistics).run(steps, progress);
  driven.order = ran;
  return driven;
}

std::string error_of(const Step& steps, PassOptions options = {}) {
  try {
    drive(steps, Progress::Changes, std::move(options));
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "no error";
}

PassOptions verifying() {
  PassOptions options;
  options.verify = true;
  return options;
}

TEST(PassDriver, GroupsDecideTheOrder) {
  EXPECT_THAT(drive(sequence("s", {step(kFirst), step(kSecond), step(kThird)})).order,
              ElementsAre("first", "second", "third"));
  EXPECT_THAT(drive(first_change("f", Progress::Changes, {step(kFirst), step(kSecond), step(kThird)})).order,
              ElementsAre("first", "second"));
  EXPECT_THAT(drive(first_change("f", Progress::InvalidFacts, {step(kSecond), step(kThird), step(kFirst)})).order,
              ElementsAre("second", "third"));
  EXPECT_THAT(drive(if_changed(Progress::Changes, {step(kFirst), step(kSecond)})).order, ElementsAre("first"));
  EXPECT_THAT(drive(if_changed(Progress::Changes, {step(kSecond), step(kFirst)})).order,
              ElementsAre("second", "first"));
  EXPECT_FALSE(drive(sequence("s", {step(kFirst), step(kSecond)}), Progress::InvalidFacts).changed);
  EXPECT_TRUE(drive(sequence("s", {step(kThird), step(kFirst)}), Progress::InvalidFacts).changed);
}

TEST(PassDriver, AFixpointEndsWithARoundWithoutProgress) {
  left = 2;
  const Driven driven = drive(fixpoint("f", Progress::Changes, {.rounds = 5}, {step(kSome), step(kFirst)}));
  EXPECT_THAT(driven.order, ElementsAre("some", "first", "some", "first", "some"));
  EXPECT_TRUE(driven.changed);
  EXPECT_EQ(driven.statistics.passes.at("some").runs, 3u);
  EXPECT_THAT(driven.statistics.bounds, IsEmpty());
}

TEST(PassDriver, RunsNoPassThatHasNothingToDo) {
  const auto order = [](std::initializer_list<const Pass*> passes) {
    std::vector<Step> steps;
    for (const Pass* pass : passes) steps.push_back(step(*pass));
    return drive(sequence("s", steps)).order;
  };
  EXPECT_THAT(order({&kFirst, &kFirst}), ElementsAre("first"));
  EXPECT_THAT(order({&kFirst, &kSecond, &kFirst, &kFirst}), ElementsAre("first", "second", "first"));
  EXPECT_THAT(order({&kSecond, &kSecond}), ElementsAre("second", "second"));
  EXPECT_THAT(order({&kFirst, &kInfer, &kFirst}), ElementsAre("first", "infer", "first"));
  EXPECT_THAT(order({&kInfer, &kFirst, &kSecond, &kInfer}), ElementsAre("infer", "first", "second", "infer"));
  EXPECT_THAT(order({&kInfer, &kThird, &kInfer, &kInfer}), ElementsAre("infer", "third", "infer"));
}

TEST(PassDriver, ABoundThatIsHitIsReported) {
  const auto bounded = [](Bound::Hit hit) {
    return fixpoint("rounds", Progress::Changes, {.rounds = 2, .hit = hit}, {step(kSecond)});
  };
  const Driven warned = drive(bounded(Bound::Hit::Warn));
  EXPECT_THAT(warned.order, SizeIs(2));
  EXPECT_THAT(warned.warnings, ElementsAre(HasSubstr("'rounds' still change the program after 2 rounds")));
  EXPECT_THAT(warned.statistics.bounds, SizeIs(1));
  EXPECT_THAT(error_of(bounded(Bound::Hit::Error)), HasSubstr("after 2 rounds; the last pass that did is second"));
  // The enclosing fixpoint runs the group again.
  const Step outer =
      fixpoint("outer", Progress::InvalidFacts, {.rounds = 3, .hit = Bound::Hit::Warn}, {bounded(Bound::Hit::Repeat)});
  EXPECT_THAT(drive(outer).order, SizeIs(6));
  EXPECT_THAT(drive(bounded(Bound::Hit::Repeat)).warnings, IsEmpty());
}

TEST(PassDriver, ABoundGrowsWithTheProgram) {
  const Step steps = fixpoint("rounds", Progress::Changes, {.rounds = 1, .rounds_per_node = 2, .hit = Bound::Hit::Warn},
                              {step(kSecond)});
  EXPECT_THAT(drive(steps).order, SizeIs(7));  // three nodes
}

TEST(PassDriver, APassRunsOnlyOnProgramsThatItTreats) {
  const Step steps = sequence("s", {step(kWrites), step(kPure)});
  EXPECT_THAT(drive(steps).order, ElementsAre("pure"));
  EXPECT_THAT(drive(steps, Progress::Changes, {}, R"(
graph(%x : Float(3))
%y = aten::relu_(%x)
return %y)")
                  .order,
              ElementsAre("writes"));
  EXPECT_THAT(drive(sequence("s", {step(kFirst)}, Feature::ControlFlow)).order, IsEmpty());
}

TEST(PassDriver, AMissingOrWrongPassIsNamed) {
  EXPECT_THAT(error_of(step(kReads)), HasSubstr("pass reads needs facts"));
  EXPECT_EQ(error_of(sequence("s", {step(kInfer), step(kReads)})), "no error");
  EXPECT_THAT(error_of(sequence("s", {step(kDropLast), step(kBreak)}), verifying()), HasSubstr("after break"));
  EXPECT_THAT(error_of(sequence("s", {step(kWrites), step(kHide)}), verifying()),
              HasSubstr("pass hide reported no change"));
  PassOptions options;
  options.print_after = {"nowhere"};
  EXPECT_THAT(error_of(step(kFirst), options), HasSubstr("no pass is called 'nowhere'; passes: all, first"));
}

TEST(PassDriver, PrintsTheProgram) {
  const Step steps = sequence("s", {step(kFirst), step(kDropLast), step(kDropLast)});
  std::string text;
  PassOptions options;
  options.print = [&](std::string_view part) { text += part; };
  drive(steps, Progress::Changes, options);
  EXPECT_EQ(text, "");
  options.print_changes = true;
  const PassStatistics counted = drive(steps, Progress::Changes, options).statistics;
  EXPECT_THAT(text, HasSubstr("*** program after drop_last ***\ngraph(%x : Float(3)):\n"));
  EXPECT_THAT(text, Not(HasSubstr("neg")));
  EXPECT_THAT(text, Not(HasSubstr("first")));
  EXPECT_EQ(counted.passes.at("drop_last").runs, 2u);
  EXPECT_EQ(counted.passes.at("drop_last").changes, 1u);
  text.clear();
  options.print_changes = false;
  options.print_after = {"first"};
  drive(steps, Progress::Changes, options);
  EXPECT_THAT(text, HasSubstr("*** program after first (unchanged) ***\ngraph(%x"));
  EXPECT_THAT(text, HasSubstr("neg"));
  EXPECT_THAT(text, Not(HasSubstr("drop_last")));
}

TEST(Features, AreFoundInBlocksAndTypes) {
  EXPECT_EQ(find_features(*test::parse(kChain)), Features());
  EXPECT_EQ(find_features(*test::parse(R"(
graph(%x : Float(3), %c : bool)
if %y = %c
  %a = aten::relu_(%x)
  then %a
  else None
end
%q = aten::__is__(%y, None)
return %q)")),
            Feature::ControlFlow | Feature::Writes | Feature::Identities);
  // A string argument of a tensor operator is not a computation on strings.
  EXPECT_EQ(find_features(*test::parse(R"(
graph(%x : Float(2, 3))
%l = prim::ListConstruct(%x)
%y = aten::einsum("ij->ji", %l, None)
return %y)")),
            Feature::Containers);
}

TEST(Pipeline, HasEveryPassOfTheTable) {
  const std::string order = to_text(pipeline());
  for (const Pass& pass : pass_table()) {
    EXPECT_THAT(order, HasSubstr(std::string(pass.name)));
    EXPECT_THAT(std::string(pass.doc), Not(IsEmpty())) << pass.name;
    EXPECT_EQ(&find_pass(pass.name), &pass);
  }
}

TEST(Pipeline, DocsPassesHasItsOrder) {
  std::ifstream file(std::string(std::getenv("TONNX_SOURCE_ROOT")) + "/docs/passes.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(page, HasSubstr("```\n" + to_text(pipeline()) + "```\n"));
}

}  // namespace
}  // namespace tonnx::program
