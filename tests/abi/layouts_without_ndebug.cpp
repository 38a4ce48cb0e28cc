#undef NDEBUG
#include "layouts.inc"

std::vector<Layout> layouts_without_ndebug() { return layouts(); }

}  // namespace tonnx::test
