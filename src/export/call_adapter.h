#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "export/exporter.h"
#include "ir/call_form.h"

namespace tonnx::exporting {

// Convert between the arguments and results of a program and the tensors of its model, with ir::CallForm; complex
// tensors get a last axis of 2 for the parts. Throw the errors of ir::CallForm, and Error(Code::Unsupported) for a
// model without a form.
std::vector<ir::Tensor> flat_inputs(const Model& model, const ir::Arguments& arguments);
// `results` has the result as its only positional value; several results are a tuple.
std::vector<ir::Tensor> flat_outputs(const Model& model, const ir::Arguments& results);

// Stores how the program is called in the model and in its metadata; does nothing for null. Names must be final.
void store_call(Model& model, std::shared_ptr<const ir::CallForm> form);
// The text of the metadata; empty if there is none.
const std::string& call_text(const Model& model);

}  // namespace tonnx::exporting
