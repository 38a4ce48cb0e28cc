#include "export/mismatch.h"

#include <algorithm>
#include <unordered_map>

#include "aten/traits.h"
#include "backend/libtorch.h"
#include "export/convert.h"
#include "export/mismatch_text.h"
#include "export/model_outputs.h"
#include "ir/complex.h"
#include "ir/dependency_error.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/text.h"
#include "onnx/temporary_model.h"
#include "onnx/test_case.h"
#include "program/cut.h"
#include "program/edit.h"
#include "verify/compare.h"
#include "verify/runtime.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Error;
using ir::Tensor;
using ir::Value;
using program::Cut;
using State = MismatchPart::State;
// LibTorch's results for the values that cross cuts; each item of a list.
using Known = std::unordered_map<const Value*, std::vector<Tensor>>;

// Returns the first reason of a refusal, or else the first line of the message.
std::string summary_of(const Error& error) {
  return error.reasons().empty() ? ir::first_line(error.what()) : ir::to_string(error.reasons().front());
}

// True if the node has no reproducible result: it draws random numbers or returns uninitialized memory.
bool has_no_value(const ir::Node& node) {
  const auto is_arbitrary = [](const ir::Node& one) {
    return aten::is_random(one) || aten::traits_of(one).is_undefined;
  };
  const auto is_within = [&](const ir::Block* block) { return ir::any_node(*block, is_arbitrary); };
  return is_arbitrary(node) || std::ranges::any_of(node.blocks(), is_within);
}

ir::Facts facts_of(const Tensor& tensor) {
  ir::Facts facts;
  facts.dtype = tensor.dtype;
  facts.dims.emplace();
  for (const std::int64_t size : tensor.dims) facts.dims->emplace_back(size);
  return facts;
}

// Completes the facts of an input, which importers and passes may leave unknown, with those of its tensor.
void complete(Value& input, const Tensor& tensor) {
  ir::Facts facts = input.facts();
  facts.constant = nullptr;
  if (facts.dtype == ir::DType::Undefined) facts.dtype = tensor.dtype;
  if (!facts.dims) facts.dims.emplace(tensor.dims.size());
  input.set_facts(std::move(facts));
}

class FoundMismatch final : public Mismatch {
 public:
  FoundMismatch(std::shared_ptr<const LoadedProgram> source, std::unique_ptr<Model> model, ir::RawProgram program,
                const Options& options, const lower::Registry& registry, const VerifyOptions& verification,
                Compared compared)
      : source_(std::move(source)),
        model_(std::move(model)),
        program_(std::move(program)),
        options_(options),
        registry_(registry),
        opset_(opset_of(options_, registry_)),
        verification_(verification),
        compared_(std::move(compared)),
        cut_(*program_.graph) {
    if (program_.graph->inputs().size() != compared_.inputs.size())
      throw Error(Code::Unsupported,
                  "operators cannot be compared in a model with sequence inputs; export without sequence inputs");
    {
      const ir::Stage stage("search");
      search();
    }
    const MismatchSummary tale{compared_.error, program_error_, compared_.warnings,
                               root_,           cut_.nodes(),   *model_->graph};
    for (const MismatchPart* part : differing_leaves(root_)) leaves_.push_back(part->id);
    text_ = mismatch_text(tale);
    json_ = mismatch_json(tale);
  }

  bool found() const override { return !leaves_.empty(); }
  const std::vector<std::string>& leaves() const override { return leaves_; }
  const std::string& text() const override { return text_; }
  const std::string& json() const override { return json_; }

  void save_part(const std::string& id, const std::string& folder) const override {
    if (id.empty()) {
      onnx::write_test_case(*model_->graph, model_->info, folder, ir::with_parts(compared_.inputs),
                            ir::with_parts(compared_.expected));
      return;
    }
    const Run own = run_of(id);
    const auto model = model_of(own);
    onnx::write_test_case(*model->graph, model->info, folder, ir::with_parts(own.taken), ir::with_parts(own.given));
  }

  Contents program_contents(const std::string& id) const override {
    if (!id.empty()) return contents_of(std::shared_ptr<const ir::Graph>(run_of(id).part.graph));
    return contents_of(program_.graph->clone(), program_.output_names);
  }

  std::shared_ptr<const Model> part_model(const std::string& id) const override {
    return id.empty() ? model_ : model_of(run_of(id));
  }

 private:
  Known inputs() const {
    Known known;
    for (std::size_t i = 0; i < compared_.inputs.size(); ++i)
      known[program_.graph->inputs()[i]] = {compared_.inputs[i]};
    return known;
  }

  void search() {
    root_.end = cut_.nodes().size();
    root_.state = compared_.error.empty() ? State::Agrees : State::Differs;
    root_.text = compared_.error;
    if (!compared_.error.empty())
      tolerate([&] { compare_program(); }, "the converted program does not run in LibTorch: ");
    if (compared_.error.empty() && !verification_.every_operator) return;
    tolerate([&] { measure_lists(); }, {});
    Known known = inputs();
    if (!compared_.error.empty()) return descend(root_, known);
    try {
      check_each(root_, known);
    } catch (const Error& error) {
      if (!is_of_run(error)) throw;
      throw Error(Code::Unsupported,
                  "operators cannot be compared one by one, since LibTorch does not run the converted program: " +
                      summary_of(error) + "; the model as a whole agrees");
    }
  }

  // Skips parts that LibTorch cannot run.
  template <class Action>
  void tolerate(const Action& action, const std::string& what) {
    try {
      action();
    } catch (const Error& error) {
      if (!is_of_run(error)) throw;
      if (!what.empty()) program_error_ = what + summary_of(error);
    }
  }

  // Runs the program once to find the lengths of lists.
  void measure_lists() {
    const std::vector<const Value*> lists = cut_.lists();
    if (lists.empty()) return;
    program::ValueMap map;
    ir::Graph probe;
    for (const Value* input : program_.graph->inputs()) {
      Value* own = probe.block().add_input();
      own->set_type(input->type());
      map[input] = own;
    }
    for (const Value* weight : program_.graph->weights())
      map[weight] = probe.add_weight(weight->name(), *weight->weight());
    for (const ir::Node* node : program_.graph->block().nodes())
      probe.block().append(program::copy_node(*node, map, probe));
    program::Inserter insert(&probe.block(), {});
    for (const Value* list : lists) {
      probe.block().add_output(insert.call("aten::len.t", {map.at(list)}));
      probe.block().add_output(map.at(list));
    }
    const std::vector<Tensor> results = backend::libtorch().run_graph(probe, compared_.inputs);
    Cut::Lists lengths;
    std::size_t at = 0;
    for (const Value* list : lists) {
      const auto count = static_cast<std::size_t>(results.at(at++).as_int64(0));
      std::vector<ir::Facts>& items = lengths[list];
      if (list->type().elements[0].is(ir::Type::Kind::Int)) {
        const Tensor number = Tensor::scalar(results.at(at++).dtype, std::int64_t{0});
        items.assign(count, facts_of(number));
        continue;
      }
      for (std::size_t i = 0; i < count; ++i) items.push_back(facts_of(results.at(at++)));
    }
    cut_.declare(std::move(lengths));
  }

  // Checks the converted program, which the parts are compared with, against the original one.
  void compare_program() {
    const std::vector<Tensor> results = backend::libtorch().run_graph(*program_.graph, compared_.inputs);
    const bool undefined = std::ranges::any_of(cut_.nodes(), [](const ir::Node* node) { return has_no_value(*node); });
    if (undefined || !model_->list_parts.empty()) return;  // the order of the results differs
    const std::vector<Tensor> got = ir::with_parts(results);
    std::vector<verify::Limits> own;  // an output that is a list has several results
    if (got.size() == model_->output_operators.size()) own = limits_of(verification_, model_->output_operators);
    try {
      verify::compare(ir::with_parts(compared_.expected), got, model_names(),
                      tolerance(verification_, loosest_dtype(*model_->graph, compared_.inputs)), own);
    } catch (const Error& error) {
      if (error.code() != Code::Verification) throw;
      program_error_ = error.what();
    }
  }

  std::vector<std::string> model_names() const {
    std::vector<std::string> names;
    for (const Value* output : model_->graph->outputs()) names.push_back(output->name());
    return names;
  }

  // The run of a part in LibTorch.
  struct Run {
    Cut::Part part;
    std::vector<Tensor> taken, given;
  };

  // Runs a part other than the whole. Throws Error(Code::Argument) if there is none with this id.
  Run run_of(const std::string& id) const {
    const MismatchPart* part = &root_;
    Known known = inputs();
    for (const char digit : id) {
      if (!part->upper || (digit != '0' && digit != '1'))
        throw Error(Code::Argument, "no part '" + id + "' was compared");
      if (digit == '1') keep(run(*part->upper, known), known);
      part = digit == '0' ? part->upper.get() : part->lower.get();
    }
    return run(*part, known);
  }

  Run run(const MismatchPart& part, const Known& known) const {
    ir::advance(1);
    Run run{cut_.part(part.begin, part.end), {}, {}};
    const ir::Graph& graph = *run.part.graph;
    for (const Value* value : run.part.inputs) {
      const std::vector<Tensor>& items = known.at(value);
      run.taken.insert(run.taken.end(), items.begin(), items.end());
    }
    for (std::size_t i = 0; i < run.taken.size(); ++i) complete(*graph.inputs()[i], run.taken[i]);
    graph.block().return_node()->set_attribute("example_ranks", std::vector<std::int64_t>(graph.outputs().size(), -1));
    if (graph.outputs().empty()) return run;
    run.given = backend::libtorch().run_graph(graph, run.taken);
    if (run.given.size() != graph.outputs().size())
      throw Error(Code::Unsupported,
                  "the program cannot be split: LibTorch returns an unexpected number of values at the end of a part; "
                  "verify it as a whole");
    return run;
  }

  void keep(const Run& run, Known& known) const {
    auto next = run.given.begin();
    for (const Value* value : run.part.outputs) {
      const auto end = next + static_cast<std::ptrdiff_t>(cut_.width(value));
      known[value].assign(next, end);
      next = end;
    }
  }

  std::unique_ptr<const Model> model_of(const Run& run) const {
    return convert_part(*run.part.graph, options_, registry_, *opset_, [&] { return run.given; });
  }

  void compare(MismatchPart& part, const Run& run) const {
    part.state = State::Agrees;
    if (run.given.empty()) return;
    try {
      const auto model = model_of(run);
      const onnx::TemporaryModel file(*model->graph, model->info);
      const verify::Session session(file.path(), session_options(verification_, file.bytes(), run.taken));
      verify::compare(ir::with_parts(run.given), session.run(ir::with_parts(run.taken)), session.output_names(),
                      tolerance(verification_, loosest_dtype(*model->graph, run.taken)),
                      limits_of(verification_, output_operators(*run.part.graph)));
    } catch (const ir::DependencyError& error) {
      part.state = State::Unknown;
      part.text = ir::first_line(error.what());
    } catch (const Error& error) {
      if (error.code() == Code::Callback || error.code() == Code::File || error.code() == Code::Memory) throw;
      part.state = error.code() == Code::Verification ? State::Differs : State::Unknown;
      part.text = summary_of(error);
      if (error.code() != Code::Verification) part.text = "it cannot be converted on its own: " + part.text;
    }
    if (part.state != State::Differs) return;
    const auto nodes = cut_.nodes().subspan(part.begin, part.end - part.begin);
    if (std::ranges::none_of(nodes, [](const ir::Node* node) { return has_no_value(*node); })) return;
    part.state = State::Unknown;
    part.text = "its values are random or undefined and differ between runs: " + part.text;
  }

  static bool is_of_run(const Error& error) {
    return error.code() == Code::Program || error.code() == Code::Unsupported;
  }

  static std::unique_ptr<MismatchPart> half(const MismatchPart& whole, char digit, std::size_t begin, std::size_t end) {
    auto part = std::make_unique<MismatchPart>();
    part->id = whole.id + digit;
    part->begin = begin;
    part->end = end;
    return part;
  }

  // Splits a part that differs; `known` has the values that it reads.
  void descend(MismatchPart& part, const Known& known) const {
    const std::size_t place = cut_.middle(part.begin, part.end, &part.whole);
    if (place == part.end) return;
    auto upper = half(part, '0', part.begin, place), lower = half(part, '1', place, part.end);
    try {
      Known later = known;
      keep(ask(*upper, known), later);
      ask(*lower, later);
      part.upper = std::move(upper);
      part.lower = std::move(lower);
    } catch (const Error& error) {
      report_uncut(part, error);
    }
  }

  Run ask(MismatchPart& part, const Known& known) const {
    Run own = run(part, known);
    compare(part, own);
    if (part.state != State::Agrees) {
      descend(part, known);
    } else if (verification_.every_operator) {
      Known walked = known;
      check_each(part, walked);
    }
    return own;
  }

  // Compares single operators; each is run once. `known` has the values that the part reads, and then those that later
  // parts read.
  void check_each(MismatchPart& part, Known& known) const {
    const std::size_t place = cut_.middle(part.begin, part.end, &part.whole);
    if (place < part.end) {
      auto upper = half(part, '0', part.begin, place), lower = half(part, '1', place, part.end);
      const Known before = known;
      try {
        check_each(*upper, known);
        check_each(*lower, known);
        part.upper = std::move(upper);
        part.lower = std::move(lower);
        return;
      } catch (const Error& error) {
        report_uncut(part, error);
        known = before;
      }
    }
    const Run own = run(part, known);
    if (part.state == State::Unasked) compare(part, own);
    keep(own, known);
    std::erase_if(known, [&](const auto& entry) { return !cut_.is_read_from(part.end, entry.first); });
  }

  // A part that LibTorch cannot run on its own is compared together with its neighbours.
  static void report_uncut(MismatchPart& part, const Error& error) {
    if (!is_of_run(error)) throw error;
    part.whole = "LibTorch cannot run a part of it: " + summary_of(error);
  }

  const std::shared_ptr<const LoadedProgram> source_;
  const std::shared_ptr<const Model> model_;
  const ir::RawProgram program_;
  const Options options_;
  const lower::Registry registry_;
  const std::shared_ptr<const ir::Opset> opset_;
  const VerifyOptions verification_;
  const Compared compared_;
  Cut cut_;
  std::string program_error_;
  MismatchPart root_;
  std::vector<std::string> leaves_;
  std::string text_, json_;
};

}  // namespace

std::unique_ptr<const Mismatch> find_mismatch(std::shared_ptr<const LoadedProgram> source, const ir::Arguments& args,
                                              const Options& options, const lower::Registry& registry,
                                              const VerifyOptions& verification) {
  ir::RawProgram program;
  std::unique_ptr<Model> model = export_program(*source, args, options, registry, nullptr, &program);
  Compared compared = compare_model(*model, *source, args, verification);
  return std::make_unique<const FoundMismatch>(std::move(source), std::move(model), std::move(program), options,
                                               registry, verification, std::move(compared));
}

}  // namespace tonnx::exporting
