#include "program/pass_driver.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <utility>

#include "ir/error.h"
#include "ir/observer.h"
#include "ir/printer.h"
#include "ir/text.h"
#include "program/build_options.h"

namespace tonnx::program {

namespace {

void print_to_standard_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void add_names(const Step& step, std::set<std::string_view>& names) {
  if (step.pass) names.insert(step.pass->name);
  for (const Step& inner : step.steps) add_names(inner, names);
}

void require_names(const Step& step, const std::vector<std::string>& wanted) {
  std::set<std::string_view> known;
  add_names(step, known);
  for (const std::string& name : wanted) {
    if (name == "all" || known.contains(name)) continue;
    throw ir::Error(ir::Code::Argument,
                    "print_after: no pass is called '" + name + "'; passes: all, " + ir::comma_list(known));
  }
}

[[noreturn]] void blame(const Pass& pass, const std::string& text) {
  throw ir::Error(ir::Code::Internal, "pass " + std::string(pass.name) + " " + text);
}

}  // namespace

Step sequence(std::string_view name, std::vector<Step> steps, Features only_if) {
  return {.kind = Step::Kind::Sequence, .name = name, .steps = std::move(steps), .only_if = only_if};
}

Step first_change(std::string_view name, Progress progress, std::vector<Step> steps) {
  return {.kind = Step::Kind::FirstChange, .name = name, .steps = std::move(steps), .progress = progress};
}

Step if_changed(Progress progress, std::vector<Step> steps) {
  return {.kind = Step::Kind::IfChanged, .name = "if changed", .steps = std::move(steps), .progress = progress};
}

Step fixpoint(std::string_view name, Progress progress, Bound bound, std::vector<Step> steps, Features only_if) {
  return {.kind = Step::Kind::Fixpoint,
          .name = name,
          .steps = std::move(steps),
          .progress = progress,
          .bound = bound,
          .only_if = only_if};
}

PassOptions::PassOptions() : verify(kVerifyPasses) {}

PassDriver::Effect& PassDriver::Effect::operator|=(const Effect& other) {
  changed = changed || other.changed;
  invalid_facts = invalid_facts || other.invalid_facts;
  return *this;
}

PassDriver::PassDriver(PassContext& context, PassOptions options, PassStatistics* statistics)
    : context_(context), options_(std::move(options)), statistics_(statistics) {
  if (!options_.print) options_.print = print_to_standard_error;
}

bool PassDriver::run(const Step& step, Progress progress) {
  if (!options_.print_after.empty()) require_names(step, options_.print_after);
  return run_step(step).is(progress);
}

PassDriver::Effect PassDriver::run_step(const Step& step) {
  if (step.pass) return run_pass(*step.pass);
  if (step.kind == Step::Kind::Fixpoint) return run_fixpoint(step);
  if (!has_any(step.only_if)) return {};
  Effect all;
  for (const Step& inner : step.steps) {
    const Effect effect = run_step(inner);
    all |= effect;
    if (step.kind == Step::Kind::FirstChange && effect.is(step.progress)) break;
    if (step.kind == Step::Kind::IfChanged && !all.is(step.progress)) break;
  }
  return all;
}

PassDriver::Effect PassDriver::run_fixpoint(const Step& step) {
  std::size_t limit = step.bound.rounds;
  if (step.bound.rounds_per_node > 0)
    ir::for_each_node(context_.graph.block(), [&](const ir::Node*) { limit += step.bound.rounds_per_node; });
  Effect all;
  for (std::size_t rounds = 1; has_any(step.only_if); ++rounds) {
    Effect round;
    for (const Step& inner : step.steps) round |= run_step(inner);
    all |= round;
    if (!round.is(step.progress)) break;
    if (rounds < limit) continue;
    all |= hit(step, limit);
    break;
  }
  return all;
}

PassDriver::Effect PassDriver::hit(const Step& step, std::size_t rounds) {
  const std::string text = "the passes of '" + std::string(step.name) + "' still change the program after " +
                           std::to_string(rounds) + (rounds == 1 ? " round" : " rounds");
  if (statistics_) statistics_->bounds.push_back(text);
  switch (step.bound.hit) {
    case Bound::Hit::Error:
      throw ir::Error(ir::Code::Internal, text + "; the last pass that did is " + std::string(last_changed_));
    case Bound::Hit::Warn:
      if (context_.warnings)
        ir::warn(*context_.warnings, ir::Category::Other,
                 text + ", their bound; the model may be larger than needed, or be refused");
      return {};
    case Bound::Hit::Repeat: break;
  }
  return {.changed = true, .invalid_facts = true};
}

bool PassDriver::has_any(Features features) {
  if (features.empty()) return true;
  if (!features_.is_complete && !features_.features.has_any(features))
    features_ = find_any_feature(context_.graph, features);
  return features_.features.has_any(features);
}

bool PassDriver::is_skipped(const Pass& pass) {
  return !has_any(pass.treats) || (pass.needs_no_writes && has_any(Feature::Writes));
}

bool PassDriver::is_done(const Pass& pass) const {
  if (pass.infers_facts) return facts_valid_;
  const auto found = unchanged_.find(&pass);
  return found != unchanged_.end() && found->second == version_;
}

PassDriver::Effect PassDriver::run_pass(const Pass& pass) {
  if (is_done(pass) || is_skipped(pass)) return {};
  if (pass.needs_facts && !facts_inferred_) blame(pass, "needs facts, but none were inferred");
  const bool compares = options_.count || options_.prints();
  const std::string before = compares ? ir::print(context_.graph) : std::string();
  ir::checkpoint();
  const auto start = std::chrono::steady_clock::now();
  const std::uint32_t values = context_.graph.created_values();
  const bool changed = pass.run(context_);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  facts_inferred_ = facts_inferred_ || pass.infers_facts;
  facts_valid_ = pass.infers_facts || (facts_valid_ && !changed);
  if (options_.verify) check(pass, changed);
  // A pass that gives up may leave new dead nodes. That is not progress, but remove_dead must run again.
  const bool is_touched = changed || context_.graph.created_values() != values;
  if (is_touched) {
    ++version_;
    features_ = {.is_complete = false};
  }
  if (changed) {
    ir::log(ir::Level::Debug, [&] { return "pass " + std::string(pass.name) + " changed the program"; });
    if (!pass.infers_facts) last_changed_ = pass.name;
  } else {
    unchanged_[&pass] = version_;
  }
  const std::string after = compares ? ir::print(context_.graph) : std::string();
  const bool is_other = compares ? before != after : changed;
  if (statistics_) {
    PassCount& count = statistics_->passes[std::string(pass.name)];
    ++count.runs;
    count.changes += is_other ? 1 : 0;
    count.seconds += time.count();
  }
  if (options_.prints()) print_after(pass, is_other, after);
  if (options_.verify && is_other && !is_touched) blame(pass, "reported no change, but the program has changed");
  return {.changed = changed, .invalid_facts = changed && pass.invalidates_facts};
}

// Throws if the pass left an invalid graph, or changed the program's features and reported no change.
void PassDriver::check(const Pass& pass, bool changed) const {
  if (changed) return ir::verify(context_.graph, pass.name);
  if (!features_.is_complete) return;
  const Features before = features_.features, now = find_features(context_.graph);
  if (now != before)
    blame(pass, "reported no change, but the program had " + before.text() + " and now has " + now.text());
}

void PassDriver::print_after(const Pass& pass, bool changed, const std::string& text) const {
  const auto& names = options_.print_after;
  const bool is_named =
      std::ranges::any_of(names, [&](const auto& name) { return name == "all" || name == pass.name; });
  if (!is_named && !(options_.print_changes && changed)) return;
  options_.print("*** program after " + std::string(pass.name) + (changed ? "" : " (unchanged)") + " ***\n");
  options_.print(text + (text.ends_with('\n') ? "\n" : "\n\n"));
}

}  // namespace tonnx::program
