#pragma once

#include <string>

namespace tonnx::program::test {

// The functional form of a program in the text of parse(); checked to compute what the program computes, for both values of a bool
// input.
std::string functional(const std::string& text);

// The message with which functionalise() refuses the program; a failure, and empty, where it does not.
std::string refused(const std::string& text);

}  // namespace tonnx::program::test
