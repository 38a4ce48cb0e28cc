#include "exported/program_reader.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "aten/result_facts.h"
#include "exported/document_error.h"
#include "exported/equal_sizes.h"
#include "exported/graph_reader.h"
#include "exported/guards.h"
#include "exported/leaf_values.h"
#include "exported/open_squeezes.h"
#include "exported/tree.h"
#include "exported/unknown_writes.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Code;
using ir::Error;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kPrintedGuards = 3;

std::map<std::string, ir::Polynomial> numbers_of(const std::map<std::string, std::int64_t>& sizes) {
  return {sizes.begin(), sizes.end()};
}

// True if tensors with these facts cannot be distinguished.
bool is_like(const ir::Facts& one, const ir::Facts& other) {
  if (one.dtype != other.dtype || !one.dims || !other.dims) return one.dtype == other.dtype;
  const auto may_be = [](const ir::Dim& a, const ir::Dim& b) {
    return !a.is_fixed() || !b.is_fixed() || a.size() == b.size();
  };
  return std::ranges::equal(*one.dims, *other.dims, may_be);
}

// A write of the program to a buffer, a parameter or an input, `kept`.
struct Update {
  ir::StateWrite::Kind kind;
  std::string name;
  Value* made;
  Value* kept;  // null if the document names none that exists
};

class ProgramReader {
 public:
  ProgramReader(const Json& document, const Payloads& payloads, ir::RawProgram& program, const ReadOptions& options)
      : module_(document.at("graph_module")),
        graph_(module_.at("graph")),
        ranges_(document.at("range_constraints")),
        guards_(document.find("guards_code")),
        payloads_(payloads),
        program_(program),
        options_(options),
        names_(equal_sizes(graph_)),
        context_{*program.graph, Meta(names_, numbers_of(options.sizes)), {}, program.warnings, program.refused},
        reader_(context_, program.graph->block(), graph_) {}

  void run() {
    for (const Json& spec : module_.at("signature").at("input_specs")) input(spec);
    program_.state.overlapping = ir::overlapping_weights(program_.graph->weights());
    reader_.read();
    outputs();
    for (const Update& update : updates_) written_output(update);
    for (const std::string& op : unknown_writers(*program_.graph, context_.without_schema))
      context_.warn("the archive does not say whether " + op +
                    " writes to its arguments, one of which is read after it; the model is wrong if it does. Register "
                    "its schema to resolve this (--schema, tonnx_operators_register)");
    read_ranges();
    for (const std::string& symbol : squeezed_symbols(*program_.graph, program_.ranges))
      context_.warn("if " + symbol +
                    " is 1, PyTorch squeezes this axis away; the model keeps it, as the archive specifies");
    if (guards_) warn_of_guards();
  }

 private:
  void read_ranges() {
    for (const auto& [key, range] : ranges_.members()) {
      const std::string symbol(key);
      const auto name = names_.find(symbol);
      ir::SizeRange& sizes = program_.ranges[name == names_.end() ? symbol : name->second];
      const auto bound = [&, &range = range](const char* which, std::int64_t otherwise) {
        const Json* found = range.find(which);
        return found && found->is_integer() ? found->get<std::int64_t>() : otherwise;
      };
      sizes.min = std::max(sizes.min, bound("min_val", sizes.min));
      sizes.max = std::min(sizes.max, bound("max_val", sizes.max));
      if (!options_.sizes.empty()) check_size(symbol, sizes);
    }
  }

  // PyTorch excludes size 1 even if the user did not, but runs the program at it.
  void check_size(const std::string& expression, const ir::SizeRange& range) {
    const auto size = context_.meta.expression(expression).constant();
    if (!size) return;
    const bool own = range.min == ir::SizeRange::kOwnLeast && *size == 1;
    if ((*size < range.min && !own) || *size > range.max)
      throw Error(Code::Argument, expression + " would be " + std::to_string(*size) +
                                      ", but the program accepts sizes from " + std::to_string(range.min) +
                                      (range.max < ir::SizeRange().max ? " to " + std::to_string(range.max) : " on"));
    if (own)
      context_.warn("the program was exported for sizes of " + expression + " from " +
                    std::to_string(ir::SizeRange::kOwnLeast) + " on; at size 1 the model follows this program, too");
  }

  void input(const Json& spec) {
    const Tagged t = tagged(spec);
    const auto name = [&] { return t.value->at("arg").at("name").get<std::string>(); };
    if (t.is("parameter")) return weight(name(), t.value->at("parameter_name").get<std::string>(), payloads_.weights);
    if (t.is("buffer")) {
      const std::string key = t.value->at("buffer_name").get<std::string>();
      return weight(name(), key, payloads_.weights.contains(key) ? payloads_.weights : payloads_.constants);
    }
    if (t.is("tensor_constant"))
      return weight(name(), t.value->at("tensor_constant_name").get<std::string>(), payloads_.constants);
    if (t.is("user_input")) return user_input(t.value->at("arg"));
    if (t.is("constant_input")) return input_names_.push_back(t.value->at("name").get<std::string>());
    if (t.is("token")) return;
    if (t.is("custom_obj"))
      throw Error(Code::Unsupported,
                  "the program holds '" + t.value->at("custom_obj_name").get<std::string>() + "', an object of class " +
                      t.value->at("arg").at("class_fqn").get<std::string>() + ", which has no ONNX form");
    throw Error(Code::Unsupported, "an input of kind '" + std::string(t.kind) + "' is not supported");
  }

  // Tensors that view the same elements in the same way are one weight, with the first name.
  void weight(const std::string& name, const std::string& key,
              const std::unordered_map<std::string, ir::Tensor>& tensors) {
    const auto found = tensors.find(key);
    if (found == tensors.end()) {
      const auto why = payloads_.unreadable.find(key);
      if (why == payloads_.unreadable.end()) throw DocumentError("its weight '" + key + "' is missing");
      throw Error(Code::Unsupported, "weight '" + key + "': " + why->second);
    }
    const ir::Tensor& tensor = found->second;
    Value*& value = weights_[{tensor.storage.get(), tensor.dtype, tensor.offset, tensor.dims, tensor.strides}];
    if (value)
      program_.state.other_names[value->name()].push_back(key);
    else
      value = program_.graph->add_weight(unique(key), tensor);
    kept_.emplace(key, value);
    reader_.bind(name, value);
  }

  std::string unique(const std::string& key) {
    std::string name = key;
    for (int i = 1; !taken_.insert(name).second; ++i) name = key + "_" + std::to_string(i);
    return name;
  }

  void user_input(const Json& argument) {
    const Tagged t = tagged(argument);
    input_names_.push_back(name_of(t));
    if (t.is("as_tensor")) {
      const std::string name = t.value->at("name").get<std::string>();
      Value* value = program_.graph->block().add_input();
      value->set_facts(reader_.tensor_facts(name));
      name_input(value, name);
    } else if (t.is("as_sym_int") || t.is("as_sym_float") || t.is("as_sym_bool")) {
      const Json* name = t.value->find("as_name");
      if (!name) return;
      number_input(name->get<std::string>(), t.is("as_sym_int")     ? Type::Kind::Int
                                             : t.is("as_sym_float") ? Type::Kind::Float
                                                                    : Type::Kind::Bool);
    } else if (t.is("as_custom_obj")) {
      throw Error(Code::Unsupported, "the program takes an object of class " +
                                         t.value->at("class_fqn").get<std::string>() + ", which has no ONNX form");
    }
  }

  // Empty if the input is not an input of the model.
  static std::string name_of(const Tagged& argument) {
    for (const char* key : {"name", "as_name"})
      if (const Json* name = argument.value->is_object() ? argument.value->find(key) : nullptr)
        return name->get<std::string>();
    return {};
  }

  void number_input(const std::string& name, Type::Kind type) {
    const ir::Polynomial number = type == Type::Kind::Int ? input_size(name, std::nullopt) : ir::Polynomial::invalid();
    if (number.is_valid()) {
      program_.numbers.emplace(name, number);
      if (const auto fixed = number.constant()) return reader_.bind(name, reader_.constant({*fixed}));
    }
    Value* value = program_.graph->block().add_input();
    value->set_type(Type::of(type));
    value->set_facts(reader_.number_facts(name, type));
    name_input(value, name);
  }

  void name_input(Value* value, const std::string& name) {
    value->set_name(name);
    inputs_.emplace(name, value);
    reader_.bind(name, value);
  }

  // Not valid if the program has no such input or its size is unknown.
  ir::Polynomial input_size(const std::string& name, std::optional<std::size_t> axis) const {
    if (!axis) {
      const Json* number = graph_.at("sym_int_values").find(name);
      const Tagged size = number ? tagged(*number) : Tagged("as_none", nullptr);
      if (size.is("as_int")) return size.value->get<std::int64_t>();
      return size.is("as_expr") ? context_.meta.expression(size.value->at("expr_str").string())
                                : ir::Polynomial::invalid();
    }
    const auto found = inputs_.find(name);
    const auto* dims = found != inputs_.end() && found->second->facts().dims ? &*found->second->facts().dims : nullptr;
    if (!dims || *axis >= dims->size()) return ir::Polynomial::invalid();
    const ir::Dim& dim = (*dims)[*axis];
    return dim.is_fixed()     ? ir::Polynomial(dim.size())
           : dim.polynomial() ? *dim.polynomial()
                              : ir::Polynomial::invalid();
  }

  void warn_of_guards() {
    const auto size = [&](const std::string& name, std::optional<std::size_t> axis) { return input_size(name, axis); };
    const GuardInputs inputs{size, input_names_};
    if (const auto broken = options_.sizes.empty() ? std::nullopt : broken_guard(*guards_, inputs))
      throw Error(Code::Argument,
                  "the program was exported for inputs where " + *broken + ", which does not hold at these sizes");
    const std::vector<std::string> open = open_guards(*guards_, inputs, program_.ranges);
    if (open.empty()) return;
    std::string text = open[0];
    for (std::size_t i = 1; i < std::min(open.size(), kPrintedGuards); ++i) text += "; " + open[i];
    if (open.size() > kPrintedGuards) text += "; and " + std::to_string(open.size() - kPrintedGuards) + " more";
    context_.warn("the program was exported for inputs where " + text +
                  "; PyTorch's program refuses other inputs; the model does not check this and may be wrong for them");
  }

  void outputs() {
    const std::vector<std::string> names = output_names();
    std::size_t leaf = 0;
    std::vector<Tagged> updates;
    for (const Json& spec : module_.at("signature").at("output_specs")) {
      const Tagged t = tagged(spec);
      if (t.is("user_output")) {
        output(t.value->at("arg"), leaf < names.size() ? names[leaf] : std::string());
        ++leaf;
      } else if (t.is("loss_output")) {
        output(Tagged("as_tensor", &t.value->at("arg")), leaf < names.size() ? names[leaf] : std::string());
        ++leaf;
      } else {
        updates.push_back(t);
      }
    }
    for (const Tagged& spec : updates) update(spec);
    std::vector<std::vector<ir::Use>> reads;
    for (const Update& update : updates_) reads.emplace_back(update.made->uses().begin(), update.made->uses().end());
    for (std::size_t i = 0; i < updates_.size(); ++i) updates_[i].made = as_kept(updates_[i], reads[i]);
  }

  void update(const Tagged& spec) {
    for (const char* key : {"buffer_name", "parameter_name", "user_input_name"}) {
      if (!spec.value->contains(key)) continue;
      const std::string name = spec.value->at(key).get<std::string>();
      const bool is_input = key == std::string_view("user_input_name");
      const std::map<std::string, Value*>& values = is_input ? inputs_ : kept_;
      const auto kept = values.find(name);
      Value* made = reader_.argument(Tagged("as_tensor", &spec.value->at("arg")));
      updates_.push_back({is_input ? ir::StateWrite::Kind::Input : ir::StateWrite::Kind::Weight, name, made,
                          kept == values.end() ? nullptr : kept->second});
    }
  }

  // Decompositions omit the conversion of a copy to a tensor of another dtype or with more elements, and later readers
  // read the source of the copy. The declared results of the readers show whether they meant the source or the copy.
  Value* as_kept(const Update& update, const std::vector<ir::Use>& reads) {
    const auto& [kind, name, made, kept] = update;
    if (!kept || is_like(made->facts(), kept->facts())) return made;
    std::vector<ir::Use> mean_kept;
    for (const ir::Use& use : reads) {
      const auto means = use.node->input(use.index) == made ? meant_by(*use.node, *made, *kept) : std::nullopt;
      if (!means)
        throw Error(Code::Unsupported, "the program copies " + text_of(made->facts()) + " to '" + name + "' of " +
                                           text_of(kept->facts()) +
                                           " and reads the former afterwards, but run_decompositions() may mean '" +
                                           name + "'; export the program as returned by torch.export.export");
      if (*means == kept) mean_kept.push_back(use);
    }
    Value* copied = reader_.emit_value("aten::copy", std::vector{kept, made});
    copied->set_facts(kept->facts());
    copied->facts().constant = nullptr;
    if (mean_kept.empty()) return copied;
    ir::Block& block = program_.graph->block();
    const bool is_given = made->weight() || made->node() == block.params();
    ir::Node* const next = is_given ? block.first() : made->node()->next();
    for (ir::Node* node : {copied->node()->input("non_blocking")->node(), copied->node()}) node->move_before(next);
    for (const ir::Use& use : mean_kept) use.node->set_input(use.index, copied);
    return copied;
  }

  // The one of the two that a reader of `made` has as its argument; nullopt if its declared result fits both.
  static std::optional<const Value*> meant_by(const ir::Node& reader, Value& made, const Value& kept) {
    if (reader.output_count() != 1 || !reader.schema()) return std::nullopt;
    const ir::Facts own = made.facts();
    const ir::Facts& declared = reader.output()->facts();
    const bool fits_made = is_like(aten::result_facts(reader)[0], declared);
    made.set_facts(kept.facts());
    made.facts().constant = nullptr;
    const bool fits_kept = is_like(aten::result_facts(reader)[0], declared);
    made.set_facts(own);
    if (fits_made == fits_kept) return std::nullopt;
    return fits_made ? &made : &kept;
  }

  void written_output(const Update& update) {
    const bool is_given = update.made->weight() || update.made->node() == program_.graph->block().params();
    ir::StateWrite write = is_given ? ir::StateWrite{update.kind, update.name, {}, {}, {}}
                                    : ir::state_write(update.kind, update.name, *update.made->node());
    if (!options_.written_outputs) return program_.state.left_out.push_back(std::move(write));
    program_.graph->block().add_output(update.made);
    program_.output_names.push_back(ir::written_name(write));
    program_.state.outputs.push_back(std::move(write));
  }

  void output(const Tagged& t, const std::string& name) {
    if (t.is("as_none")) return context_.warn("an output that is None is left out");
    if (t.is("as_string")) return context_.warn("an output that is a string is left out");
    program_.graph->block().add_output(reader_.argument(t));
    program_.output_names.push_back(name);
  }

  std::vector<std::string> output_names() const {
    for (const Json& entry : module_.at("module_call_graph")) {
      if (!(entry.at("fqn") == kRootModule) || entry.at("signature").is_null()) continue;
      return leaf_names(entry.at("signature").at("out_spec").string());
    }
    return {};
  }

  const Json& module_;
  const Json& graph_;
  const Json& ranges_;
  const Json* guards_;  // null: documents of this version have none
  const Payloads& payloads_;
  ir::RawProgram& program_;
  const ReadOptions& options_;
  std::vector<Update> updates_;  // outputs of the document that are not results of the user's program
  const std::map<std::string, std::string> names_;  // of symbols that are the same size
  Context context_;
  GraphReader reader_;
  std::map<
      std::tuple<const ir::Storage*, ir::DType, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>>,
      Value*>
      weights_;
  std::unordered_set<std::string> taken_;
  std::map<std::string, Value*> inputs_;
  std::vector<std::string> input_names_;  // in the order of the program's arguments
  std::map<std::string, Value*> kept_;    // weights by key
};

}  // namespace

ir::RawProgram read_program(const Json& document, const Payloads& payloads, const std::string& name,
                            const ReadOptions& options) {
  ir::RawProgram program;
  program.graph = std::make_unique<ir::Graph>();
  program.graph->set_name(name);
  ProgramReader(document, payloads, program, options).run();
  return program;
}

}  // namespace tonnx::exported
