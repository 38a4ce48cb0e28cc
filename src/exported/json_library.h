#pragma once

// Without assertions, which do not hold in the destructors of values whose constructor ran out of memory.
#define JSON_ASSERT(condition) static_cast<void>(0)
#include <nlohmann/json.hpp>
