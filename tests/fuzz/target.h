#pragma once

#include <cstddef>
#include <cstdint>

// Reads an input, which may be any bytes. Returns 0. Errors that the reader documents are caught inside; anything else
// ends the process. The name is libFuzzer's, whose main function can replace driver.cpp.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
