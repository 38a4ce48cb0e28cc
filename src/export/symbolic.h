#pragma once

// What the C API needs of lowering: a user's symbolic is a lowering like any other.
#include "lower/op.h"
#include "lower/registry.h"
