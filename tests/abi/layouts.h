#pragma once

#include <cstddef>
#include <vector>

// Sizes and alignments of classes that cross between units and libraries, as one unit sees them.
namespace tonnx::test {

struct Layout {
  const char* name;
  std::size_t size;
  std::size_t alignment;
};

std::vector<Layout> layouts_with_ndebug();
std::vector<Layout> layouts_without_ndebug();

}  // namespace tonnx::test
