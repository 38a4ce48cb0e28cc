#ifndef TONNX_LIBTORCH_HPP
#define TONNX_LIBTORCH_HPP

#include <cstdint>
#include <string>

#include "tonnx/error.hpp"
#include "tonnx/libtorch.h"

namespace tonnx {

// Same as tonnx_libtorch_version and tonnx_libtorch_load.
inline std::uint32_t libtorch_version() { return tonnx_libtorch_version(); }
inline void load_libtorch(const std::string& folder) {
  detail::call([&](tonnx_error** e) { return tonnx_libtorch_load(folder.c_str(), e); });
}

}  // namespace tonnx

#endif
