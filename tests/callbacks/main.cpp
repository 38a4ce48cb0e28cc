#include <cstdio>
#include <string_view>

#include <gtest/gtest.h>

#include "registration.h"

// callbacks_test callbacks|networks|random: one kind of the tests, with GoogleTest's own arguments.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::string_view kind = argc > 1 ? argv[1] : "";
  if (kind == "callbacks" || kind == "networks") {
    if (!(kind == "callbacks" ? callbacks::register_callbacks() : callbacks::register_networks())) return 2;
    GTEST_FLAG_SET(filter, GTEST_FLAG_GET(filter) + (kind == "callbacks" ? "-Random.*" : "-Random.*:DeviceWeights.*"));
  } else if (kind == "random") {
    GTEST_FLAG_SET(filter, GTEST_FLAG_GET(filter) + "-DeviceWeights.*");
  } else {
    std::fputs("usage: callbacks_test callbacks|networks|random\n", stderr);
    return 2;
  }
  return RUN_ALL_TESTS();
}
