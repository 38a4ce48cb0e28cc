#pragma once

#include <span>
#include <string_view>

namespace tonnx::aten {

// An operator of `prims` that equals an operator of `aten` under another name.
struct Primitive {
  std::string_view name;
  std::string_view as;         // the aten operator, with its overload
  std::string_view arguments;  // "aten=prims" for each argument whose name differs

  // The prims name of an argument of the aten operator.
  std::string_view own(std::string_view argument) const;
};

// All of them.
std::span<const Primitive> primitives();

// Null if there is none.
const Primitive* find_primitive(std::string_view name);

}  // namespace tonnx::aten
