#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ir/error.h"
#include "ir/graph.h"

// Queries of a call and of a program, for tests of src/torch.
namespace tonnx::test {

// The message of the error with this code that `action` throws; it has no stack of LibTorch's in it.
inline std::string failure(const std::function<void()>& action, ir::Code code) {
  try {
    action();
  } catch (const ir::Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_EQ(std::string(e.what()).find("frame #"), std::string::npos);
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

// The operators of the program in their order, without constants.
inline std::vector<std::string> kinds(const ir::Graph& graph) {
  std::vector<std::string> result;
  ir::for_each_node(graph.block(), [&](ir::Node* n) {
    if (!n->is("prim::Constant")) result.push_back(n->full_name());
  });
  return result;
}

}  // namespace tonnx::test
