#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "callback.h"
#include "registration.h"
#include "time_limit.h"

// Two cases for each network: with fixed rows the model is correct on two sets of values, with dynamic rows at each
// size; or it is refused as expected. With $TONNX_SLICE=N only one of the two, alternating between the networks.
namespace {

class NetworkTest : public testing::Test {
 public:
  NetworkTest(const callbacks::Network& network, bool at_sizes) : network_(network), at_sizes_(at_sizes) {}

  void TestBody() override {
    const callbacks::TimeLimit limit(network_.name);
    const auto of = [this](std::int64_t rows) {
      return callbacks::fresh(network_.name, network_.make, [this, rows] { return network_.inputs(rows); });
    };
    const callbacks::Outcome outcome =
        at_sizes_ ? callbacks::outcome_at_sizes(of, 7, network_.sizes) : callbacks::outcome_of(of(2), 7);
    const std::string& refusal = at_sizes_ ? network_.refusal_at_sizes : network_.refusal;
    EXPECT_EQ(outcome.fault, "");
    if (refusal.empty())
      EXPECT_EQ(outcome.refusal, "");
    else
      EXPECT_THAT(outcome.refusal, testing::HasSubstr(refusal));
  }

 private:
  const callbacks::Network& network_;
  const bool at_sizes_;
};

}  // namespace

bool callbacks::register_networks() {
  const char* slice = std::getenv("TONNX_SLICE");
  const std::size_t turn = slice && *slice ? std::stoul(slice) : 0;
  static std::vector<std::vector<Network>> tables;
  std::set<std::string> names;
  for (const auto& table : {branches, habits, images, layers, results, sequences, thresholds, training})
    tables.push_back(table());
  for (const auto& table : tables)
    for (const Network& network : table) {
      if (!names.insert(network.name).second)
        return std::fprintf(stderr, "two are named %s\n", network.name.c_str()), false;
      const std::size_t dot = network.name.find('.');
      for (const bool at_sizes : {false, true}) {
        if (slice && *slice && (names.size() + turn) % 2 != at_sizes) continue;
        testing::RegisterTest((network.name.substr(0, dot) + (at_sizes ? "AtSizes" : "")).c_str(),
                              network.name.substr(dot + 1).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                              [&network, at_sizes]() -> testing::Test* { return new NetworkTest(network, at_sizes); });
      }
    }
  return true;
}
