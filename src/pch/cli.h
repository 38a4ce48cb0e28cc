#pragma once

// Precompiled for the command line.
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tonnx.hpp"
