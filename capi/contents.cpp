#include "tonnx/contents.h"

#include "export/contents.h"
#include "guard.h"

using tonnx::capi::guard;
using tonnx::capi::limits_of;
using tonnx::capi::observer_of;
using tonnx::capi::require;

struct tonnx_contents {
  explicit tonnx_contents(tonnx::exporting::Contents given) : contents(std::move(given)) {
    add(inputs, contents.graph->inputs());
    add(outputs, contents.graph->outputs());
    add(weights, contents.graph->weights());
    for (const auto& entry : contents.operators) operators.push_back(&entry);
  }

  tonnx::exporting::Contents contents;
  std::deque<tonnx_value> inputs, outputs, weights;
  std::vector<const std::pair<const std::string, std::int64_t>*> operators;

 private:
  static void add(std::deque<tonnx_value>& values, std::span<tonnx::ir::Value* const> of) {
    for (const tonnx::ir::Value* value : of) {
      tonnx_value& made = values.emplace_back();
      made.source = value;
      made.is_listed = true;
    }
  }
};

namespace {

size_t count_of(const tonnx_contents* contents, std::deque<tonnx_value> tonnx_contents::* values) {
  return contents ? (contents->*values).size() : 0;
}

const tonnx_value* value_at(const tonnx_contents* contents, std::deque<tonnx_value> tonnx_contents::* values,
                            size_t index) {
  return index < count_of(contents, values) ? &(contents->*values)[index] : nullptr;
}

}  // namespace

tonnx_status tonnx_model_contents(tonnx_contents** out, const tonnx_model* model, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(model, "model");
    *out = new tonnx_contents(tonnx::exporting::contents_of(model->model));
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
                                                            options ? options->options : defaults));
  });
}

size_t tonnx_contents_input_count(const tonnx_contents* contents) {
  return count_of(contents, &tonnx_contents::inputs);
}

const tonnx_value* tonnx_contents_input(const tonnx_contents* contents, size_t index) {
  return value_at(contents, &tonnx_contents::inputs, index);
}

size_t tonnx_contents_output_count(const tonnx_contents* contents) {
  return count_of(contents, &tonnx_contents::outputs);
}

const tonnx_value* tonnx_contents_output(const tonnx_contents* contents, size_t index) {
  return value_at(contents, &tonnx_contents::outputs, index);
}

size_t tonnx_contents_weight_count(const tonnx_contents* contents) {
  return count_of(contents, &tonnx_contents::weights);
}

const tonnx_value* tonnx_contents_weight(const tonnx_contents* contents, size_t index) {
  return value_at(contents, &tonnx_contents::weights, index);
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
