#ifndef TONNX_VERSION_HPP
#define TONNX_VERSION_HPP

#include <cstdint>
#include <string>

#include "tonnx/version.h"

namespace tonnx {

// Same as tonnx_version_number, tonnx_version and tonnx_build_info.
inline std::uint32_t version_number() { return tonnx_version_number(); }
inline std::string version() { return tonnx_version(); }
inline std::string build_info() { return tonnx_build_info(); }

}  // namespace tonnx

#endif
