#include "diagram/tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <unordered_map>
#include <utility>

#include "diagram/rows.h"
#include "ir/class_name.h"
#include "ir/printer.h"
#include "ir/text.h"

namespace tonnx::diagram {
namespace {

constexpr std::size_t kShownResults = 3;
constexpr std::size_t kShownWeights = 4;
constexpr std::size_t kMostLevels = 64;  // of modules; the names are those of a stranger's model

// A module in the path of a node. A scope may name several at once ("layer.0"); the type is that of the last one.
struct Level {
  std::string name;
  std::string type;
  bool operator==(const Level&) const = default;
};

// The modules in a node's name, "/layer1/0/conv1/Conv", which most exporters write. Levels after kMostLevels are part
// of the last one.
std::vector<Level> levels_of_name(std::string_view name) {
  std::vector<Level> levels;
  if (!name.starts_with('/')) return levels;
  for (std::size_t begin = 1, end = 0; (end = name.find('/', begin)) != std::string_view::npos; begin = end + 1) {
    if (levels.size() + 1 == kMostLevels) end = name.rfind('/');
    levels.push_back({std::string(name.substr(begin, end - begin)), ""});
  }
  return levels;
}

std::vector<Level> levels_of(const ir::Node& node) {
  std::vector<Level> reversed;
  for (const ir::Scope* scope = node.location().scope.get(); scope; scope = scope->parent.get()) {
    std::string_view name = scope->name;
    std::string type(ir::class_name(scope->type));
    while (!name.empty()) {
      const std::size_t dot = name.rfind('.');
      reversed.push_back({std::string(dot == std::string_view::npos ? name : name.substr(dot + 1)), std::move(type)});
      type.clear();
      name = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
    }
  }
  if (reversed.empty()) return levels_of_name(node.name());
  std::ranges::reverse(reversed);
  if (reversed.size() > kMostLevels) {
    Level& last = reversed[kMostLevels - 1];
    for (std::size_t i = kMostLevels; i < reversed.size(); ++i) last.name += '.' + reversed[i].name;
    last.type = std::move(reversed.back().type);
    reversed.resize(kMostLevels);
  }
  return reversed;
}

std::string title_of(const Level& level) { return level.type.empty() ? level.name : level.name + ": " + level.type; }

bool is_constant(const ir::Node& node) {
  if (node.op() == "Constant") return true;
  const bool packs = node.is("prim::ListConstruct") || node.is("prim::TupleConstruct");
  return packs && std::ranges::all_of(node.inputs(), [](const ir::Value* v) { return v && is_constant(*v->node()); });
}

std::string constant_text(const ir::Node& node) {
  if (node.op() != "Constant") {
    std::string text = "[";
    for (const ir::Value* value : node.inputs()) text += (text.size() > 1 ? ", " : "") + constant_text(*value->node());
    return text + ']';
  }
  const std::string text = ir::print_attributes(node);
  if (text.empty()) return "None";
  return text.starts_with("value=") ? text.substr(6) : text;
}

class TreeBuilder {
 public:
  explicit TreeBuilder(const Marks& marks) : marks_(marks) {}

  Tree build(const ir::Graph& graph) {
    const std::size_t root = add(Box::Kind::Module, graph.name().empty() ? "graph" : graph.name(), kNone);
    for (const ir::Value* input : graph.inputs()) inputs(input, root);
    nodes(graph.block(), root, {});
    for (const ir::Value* output : graph.outputs()) {
      const std::size_t box = add(Box::Kind::Output, label(output), root);
      tree_.boxes[box].lines.push_back(ir::print_type(*output));
      use(output, box);
    }
    absorb_single_operators();
    for (std::size_t i = tree_.boxes.size(); i-- > 0;) total(tree_.boxes[i]);
    add_rows(tree_, {pairs_.begin(), pairs_.end()});
    return std::move(tree_);
  }

 private:
  std::size_t add(Box::Kind kind, std::string title, std::size_t parent) {
    const std::size_t index = tree_.boxes.size();
    Box& box = tree_.boxes.emplace_back();
    box.kind = kind;
    box.title = std::move(title);
    box.parent = parent;
    if (parent != kNone) tree_.boxes[parent].children.push_back(index);
    return index;
  }

  // The name of a value, "%12" if it has none of its own.
  std::string label(const ir::Value* value) {
    if (!value->name().empty()) return value->name();
    const auto [entry, fresh] = numbers_.try_emplace(value, numbers_.size());
    return '%' + std::to_string(entry->second);
  }

  void inputs(const ir::Value* value, std::size_t parent) {
    const std::size_t box = add(Box::Kind::Input, label(value), parent);
    tree_.boxes[box].lines.push_back(ir::print_type(*value));
    makers_[value] = box;
  }

  // `outer`: the modules of the node that has this block.
  void nodes(const ir::Block& block, std::size_t container, const std::vector<Level>& outer) {
    std::vector<std::pair<Level, std::size_t>> open;
    for (const ir::Node* node : block.nodes()) {
      if (is_constant(*node)) continue;
      const std::vector<Level> levels = levels_of(*node);
      const bool is_inside = levels.size() >= outer.size() && std::equal(outer.begin(), outer.end(), levels.begin());
      const std::size_t skip = is_inside ? outer.size() : 0;
      std::size_t depth = 0;
      while (depth < open.size() && depth + skip < levels.size() && open[depth].first == levels[depth + skip]) ++depth;
      open.resize(depth);
      for (; depth + skip < levels.size(); ++depth) {
        const std::size_t parent = open.empty() ? container : open.back().second;
        const Level& level = levels[depth + skip];
        open.emplace_back(level, add(Box::Kind::Module, title_of(level), parent));
      }
      this->node(*node, open.empty() ? container : open.back().second, levels);
    }
  }

  void node(const ir::Node& node, std::size_t parent, const std::vector<Level>& levels) {
    const bool is_plain = node.domain() == "onnx" || node.domain() == "aten" || node.domain() == "prim";
    const std::size_t box = add(node.blocks().empty() ? Box::Kind::Operator : Box::Kind::Block,
                                is_plain ? std::string(node.op()) : node.kind(), parent);
    std::vector<std::string> lines;
    std::string details = node.full_name();
    const auto detail = [&details](const char* what, const std::string& text) {
      if (!text.empty()) details += std::string("\n") + what + text;
    };
    detail("name: ", node.name());
    detail("module: ", node.location().module_path());
    detail("source: ", node.location().source());
    detail("", ir::print_attributes(node));
    for (const ir::Value* input : node.inputs()) {
      if (!input) continue;
      if (is_constant(*input->node())) {
        detail("in: ", constant_text(*input->node()));
        continue;
      }
      detail("in: ", label(input) + ": " + ir::print_type(*input));
      if (input->weight()) {
        if (tree_.boxes[box].weights.size() < kShownWeights) lines.push_back(weight_line(*input, levels));
        tree_.boxes[box].weights.push_back(input);
      }
      use(input, box);
    }
    for (const ir::Value* output : node.outputs()) {
      detail("out: ", label(output) + ": " + ir::print_type(*output));
      if (output->index() < kShownResults) lines.push_back("\u2192 " + ir::print_type(*output));
      makers_[output] = box;
    }
    if (const auto mark = marks_.find(node.name()); mark != marks_.end() && !node.name().empty()) {
      tree_.boxes[box].marked = 1;
      lines.push_back("differs");
      detail("differs: ", mark->second);
    }
    tree_.boxes[box].lines = std::move(lines);
    tree_.boxes[box].details = std::move(details);
    blocks(node, box, levels);
  }

  void blocks(const ir::Node& node, std::size_t box, const std::vector<Level>& levels) {
    const bool chooses = node.op() == "If" && node.blocks().size() == 2;
    for (std::size_t i = 0; i < node.blocks().size(); ++i) {
      const ir::Block& block = *node.block(i);
      const std::size_t inside =
          node.blocks().size() == 1
              ? box
              : add(Box::Kind::Block, chooses ? (i == 0 ? "then" : "else") : "block " + std::to_string(i), box);
      for (const ir::Value* input : block.inputs()) inputs(input, inside);
      nodes(block, inside, levels);
      if (block.outputs().empty()) continue;
      const std::size_t end = add(Box::Kind::Output, "return", inside);
      for (const ir::Value* output : block.outputs()) {
        if (tree_.boxes[end].lines.size() < kShownResults) tree_.boxes[end].lines.push_back(ir::print_type(*output));
        use(output, end);
      }
    }
  }

  // The weight's name without the modules that its box is in.
  static std::string weight_line(const ir::Value& weight, const std::vector<Level>& levels) {
    std::string_view name = weight.name();
    for (const Level& level : levels)
      if (name.starts_with(level.name + '.')) name.remove_prefix(level.name.size() + 1);
    return std::string(name) + ' ' + ir::print_type(weight) + ' ' + bytes_text(weight.weight()->bytes());
  }

  void use(const ir::Value* value, std::size_t box) {
    if (!value) return;
    if (const auto maker = makers_.find(value); maker != makers_.end()) {
      if (seen_.insert({maker->second, box}).second) pairs_.emplace_back(maker->second, box);
    }
  }

  // Replaces each module that has one operator and nothing else by that operator, inner modules first.
  void absorb_single_operators() {
    for (std::size_t i = tree_.boxes.size(); i-- > 0;) {
      for (std::size_t& child : tree_.boxes[i].children) {
        Box& module = tree_.boxes[child];
        if (module.kind != Box::Kind::Module || module.children.size() != 1) continue;
        Box& only = tree_.boxes[module.children[0]];
        if (only.kind != Box::Kind::Operator) continue;
        only.lines.insert(only.lines.begin(), module.title);
        only.parent = module.parent;
        child = std::exchange(module.children, {})[0];
      }
    }
  }

  // Fills what a container says of its content. Its children have larger indices, and are complete.
  void total(Box& box) {
    if (!box.is_container()) return;
    for (const std::size_t child : box.children) {
      const Box& part = tree_.boxes[child];
      box.operators += part.operators + (part.details.empty() ? 0 : 1);  // an If is a container and an operator
      box.marked += part.marked;
      box.weights.insert(box.weights.end(), part.weights.begin(), part.weights.end());
    }
    std::ranges::sort(box.weights);
    box.weights.erase(std::unique(box.weights.begin(), box.weights.end()), box.weights.end());
    std::size_t bytes = 0;
    for (const ir::Value* weight : box.weights) bytes += weight->weight()->bytes();
    std::string text = std::to_string(box.operators) + (box.operators == 1 ? " operator" : " operators");
    if (bytes) text += ", " + bytes_text(bytes);
    if (box.marked) text += ", " + std::to_string(box.marked) + (box.marked == 1 ? " differs" : " differ");
    box.lines.insert(box.lines.begin(), text);
  }

  const Marks& marks_;
  Tree tree_;
  std::unordered_map<const ir::Value*, std::size_t> makers_;   // the boxes of their producers
  std::unordered_map<const ir::Value*, std::size_t> numbers_;  // of values without a name
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  std::set<std::pair<std::size_t, std::size_t>> seen_;
};

}  // namespace

Tree make_tree(const ir::Graph& graph, const Marks& marks) { return TreeBuilder(marks).build(graph); }

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

std::string bytes_text(std::size_t bytes) {
  constexpr std::array<const char*, 4> kUnits{"B", "KiB", "MiB", "GiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  // From 1023.95 on, one digit after the point rounds to 1024.0.
  for (; size >= (unit == 0 ? 1024 : 1023.95) && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return fixed(size, unit == 0 ? 0 : 1) + ' ' + kUnits[unit];
}

}  // namespace tonnx::diagram
