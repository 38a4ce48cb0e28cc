#include "tonnx/contents.h"

#include "contents.h"
#include "guard.h"

using tonnx::capi::answer;
using tonnx::capi::guard;
using tonnx::capi::limits_of;
using tonnx::capi::observer_of;
using tonnx::capi::require;

namespace {

using ListedValues = std::span<tonnx::ir::Value* const>;

size_t count_of(const tonnx_contents* contents, ListedValues (tonnx::ir::Graph::*values)() const) {
  return contents ? (contents->contents.graph.get()->*values)().size() : 0;
}

const tonnx_value* value_at(const tonnx_contents* contents, ListedValues (tonnx::ir::Graph::*values)() const,
                            size_t index) {
  return answer(static_cast<const tonnx_value*>(nullptr), [&] {
    return index < count_of(contents, values) ? contents->walk.of((contents->contents.graph.get()->*values)()[index])
                                              : nullptr;
  });
}

}  // namespace

tonnx_status tonnx_model_contents(tonnx_contents** out, const tonnx_model* model, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(model, "model");
    *out = new tonnx_contents(tonnx::exporting::contents_of(model->model), model->model->info.opset);
  });
}

tonnx_status tonnx_program_contents(tonnx_contents** out, const tonnx_program* program, const tonnx_args* args,
                                    const tonnx_options* options, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, observer_of(options), limits_of(options), [&] {
    require(out, "out");
    require(program, "program");
    static const tonnx::exporting::Options defaults;
    const tonnx::backend::Untraced untraced;
    *out = new tonnx_contents(tonnx::exporting::contents_of(*program->source, tonnx_args::finished(args),
                                                            options ? options->options : defaults),
                              0);
  });
}

size_t tonnx_contents_input_count(const tonnx_contents* contents) {
  return count_of(contents, &tonnx::ir::Graph::inputs);
}

const tonnx_value* tonnx_contents_input(const tonnx_contents* contents, size_t index) {
  return value_at(contents, &tonnx::ir::Graph::inputs, index);
}

size_t tonnx_contents_output_count(const tonnx_contents* contents) {
  return count_of(contents, &tonnx::ir::Graph::outputs);
}

const tonnx_value* tonnx_contents_output(const tonnx_contents* contents, size_t index) {
  return value_at(contents, &tonnx::ir::Graph::outputs, index);
}

size_t tonnx_contents_weight_count(const tonnx_contents* contents) {
  return count_of(contents, &tonnx::ir::Graph::weights);
}

const tonnx_value* tonnx_contents_weight(const tonnx_contents* contents, size_t index) {
  return value_at(contents, &tonnx::ir::Graph::weights, index);
}

const tonnx_graph* tonnx_contents_graph(const tonnx_contents* contents) {
  return answer(static_cast<const tonnx_graph*>(nullptr),
                [&] { return contents ? contents->walk.of(&contents->contents.graph->block()) : nullptr; });
}

size_t tonnx_contents_operator_count(const tonnx_contents* contents) {
  return contents ? contents->operators.size() : 0;
}

const char* tonnx_contents_operator(const tonnx_contents* contents, size_t index) {
  return index < tonnx_contents_operator_count(contents) ? contents->operators[index]->first.c_str() : "";
}

size_t tonnx_contents_operator_uses(const tonnx_contents* contents, size_t index) {
  return index < tonnx_contents_operator_count(contents) ? static_cast<size_t>(contents->operators[index]->second) : 0;
}

void tonnx_contents_free(tonnx_contents* contents) { tonnx::capi::destroy(contents); }
