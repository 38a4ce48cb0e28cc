#pragma once

#include "exported/unpickler.h"
#include "ir/constant.h"

namespace tonnx::exported {

// The example inputs that an archive holds: a tuple of positional arguments and a dict of keyword arguments. Tuples
// become lists. Throws Error(Code::Unsupported) naming the class of an object among them, Error(Code::File) for another
// value.
ir::Arguments examples_of(const Pickled& saved);

}  // namespace tonnx::exported
