#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "export/exporter.h"
#include "ir/call_form.h"

namespace tonnx::exporting {

// Between a program's own arguments and results and the tensors that a model takes and gives: those of ir::CallForm,
// complex ones with their parts as a last axis. Throw what that throws, and Error(Code::Unsupported) for a model
// without a form.
std::vector<ir::Tensor> flat_inputs(const Model& model, const ir::Arguments& arguments);
// `results` has the result as its one positional value; several are a tuple.
std::vector<ir::Tensor> flat_outputs(const Model& model, const ir::Arguments& results);

// Keeps how the program is called, in the model and in its metadata; a null does nothing. Names must be final.
void tell_call(Model& model, std::shared_ptr<const ir::CallForm> form);
// What stands in the metadata; empty where it is not told.
const std::string& call_text(const Model& model);

}  // namespace tonnx::exporting
