#pragma once

#include "exported/unpickler.h"
#include "ir/constant.h"

namespace tonnx::exported {

// Converts the example inputs of an archive: a tuple of positional arguments and a dict of keyword arguments. Tuples
// become lists. Throws Error(Code::Unsupported), with the class name, for an object among them, Error(Code::File) for
// another value.
ir::Arguments examples_of(const Pickled& saved);

}  // namespace tonnx::exported
