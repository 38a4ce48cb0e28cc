#pragma once

#include <map>

#include <ATen/core/jit_type.h>

namespace tonnx::torch {

// Representation of objects of a class that cannot all be tracked by the import: tuples of their attributes, if they
// are never changed after creation; else indices into lists of their attributes.
enum class ObjectForm { Tuple, Number };
using ObjectForms = std::map<const c10::ClassType*, ObjectForm>;

// Adds to `known` the forms of the class and of the classes that it contains (none contains itself). Returns false if
// objects can have neither form: modules, classes of libraries, objects that contain these, and changed objects in
// `root`, the module whose code creates them.
bool add_forms(const c10::IValue& root, const c10::ClassType& type, ObjectForms& known);

}  // namespace tonnx::torch
