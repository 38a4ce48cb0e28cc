#pragma once

#include <string>

namespace tonnx::program::test {

// A random program of views, writes, lists, branches and loops, as text: graph(%x : Float(3, 4), %n : int, %c : bool).
std::string random_program(unsigned seed);

}  // namespace tonnx::program::test
