#include <cstdio>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "callback.h"
#include "registration.h"
#include "time_limit.h"

// One case for each callback: the model is correct on two sets of values, or the recording is refused as expected.
namespace {

class CallbackTest : public testing::Test {
 public:
  explicit CallbackTest(const callbacks::Callback& callback) : callback_(callback) {}

  void TestBody() override {
    const callbacks::TimeLimit limit(callback_.name);
    const callbacks::Outcome outcome = callbacks::outcome_of(callback_, 7);
    EXPECT_EQ(outcome.fault, "");
    if (callback_.refusal.empty())
      EXPECT_EQ(outcome.refusal, "");
    else
      EXPECT_THAT(outcome.refusal, testing::HasSubstr(callback_.refusal));
  }

 private:
  const callbacks::Callback& callback_;
};

}  // namespace

bool callbacks::register_callbacks() {
  static std::vector<std::vector<Callback>> tables;
  std::set<std::string> names;
  for (const auto& table : {literals, indexing, captured, host_memory, writes, views, networks, values, plain_values,
                            pointers, threads, devices})
    tables.push_back(table());
  for (const auto& table : tables)
    for (const Callback& callback : table) {
      if (!names.insert(callback.name).second)
        return std::fprintf(stderr, "two are named %s\n", callback.name.c_str()), false;
      const std::size_t dot = callback.name.find('.');
      testing::RegisterTest(callback.name.substr(0, dot).c_str(), callback.name.substr(dot + 1).c_str(), nullptr,
                            nullptr, __FILE__, __LINE__,
                            [&callback]() -> testing::Test* { return new CallbackTest(callback); });
    }
  return true;
}
