#define NDEBUG
#include "layouts.inc"

std::vector<Layout> layouts_with_ndebug() { return layouts(); }

}  // namespace tonnx::test
