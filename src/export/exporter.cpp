#include "export/exporter.h"

#include <algorithm>

#include "diagram/diagram.h"
#include "export/axes.h"
#include "export/convert.h"
#include "export/fixed_axes.h"
#include "export/fixed_numbers.h"
#include "export/policy.h"
#include "export/stopwatch.h"
#include "ir/observer.h"
#include "ir/printer.h"
#include "ir/utf8.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Error;

constexpr std::size_t kPrinted = 10;  // warnings printed in a message

// Runs and records the script's method; null if the program is not a script.
std::shared_ptr<const LoadedProgram> recorded(const LoadedProgram& script, const ir::Arguments& args,
                                              const Options& options) {
  TraceOptions wanted;
  wanted.allow_fixed_axes = options.fixed_dynamic_axes == FixedDynamicAxes::Warn || options.all_axes_dynamic;
  if ((!options.dynamic_axes.empty() || options.all_axes_dynamic) && !script.has_facts()) {
    const ir::RawProgram raw = script.described(options.method, args, options.training);
    const Options all = with_all_axes(options, *raw.graph, nullptr, false);
    for (const BoundAxis& axis : bind_axes(*raw.graph, all, raw.output_names, nullptr))
      if (axis.is_input) wanted.dynamic_axes.push_back({axis.index, axis.axis, axis.symbol});
  }
  return script.trace(options.method, args, options.training, wanted);
}

// Converts the recording of a script; null if the program is not a script.
std::unique_ptr<Model> convert_recording(const LoadedProgram& script, const ir::Arguments& args, const Options& options,
                                         const lower::Registry& registry, Report& report, ir::RawProgram* prepared) {
  Stopwatch watch(report);
  const ir::Stage stage("trace");
  const auto trace = recorded(script, args, options);
  watch.lap("trace");
  return trace ? convert(*trace, args, options, registry, report, prepared) : nullptr;
}

// Converts the recording of a script that was refused; null if the recording is refused, too.
std::unique_ptr<Model> convert_refused(const LoadedProgram& script, const ir::Arguments& args, const Options& options,
                                       const lower::Registry& registry, const Error& refusal, Report& report,
                                       ir::RawProgram* prepared) {
  Report second;
  try {
    std::unique_ptr<Model> model = convert_recording(script, args, options, registry, second, prepared);
    if (!model) return nullptr;
    ir::warn(
        second.warnings, ir::Category::Trace,
        "the script was recorded, with loops unrolled and branches fixed for the example's sizes, since it cannot be "
        "exported: " +
            (refusal.reasons().empty() ? std::string(refusal.what()) : refusal.reasons().front().text));
    report = std::move(second);
    return model;
  } catch (const Error& error) {
    if (error.code() == Code::Callback || error.code() == Code::Internal || error.code() == Code::File) throw;
    return nullptr;
  }
}

// A recording takes the branches of the example's sizes; branches for other sizes would be missing without notice.
bool may_be_recorded(const Options& options, const Error& refusal) {
  const bool is_refused = refusal.code() == Code::Unsupported || refusal.code() == Code::Internal;
  return is_refused && options.dynamic_axes.empty() && !options.all_axes_dynamic && !options.sequence_inputs &&
         !options.sequence_outputs;
}

std::unique_ptr<Model> run(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                           const lower::Registry& registry, Report& report, ir::RawProgram* prepared) {
  check_options(options);
  if (source.traced() || options.mode == Mode::Script)
    return convert(source, args, options, registry, report, prepared);
  if (options.mode == Mode::Trace) {
    if (auto model = convert_recording(source, args, options, registry, report, prepared)) return model;
    throw Error(Code::Argument,
                "mode 'trace' is for TorchScript programs; a program of torch.export is already a graph");
  }
  try {
    return convert(source, args, options, registry, report, prepared);
  } catch (const Error& refusal) {
    if (!may_be_recorded(options, refusal)) throw;
    ir::log(ir::Level::Info, [&] {
      return "the script cannot be exported, so it is recorded: " +
             (refusal.reasons().empty() ? std::string(refusal.what()) : refusal.reasons().front().text);
    });
    if (auto model = convert_refused(source, args, options, registry, refusal, report, prepared)) return model;
    throw;
  }
}

// Returns the script with the numbers that the options fix as constants; null for other programs, and if the options
// fix none.
std::unique_ptr<const LoadedProgram> fixed_script(const LoadedProgram& source, const Options& options) {
  const bool is_script = !source.has_facts() && !source.traced();
  return is_script && !options.fixed_axes.empty() ? with_fixed_numbers(source, options.fixed_axes) : nullptr;
}

// Throws if there are warnings and warnings are errors.
void refuse_warnings(const Report& report) {
  std::vector<ir::Reason> reasons;
  std::string text = "the export warns, and warnings are errors:";
  for (std::size_t i = 0; i < report.warnings.size(); ++i) {
    reasons.push_back({"", report.warnings[i], "", "", 1});
    if (i < kPrinted) text += "\n  " + report.warnings[i];
  }
  if (report.warnings.size() > kPrinted)
    text += "\n  and " + std::to_string(report.warnings.size() - kPrinted) + " more";
  if (!reasons.empty()) throw Error(Code::Warning, text, std::move(reasons));
}

}  // namespace

std::unique_ptr<Model> export_program(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                                      const lower::Registry& registry, Report* report, ir::RawProgram* prepared) {
  Report own;
  Report& target = report ? *report : own;
  target.exported = source.has_facts();
  try {
    const LoadedProgram* wanted = &source;
    const auto writing = options.written_outputs ? source.with_written_outputs() : nullptr;
    if (writing) wanted = writing.get();
    const auto absent = options.export_params ? nullptr : wanted->with_absent_weights();
    if (absent) wanted = absent.get();
    const auto script = fixed_script(*wanted, options);
    if (script) wanted = script.get();
    const auto sizes = script ? std::map<std::string, std::int64_t>() : fixed_sizes(*wanted, args, options);
    const auto fixed = sizes.empty() ? nullptr : wanted->with_sizes(sizes);
    if (fixed) wanted = fixed.get();
    std::unique_ptr<Model> model = run(*wanted, args, options, registry, target, prepared);
    model->fixed_sizes = sizes;
    if (script) model->fixed_numbers = options.fixed_axes;
    if (options.warnings_as_errors) refuse_warnings(target);
    model->report = target;
    return model;
  } catch (const ir::Cancelled& cancelled) {
    target.fail(cancelled.message(), {});
    throw;
  } catch (const std::exception& failure) {
    const auto* error = dynamic_cast<const Error*>(&failure);
    target.fail(failure.what(), error ? error->reasons() : std::vector<ir::Reason>());
    throw;
  }
}

ir::RawProgram raw_program(const LoadedProgram& source, const ir::Arguments& args, const Options& options) {
  const auto writing = options.written_outputs ? source.with_written_outputs() : nullptr;
  const LoadedProgram& own_or_writing = writing ? *writing : source;
  if (const auto script = fixed_script(own_or_writing, options))
    return script->import(options.method, args, options.training);
  const std::map<std::string, std::int64_t> sizes = fixed_sizes(own_or_writing, args, options);
  const auto fixed = sizes.empty() ? nullptr : own_or_writing.with_sizes(sizes);
  ir::RawProgram program = (fixed ? *fixed : own_or_writing).import(options.method, args, options.training);
  program.refused.raise();
  return program;
}

std::string program_text(const LoadedProgram& source, const ir::Arguments& args, const Options& options) {
  return ir::print(*raw_program(source, args, options).graph);
}

std::string program_picture(const LoadedProgram& source, const ir::Arguments& args, const Options& options, bool page) {
  const ir::RawProgram program = raw_program(source, args, options);
  return ir::as_utf8(page ? diagram::html(*program.graph) : diagram::svg(*program.graph));
}

}  // namespace tonnx::exporting
