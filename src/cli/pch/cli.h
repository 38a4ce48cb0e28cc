#ifndef TONNX_CLI_PCH_CLI_H
#define TONNX_CLI_PCH_CLI_H

// Precompiled for the command line.
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tonnx.hpp"

#endif
