#pragma once

#include <map>

#include <ATen/core/jit_type.h>

namespace tonnx::torch {

// What objects of a class are, where not each is known to the import: tuples of what they hold, if nothing changes them
// once they are made; else numbers, by which their attributes stand in lists.
enum class ObjectForm { Tuple, Number };
using ObjectForms = std::map<const c10::ClassType*, ObjectForm>;

// Adds to `known` what objects of the class can be, and those that they hold (none holds its own class). False where
// they can be neither: modules, classes of libraries, what holds such, and changed ones that `root` keeps, the module
// whose code makes them.
bool add_forms(const c10::IValue& root, const c10::ClassType& type, ObjectForms& known);

}  // namespace tonnx::torch
