// The C API for C++17 and newer: handles that free themselves, errors as exceptions, lambdas as callbacks. Header-only;
// the library's ABI stays that of tonnx.h. See tonnx.h for ownership and threads.
#ifndef TONNX_HPP
#define TONNX_HPP

#include "tonnx.h"
#include "tonnx/args.hpp"
#include "tonnx/attributes.hpp"
#include "tonnx/contents.hpp"
#include "tonnx/error.hpp"
#include "tonnx/graph.hpp"
#include "tonnx/libtorch.hpp"
#include "tonnx/mismatch.hpp"
#include "tonnx/model.hpp"
#include "tonnx/observer.hpp"
#include "tonnx/options.hpp"
#include "tonnx/program.hpp"
#include "tonnx/registry.hpp"
#include "tonnx/tensor.hpp"
#include "tonnx/trace.hpp"
#include "tonnx/trace_options.hpp"
#include "tonnx/version.hpp"

#endif
