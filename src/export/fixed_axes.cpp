#include "export/fixed_axes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

#include "export/axes.h"
#include "ir/checked.h"
#include "ir/error.h"
#include "ir/text.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Dim;
using ir::Error;
using ir::Polynomial;
using Sizes = std::map<std::string, Polynomial>;

// A size that must equal a number.
struct Equation {
  std::string what;
  Polynomial size = 0;
  std::int64_t number = 0;
};

// "x:0=4", "x:0", "s77=4", "s77"
struct Wanted {
  std::string what;
  std::string name;
  std::optional<std::int64_t> axis;
  std::optional<std::int64_t> size;
};

std::optional<std::int64_t> whole(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

Wanted parse(const std::string& text) {
  Wanted wanted{"fixed axis '" + text + "'", text, {}, {}};
  if (const std::size_t equals = text.rfind('='); equals != std::string::npos) {
    wanted.size = whole(text.substr(equals + 1));
    if (!wanted.size || *wanted.size < 0)
      throw Error(Code::Argument, wanted.what + ": the size is not a non-negative integer");
    wanted.name = text.substr(0, equals);
  }
  if (const std::size_t colon = wanted.name.rfind(':'); colon != std::string::npos) {
    wanted.axis = whole(wanted.name.substr(colon + 1));
    if (!wanted.axis) throw Error(Code::Argument, wanted.what + ": the axis is not an integer");
    wanted.name = wanted.name.substr(0, colon);
  }
  if (wanted.name.empty())
    throw Error(Code::Argument, wanted.what + ": write NAME:AXIS=SIZE, NAME:AXIS, SYMBOL=SIZE, SYMBOL or *");
  return wanted;
}

// Solves `size` == number for the symbol; nullopt if `size` is not linear in the symbol.
std::optional<std::int64_t> solved(const Equation& equation, const Polynomial& size, const std::string& symbol) {
  const Polynomial none = size.with({{symbol, 0}}), slope = size.with({{symbol, 1}}) - none;
  if (!none.constant() || !slope.constant() || *slope.constant() == 0 ||
      slope * Polynomial::symbol(symbol) + none != size)
    return std::nullopt;
  const auto rest = ir::checked_subtract(equation.number, *none.constant());
  const std::int64_t step = *slope.constant();
  if (!rest || ir::checked_remainder(*rest, step) != 0 || *rest / step < 0)
    throw Error(Code::Argument, equation.what + ": the size is " + size.text() +
                                    " in the program, which can never be " + std::to_string(equation.number));
  return *rest / step;
}

// Solves for the symbols. Equations with more than one unknown symbol stay in `open`.
Sizes solve(std::vector<Equation> equations, std::vector<Equation>& open) {
  Sizes sizes;
  for (bool more = true; more;) {
    more = false;
    open.clear();
    for (const Equation& equation : equations) {
      const Polynomial size = equation.size.with(sizes);
      if (const auto number = size.constant()) {
        if (*number != equation.number)
          throw Error(Code::Argument, equation.what + ": the size is " + equation.size.text() +
                                          " in the program, which is " + std::to_string(*number) +
                                          " for the other sizes");
        continue;
      }
      const std::set<std::string> symbols = size.symbols();
      const auto found = symbols.size() == 1 ? solved(equation, size, *symbols.begin()) : std::nullopt;
      if (found)
        sizes.insert_or_assign(*symbols.begin(), Polynomial(*found));
      else
        open.push_back(equation);
      more |= found.has_value();
    }
    equations = open;
  }
  return sizes;
}

class Fixing {
 public:
  Fixing(const LoadedProgram& source, const ir::Arguments& args, const Options& options)
      : source_(source), options_(options), program_(source.import(options.method, args, options.training)) {
    // The user's names are for the remaining inputs.
    if (!program_.numbers.empty()) options_.input_names.clear();
  }

  std::map<std::string, std::int64_t> run() {
    bool all = false;
    std::vector<Equation> equations, open;
    for (const std::string& text : options_.fixed_axes) {
      if (text == "*")
        all = true;
      else
        add(parse(text), equations);
    }
    Sizes sizes = solve(equations, open);
    if (!open.empty())
      throw Error(Code::Argument, open.front().what + ": the size is " + open.front().size.with(sizes).text() +
                                      " in the program; fix the sizes that it depends on");
    const std::set<std::string> named = named_dynamic();
    for (const std::string& symbol : named)
      if (sizes.contains(symbol))
        throw Error(Code::Argument, "the size " + symbol + " of the program is fixed, but a dynamic axis names it");
    if (all)
      for (const std::string& symbol : symbols())
        if (!named.contains(symbol) && !sizes.contains(symbol))
          sizes.insert_or_assign(symbol, example(symbol, "fixed axes '*'"));
    check_axes(sizes);
    std::map<std::string, std::int64_t> numbers;
    for (const auto& [symbol, size] : sizes) numbers.emplace(symbol, *size.constant());
    return numbers;
  }

 private:
  void add(const Wanted& wanted, std::vector<Equation>& equations) {
    if (!wanted.axis) {
      const auto number = program_.numbers.find(wanted.name);
      const bool is_number = number != program_.numbers.end();
      if (!is_number && !symbols().contains(wanted.name)) unknown(wanted);
      return add(wanted, is_number ? number->second : Polynomial::symbol(wanted.name), equations);
    }
    const auto [input, axis] = find_axis(*program_.graph, options_, wanted.name, *wanted.axis, wanted.what);
    const Dim& dim = program_.graph->inputs()[input]->facts().dims->at(axis);
    if (dim.is_fixed()) {
      if (!wanted.size || *wanted.size == dim.size()) return;
      throw Error(Code::Argument,
                  wanted.what + ": the program was exported with the size " + std::to_string(dim.size()));
    }
    if (!dim.polynomial())
      throw Error(Code::Argument, wanted.what + ": the program does not say how the size is computed");
    add(wanted, *dim.polynomial(), equations);
  }

  void add(const Wanted& wanted, const Polynomial& size, std::vector<Equation>& equations) {
    if (wanted.size) return equations.push_back({wanted.what, size, *wanted.size});
    for (const std::string& symbol : size.symbols())
      equations.push_back({wanted.what, Polynomial::symbol(symbol), example(symbol, wanted.what)});
  }

  [[noreturn]] void unknown(const Wanted& wanted) {
    std::set<std::string> names = symbols();
    for (const auto& [name, number] : program_.numbers) names.insert(name);
    const std::string known = ir::comma_list(names);
    throw Error(Code::Argument, wanted.what + ": there is no dynamic size or number '" + wanted.name + "'" +
                                    (known.empty() ? "; the program has none" : ", only " + known) +
                                    "; write an axis of an input as NAME:AXIS");
  }

  // Symbols of the inputs' axes and of number inputs.
  std::set<std::string> symbols() const {
    std::set<std::string> all;
    for (const auto& [name, number] : program_.numbers) all.merge(number.symbols());
    for (const ir::Value* input : program_.graph->inputs())
      if (const auto& dims = input->facts().dims)
        for (const Dim& dim : *dims)
          if (dim.polynomial()) all.merge(dim.polynomial()->symbols());
    return all;
  }

  std::set<std::string> named_dynamic() const {
    std::set<std::string> named;
    for (const BoundAxis& axis : bind_axes(*program_.graph, options_, program_.output_names)) {
      if (!axis.is_input) continue;
      const auto& dims = program_.graph->inputs()[axis.index]->facts().dims;
      const Polynomial* size = dims ? dims->at(static_cast<std::size_t>(axis.axis)).polynomial() : nullptr;
      if (size) named.merge(size->symbols());
    }
    return named;
  }

  std::int64_t example(const std::string& symbol, const std::string& what) {
    if (!examples_) examples_ = examples();
    const auto found = examples_->find(symbol);
    if (found == examples_->end())
      throw Error(Code::Argument, what + ": the program has no example inputs with the size " + symbol +
                                      "; specify example inputs or the size");
    return *found->second.constant();
  }

  Sizes examples() const {
    std::vector<ir::Tensor> inputs = program_.inputs;
    if (inputs.empty()) {
      const ir::Arguments stored = source_.examples(options_.method);
      if (stored.positional.empty() && stored.keywords.empty()) return {};
      inputs = source_.import(options_.method, stored, options_.training).inputs;
    }
    std::vector<Equation> equations, open;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ir::Value* input = program_.graph->inputs()[i];
      const std::string what = "the example input '" + input->name() + "'";
      if (const auto number = program_.numbers.find(input->name()); number != program_.numbers.end())
        equations.push_back({what, number->second, ir::load_int64(inputs[i].dtype, inputs[i].data())});
      if (const auto& dims = input->facts().dims)
        for (std::size_t d = 0; d < dims->size(); ++d)
          if (const Polynomial* size = (*dims)[d].polynomial())
            equations.push_back({"axis " + std::to_string(d) + " of " + what, *size, inputs[i].dims.at(d)});
    }
    return solve(equations, open);
  }

  void check_axes(const Sizes& sizes) const {
    for (const ir::Value* input : program_.graph->inputs()) {
      if (!input->facts().dims) continue;
      for (std::size_t d = 0; d < input->facts().dims->size(); ++d) {
        const Polynomial* size = (*input->facts().dims)[d].polynomial();
        const auto number = size ? size->with(sizes).constant() : std::nullopt;
        if (number && *number < 0)
          throw Error(Code::Argument, "fixed axes: axis " + std::to_string(d) + " of '" + input->name() + "', " +
                                          size->text() + ", would be " + std::to_string(*number));
      }
    }
  }

  const LoadedProgram& source_;
  Options options_;
  const ir::RawProgram program_;
  std::optional<Sizes> examples_;
};

}  // namespace

std::map<std::string, std::int64_t> fixed_sizes(const LoadedProgram& source, const ir::Arguments& args,
                                                const Options& options) {
  if (options.fixed_axes.empty()) return {};
  if (!source.has_facts()) source.with_sizes({});  // refuses
  return Fixing(source, args, options).run();
}

}  // namespace tonnx::exporting
