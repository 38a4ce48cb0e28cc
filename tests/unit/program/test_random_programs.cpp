#include <gtest/gtest.h>

#include "functional_form.h"
#include "graph_text.h"
#include "ir/error.h"
#include "machine.h"
#include "program/facts/facts.h"
#include "program/simplify.h"
#include "random_program.h"

namespace tonnx::program {
namespace {

using test::array_of;
using test::Machine;
using test::make;
using test::Ref;

std::vector<Ref> inputs(bool flag, std::int64_t turns) {
  return {make(array_of({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})), make(ir::Constant{turns}),
          make(ir::Constant{flag})};
}

TEST(RandomPrograms, ComputeTheSameOrAreRefused) {
  int refused = 0;
  constexpr int kPrograms = 1000;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const std::string text = test::random_program(seed);
    const auto original = test::parse(text);
    const auto graph = test::parse(text);
    Machine machine;
    try {
      infer_facts(*graph, machine, {});
      test::functionalise_or_throw(*graph);
      verify(*graph, "functionalise");
      simplify(*graph);
      verify(*graph, "simplify");
      infer_facts(*graph, machine, {});
    } catch (const ir::Error& error) {
      ASSERT_EQ(error.code(), ir::Code::Unsupported) << seed << ": " << error.what() << "\n" << text;
      ++refused;
      continue;
    }
    for (const bool flag : {true, false})
      for (const std::int64_t turns : {0, 1, 3})
        ASSERT_EQ(test::run(*graph, inputs(flag, turns)), test::run(*original, inputs(flag, turns)))
            << "seed " << seed << "\n"
            << text << "\n"
            << test::show(*graph);
  }
  // The measured number. Only branches and loops create uncertain aliases.
  EXPECT_LE(refused, 57);
  RecordProperty("refused", refused);
}

}  // namespace
}  // namespace tonnx::program
