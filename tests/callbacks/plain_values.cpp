#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

// Traced on other values too, because a single run does not show such a read.
Callback reads(const char* name, Code code, std::function<Tensors()> inputs = floats({{2, 3}})) {
  return refused(std::string("OtherValues.") + name, kOnTheHost, [=] { return code; }, std::move(inputs));
}
// Traced in a single run, which shows that sizes depend on data, but not whether the code reads them.
Callback sizes(const char* name, const char* warning, Code code, std::function<Tensors()> inputs = floats({{2, 3}})) {
  return warned_in_single_run(std::string("SingleRun.") + name, warning, std::move(code), std::move(inputs));
}
Callback idle(const char* name, Code code, std::function<Tensors()> inputs = floats({{2, 3}})) {
  return equal(std::string("OtherValuesIdly.") + name, std::move(code), std::move(inputs));
}

double size_of(const at::Tensor& t) { return static_cast<double>(t.size(0)); }

const auto kIntegers = [] { return R{at::tensor(std::vector<std::int64_t>{3, 1, 3, 2, 1, 7})}; };

}  // namespace

// Code that reads elements, or sizes that depend on them, traced without dynamic axes.
std::vector<Callback> plain_values() {
  return {
      reads("Accessor", [](Tensors& x) { return R{x[0] * x[0].accessor<float, 2>()[1][1]}; }),
      reads("DataPtr", [](Tensors& x) { return R{x[0] + x[0].data_ptr<float>()[2]}; }),
      reads("ConstDataPtr", [](Tensors& x) { return R{x[0] + x[0].const_data_ptr<float>()[2]}; }),
      reads("DataPtrOfAResult", [](Tensors& x) { return R{x[0] * *x[0].sum().data_ptr<float>()}; }),
      reads("ABranch", [](Tensors& x) { return R{*x[0].data_ptr<float>() > 0 ? x[0].relu() : x[0].tanh()}; }),
      warned("Plain.Nonzero", "has sizes that depend on data",
             [](Tensors& x) { return R{x[0] * size_of((x[0] > 0).nonzero())}; }),
      warned("Plain.Item", "read as a number", [](Tensors& x) { return R{x[0] * x[0].sum().item<double>()}; }),
      idle("Sum", [](Tensors& x) { return R{x[0].masked_select(x[0] > 0).sum()}; }),
      idle("Indices", [](Tensors& x) { return R{(x[0] > 0).nonzero()}; }),
      idle("Print", [](Tensors& x) { return R{x[0] * (x[0].data_ptr<float>()[0] < 1e6 ? 2 : 3)}; }),
      sizes("Nonzero", "the result of aten::nonzero (operator 2 of the recording) has sizes that depend on data",
            [](Tensors& x) { return R{x[0] * size_of((x[0] > 0).nonzero())}; }),
      sizes("MaskedSelect", "aten::masked_select (operator 2",
            [](Tensors& x) { return R{x[0] * size_of(x[0].masked_select(x[0] > 0))}; }),
      sizes(
          "Unique", "aten::_unique2 (operator 1",
          [](Tensors& x) { return R{x[0] * size_of(std::get<0>(at::_unique2(x[0])))}; }, kIntegers),
      sizes(
          "UniqueConsecutive", "aten::unique_consecutive",
          [](Tensors& x) { return R{x[0] * size_of(std::get<0>(at::unique_consecutive(x[0])))}; }, kIntegers),
      sizes("UniqueRows", "aten::unique_dim",
            [](Tensors& x) { return R{x[0] * size_of(std::get<0>(at::unique_dim(x[0], 0)))}; }),
      sizes("Argwhere", "aten::argwhere", [](Tensors& x) { return R{x[0] * size_of(at::argwhere(x[0] > 0))}; }),
      sizes("WhereOfAMask", "aten::where", [](Tensors& x) { return R{x[0] * size_of(at::where(x[0] > 0)[0])}; }),
      sizes(
          "Bincount", "aten::bincount", [](Tensors& x) { return R{x[0] * size_of(at::bincount(x[0]))}; }, kIntegers),
      sizes(
          "OneHot", "aten::one_hot",
          [](Tensors& x) { return R{x[0] * static_cast<double>(at::one_hot(x[0]).size(1))}; }, kIntegers),
      sizes(
          "RepeatInterleave", "aten::repeat_interleave",
          [](Tensors& x) { return R{x[0] * size_of(at::repeat_interleave(x[0], x[0]))}; }, kIntegers),
      sizes("IndexWithAMask", "aten::index", [](Tensors& x) { return R{x[0] + size_of(x[0].index({x[0] > 0}))}; }),
      sizes("OfRandomNumbers", "aten::nonzero",
            [](Tensors& x) { return R{x[0] + size_of((at::rand({9}) > 0.5).nonzero())}; }),
      run_once(equal("SingleRunIdly.IndexWithIntegers",
                     [](Tensors& x) { return R{x[0].index({at::tensor({1, 0})}) + x[0]}; })),
      run_once(equal("SingleRunIdly.WhereOfThree", [](Tensors& x) { return R{at::where(x[0] > 0, x[0], x[0] * 2)}; })),
      run_once(equal(
          "SingleRunIdly.OneHotOfAKnownSize", [](Tensors& x) { return R{at::one_hot(x[0], 9) + 1}; }, kIntegers)),
      run_once(equal("SingleRunIdly.NonzeroOfAConstant",
                     [](Tensors& x) { return R{x[0] * size_of((at::tensor({1, 0, 1}) > 0).nonzero())}; })),
  };
}

}  // namespace callbacks
