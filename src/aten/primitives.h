#pragma once

#include <span>
#include <string_view>

namespace tonnx::aten {

// An operator of `prims` that is one of `aten` under another name.
struct Primitive {
  std::string_view name;
  std::string_view as;         // the operator of aten, with its overload
  std::string_view arguments;  // "aten=prims" each, for those of another name

  // The name in prims of an argument of the operator of aten.
  std::string_view own(std::string_view argument) const;
};

// All of them.
std::span<const Primitive> primitives();

// Null where there is none.
const Primitive* find_primitive(std::string_view name);

}  // namespace tonnx::aten
