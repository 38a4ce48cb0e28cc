#include <cstring>

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
      sizes("NonzeroNumel", "aten::nonzero", [](Tensors& x) { return R{x[0] * double((x[0] > 0).nonzero().numel())}; }),
      sizes("ALoopOverRows", "aten::nonzero",
            [](Tensors& x) {
              at::Tensor y = x[0];
              for (std::int64_t i = 0; i < (x[0] > 0).nonzero().size(0); ++i) y = y + 1;
              return R{y};
            }),
      sizes(
          "UniqueCounts", "aten::_unique2",
          [](Tensors& x) { return R{x[0] * size_of(std::get<2>(at::_unique2(x[0], true, false, true)))}; }, kIntegers),
      sizes("SplitByRows", "aten::masked_select",
            [](Tensors& x) {
              const at::Tensor y = x[0].masked_select(x[0] > -9);
              return R{y.split(1).front() + x[0]};
            }),
      sizes("UnbindOfNonzero", "aten::nonzero",
            [](Tensors& x) {
              at::Tensor s = x[0].sum();
              for (const auto& row : (x[0] > -9).nonzero().unbind(0)) s = s + row.sum();
              return R{s};
            }),
      sizes("ReshapeOfSelected", "aten::masked_select",
            [](Tensors& x) { return R{x[0].masked_select(x[0] > -9).reshape({2, 3})}; }),
      warned("Plain.Equal", "number", [](Tensors& x) { return R{at::equal(x[0], x[0].abs()) ? x[0] * 2 : x[0] * 3}; }),
      warned("Plain.AllClose", "number",
             [](Tensors& x) { return R{at::allclose(x[0], x[0].abs()) ? x[0] * 2 : x[0] * 3}; }),
      warned("Plain.IsNonzero", "number", [](Tensors& x) { return R{x[0].sum().is_nonzero() ? x[0] * 2 : x[0] * 3}; }),
      warned("Plain.AnyItem", "number",
             [](Tensors& x) { return R{(x[0] > 0).any().item<bool>() ? x[0] * 2 : x[0] * 3}; }),
      warned("Plain.MaxItem", "number", [](Tensors& x) { return R{x[0] * x[0].max().item().toDouble()}; }),
      warned("Plain.ItemInt", "number",
             [](Tensors& x) { return R{x[0].narrow(1, 0, x[0].abs().max().ceil().item<std::int64_t>() > 0 ? 2 : 3)}; }),
      warned(
          "Plain.ItemAsABound", "number", [](Tensors& x) { return R{at::arange(x[0].max().item<std::int64_t>())}; },
          kIntegers),
      warned("Plain.ItemIntoATensor", "number",
             [](Tensors& x) { return R{x[0] + torch::tensor(x[0].sum().item<float>())}; }),
      warned("Plain.ItemAsAFill", "number", [](Tensors& x) { return R{at::full({3}, x[0].sum().item())}; }),
      warned(
          "Plain.ItemToIndex", "number", [](Tensors& x) { return R{x[0].select(0, x[0].min().item<std::int64_t>())}; },
          kIntegers),
      reads("AnElementIntoATensor", [](Tensors& x) { return R{x[0] + torch::tensor(x[0].data_ptr<float>()[1])}; }),
      reads(
          "AnElementAsASize", [](Tensors& x) { return R{at::ones({x[0].data_ptr<std::int64_t>()[1]}) + x[0][0]}; },
          kIntegers),
      reads("Memcpy",
            [](Tensors& x) {
              float f[2];
              std::memcpy(f, x[0].data_ptr(), sizeof f);
              return R{x[0] * f[0]};
            }),
      reads("ElementOfAClone", [](Tensors& x) { return R{x[0] * x[0].clone().data_ptr<float>()[0]}; }),
      reads("ElementOfAView", [](Tensors& x) { return R{x[0] * x[0].t().select(0, 1).const_data_ptr<float>()[0]}; }),
      reads("SumOfAccessor",
            [](Tensors& x) {
              const auto a = x[0].accessor<float, 2>();
              double s = 0;
              for (int i = 0; i < a.size(0); ++i) s += a[i][0];
              return R{x[0] * s};
            }),
      reads("AComparison",
            [](Tensors& x) { return R{x[0].data_ptr<float>()[0] < x[0].data_ptr<float>()[1] ? x[0] * 2 : x[0] * 3}; }),
      idle("Sum", [](Tensors& x) { return R{x[0].masked_select(x[0] > 0).sum()}; }),
      idle("Indices", [](Tensors& x) { return R{(x[0] > 0).nonzero()}; }),
      taking_pointers(idle("Print", [](Tensors& x) { return R{x[0] * (x[0].data_ptr<float>()[0] < 1e6 ? 2 : 3)}; })),
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
