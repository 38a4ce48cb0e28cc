#include "ir/refusal.h"

#include <algorithm>

#include "ir/source_line.h"

namespace tonnx::ir {

namespace {

constexpr std::size_t kLines = 10;  // maximum number of reasons in the message

std::string site_after(const std::string& module, const std::string& source) {
  std::string text;
  if (!module.empty()) text += " in " + module;
  if (!source.empty()) text += " (" + source + ")";
  return text;
}

std::string site_of(const Reason& reason) { return site_after(reason.module, reason.source); }

constexpr std::string_view kRefused = "refusal_reported";
constexpr std::string_view kWhyRefused = "refusal";

// The values of a program that are computed from results of refused nodes.
class RefusedValues {
 public:
  std::unordered_set<const Value*> of(const Graph& program) {
    do {
      grown_ = false;
      block(program.block());
    } while (grown_);
    return std::move(values_);
  }

 private:
  void add(const Value* value) { grown_ = values_.insert(value).second || grown_; }
  bool has(const Value* value) const { return values_.contains(value); }

  void block(const Block& block) {
    for (const Node* node : block.nodes()) {
      for (const Block* inner : node->blocks()) this->block(*inner);
      if (is_refused(*node) || std::ranges::any_of(node->inputs(), [&](const Value* in) { return has(in); })) {
        for (const Value* out : node->outputs()) add(out);
        for (const Block* inner : node->blocks())
          for (const Value* in : inner->inputs()) add(in);
      }
      for (const Block* inner : node->blocks()) results(*node, *inner);
    }
  }

  // The results of If are its block outputs; the outputs of a loop body begin with the condition.
  void results(const Node& node, const Block& inner) {
    const std::size_t before = inner.outputs().size() - node.output_count();
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (!has(inner.outputs()[before + i])) continue;
      add(node.output(i));
      if (before > 0) add(inner.inputs()[before + i]);
    }
  }

  std::unordered_set<const Value*> values_;
  bool grown_ = false;
};

// If a message names no operator, it begins with its location.
std::string from_first_word(std::string text) {
  if (text.starts_with(' ')) text.erase(0, 1);
  return text;
}

}  // namespace

std::string describe_site(const Node& node) { return describe_site(reason_of(node, {})); }

std::string describe_site(const Reason& reason) { return from_first_word(reason.op + site_of(reason)); }

std::string site_after(const Location& location) { return site_after(location.module_path(), location.source()); }

std::string describe_step(const Node* node) {
  return !node || node->is("prim::Return") ? "the end of the program" : describe_site(*node);
}

void mark_refused(Node& node) { node.set_attribute(std::string(kRefused), std::int64_t{1}); }

void set_why_refused(Node& node, std::string why) { node.set_attribute(std::string(kWhyRefused), std::move(why)); }

const std::string* why_refused(const Node& node) { return node.attribute_as<std::string>(kWhyRefused); }

bool is_refused(const Node& node) { return node.attribute(kRefused) != nullptr; }

std::unordered_set<const Value*> refused_values(const Graph& program) { return RefusedValues().of(program); }

Reason reason_of(const Node& node, std::string text) {
  Reason reason;
  const auto& line = node.location().line;
  const bool is_made = line && !line->made_for().empty();
  reason.op = node.is("prim::Return") ? "the program's result" : is_made ? line->made_for() : node.full_name();
  reason.text = std::move(text);
  reason.module = node.location().module_path();
  reason.source = node.location().source();
  return reason;
}

std::string to_string(const Reason& reason) {
  std::string text = reason.op;
  const std::string site = site_of(reason);
  if (reason.count > 1) text += " (" + std::to_string(reason.count) + " times)" + (site.empty() ? "" : ", first");
  text = from_first_word(text + site);
  return text.empty() ? reason.text : text + ": " + reason.text;
}

Error refusal(const Node& node, const std::string& text, Code code) { return refusal(reason_of(node, text), code); }

Error refusal(Reason reason, Code code) {
  const std::string message = to_string(reason);
  return Error(code, message, {std::move(reason)});
}

void Refusals::add(const Node& node, const std::string& text, Missing missing) {
  Reason reason = reason_of(node, text);
  reason.missing = missing;
  add(std::move(reason));
}

void Refusals::add(const Error& error) {
  for (const Reason& reason : error.reasons()) add(reason);
  if (error.reasons().empty()) add(Reason{.op = {}, .text = error.what(), .module = {}, .source = {}});
}

void Refusals::add(Reason reason) {
  const auto same = std::find_if(reasons_.begin(), reasons_.end(),
                                 [&](const Reason& r) { return r.op == reason.op && r.text == reason.text; });
  if (same == reasons_.end()) return reasons_.push_back(std::move(reason));
  same->count += reason.count;
}

void Refusals::raise(const std::string& heading, const std::string& advice) const {
  if (reasons_.empty()) return;
  std::string message = heading + ":";
  for (std::size_t i = 0; i < reasons_.size() && i < kLines; ++i) message += "\n  " + to_string(reasons_[i]);
  if (reasons_.size() > kLines)
    message += "\n  and " + std::to_string(reasons_.size() - kLines) + " more (the report lists all)";
  if (!advice.empty()) message += "\n" + advice;
  throw Error(Code::Unsupported, message, reasons_);
}

}  // namespace tonnx::ir
