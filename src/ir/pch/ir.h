#ifndef TONNX_IR_PCH_IR_H
#define TONNX_IR_PCH_IR_H

// Precompiled for every folder of the library: reading these headers took more than half of the time of its
// compilation. A source still includes what it uses; -Db_pch=false builds without this file.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "ir/error.h"
#include "ir/graph.h"

#endif
