#include <cstring>
#include <memory>

#include <ATen/DLConvertor.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>

#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

Callback pointer(const char* name, const char* value, Code code, std::function<Tensors()> inputs = floats({{2, 3}})) {
  return warned_in_single_run(std::string("Pointer.") + name, std::string("a pointer to the elements of ") + value,
                              std::move(code), std::move(inputs));
}
// Code that takes pointers without an effect on the model.
Callback harmless(const char* name, Code code, std::function<Tensors()> inputs = floats({{2, 3}})) {
  return run_once(equal(std::string("PointerIdly.") + name, std::move(code), std::move(inputs)));
}

const auto kWholeNumbers = [] { return R{at::tensor(std::vector<std::int64_t>{3, 1, 3, 2, 1, 7})}; };

// A kernel of a host's own code, which LibTorch's dispatcher does not know.
struct Doubled : torch::autograd::Function<Doubled> {
  static at::Tensor forward(torch::autograd::AutogradContext* /*context*/, const at::Tensor& x) {
    at::Tensor y = at::empty({x.numel()});
    for (std::int64_t i = 0; i < x.numel(); ++i) y.data_ptr<float>()[i] = 2 * x.data_ptr<float>()[i];
    return y;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* /*context*/,
                                                 const torch::autograd::variable_list& gradients) {
    return {2 * gradients[0]};
  }
};

}  // namespace

// Code that takes pointers to elements, traced in a single run.
std::vector<Callback> pointers() {
  return {
      pointer("Accessor", "input 'input' was", [](Tensors& x) { return R{x[0] * x[0].accessor<float, 2>()[1][1]}; }),
      pointer("DataPtr", "input 'input' was", [](Tensors& x) { return R{x[0] + x[0].data_ptr<float>()[2]}; }),
      pointer("OfAResult", "the result of aten::sum (operator 1 of the recording)",
              [](Tensors& x) { return R{x[0] * *x[0].sum().data_ptr<float>()}; }),
      pointer("OfAResultThatLives", "the result of aten::relu (operator 2",
              [](Tensors& x) {
                const at::Tensor y = (x[0] + 1).relu();
                const at::Tensor z = y * 2;
                return R{z.tanh() + y.accessor<float, 2>()[0][0]};
              }),
      pointer("OfOneOfManyThatLive", "the result of aten::mul (operator 1 of",
              [](Tensors& x) {
                R all{x[0] * 2};
                for (int i = 0; i < 400; ++i) all.push_back(x[0] + i);
                const float read = *all[0].data_ptr<float>();
                at::Tensor sum = all[200] + all[300];
                return R{sum + read};
              }),
      pointer("OfOneOfManyBeforeItIsUsed", "the result of aten::mul (operator 1 of",
              [](Tensors& x) {
                R all{x[0] * 2};
                for (int i = 0; i < 400; ++i) all.push_back(x[0] + i);
                const float read = *all[0].data_ptr<float>();
                return R{all[0] + read};
              }),
      pointer("OfAView", "input 'input' was",
              [](Tensors& x) { return R{x[0] * *x[0].t().select(0, 1).data_ptr<float>()}; }),
      pointer("OfTheBase", "the result of aten::exp (operator 1",
              [](Tensors& x) {
                const at::Tensor y = x[0].exp(), z = y.view({3, 2});
                return R{z * *y.data_ptr<float>()};
              }),
      pointer("AfterAWrite", "input 'input' was",
              [](Tensors& x) {
                x[0].mul_(2);
                return R{x[0] + *x[0].data_ptr<float>()};
              }),
      pointer("OfAWrittenBuffer", "the result of aten::zeros",
              [](Tensors& x) {
                at::Tensor buffer = at::zeros({2, 3});
                buffer[0].copy_(x[0][1]);
                return R{x[0] + buffer.data_ptr<float>()[1]};
              }),
      pointer("OfRandomNumbers", "the result of aten::rand (operator 1",
              [](Tensors& x) { return R{x[0] + (*at::rand({2}).data_ptr<float>() < 2 ? 1 : 0)}; }),
      pointer(
          "OfIntegers", "input 'input' was",
          [](Tensors& x) { return R{at::ones({x[0].data_ptr<std::int64_t>()[1]}) + x[0][0]}; }, kWholeNumbers),
      pointer("OfBools", "the result of aten::gt (operator 1",
              [](Tensors& x) { return R{*(x[0] > 0).data_ptr<bool>() ? x[0] * 2 : x[0] * 3}; }),
      pointer("OfAHalf", "the result of aten::to (operator 1",
              [](Tensors& x) { return R{x[0] * float(*x[0].to(at::kHalf).data_ptr<at::Half>())}; }),
      pointer("OfTheSecondResult", "the result of aten::sort",
              [](Tensors& x) { return R{x[0] * double(*std::get<1>(x[0].sort()).data_ptr<std::int64_t>())}; }),
      pointer("Memcpy", "input 'input' was",
              [](Tensors& x) {
                float f[2];
                std::memcpy(f, x[0].data_ptr(), sizeof f);
                return R{x[0] * f[0]};
              }),
      pointer("OfTheStorage", "input 'input' was",
              [](Tensors& x) { return R{x[0] * static_cast<float*>(x[0].storage().mutable_data())[1]}; }),
      pointer("OfTheImplementation", "input 'input' was",
              [](Tensors& x) { return R{x[0] * static_cast<float*>(x[0].unsafeGetTensorImpl()->mutable_data())[1]}; }),
      pointer("OfCInterface", "input 'input' was",
              [](Tensors& x) {
                void* data = nullptr;
                aoti_torch_get_data_ptr(reinterpret_cast<AtenTensorHandle>(&x[0]), &data);
                return R{x[0] * static_cast<float*>(data)[1]};
              }),
      pointer("DLPack", "input 'input' was",
              [](Tensors& x) {
                DLManagedTensor* shared = at::toDLPack(x[0]);
                const float element = static_cast<float*>(shared->dl_tensor.data)[1];
                shared->deleter(shared);
                return R{x[0] * element};
              }),
      pointer("InARange", "the result of aten::sum",
              [](Tensors& x) {
                RECORD_USER_SCOPE("range");
                return R{x[0] * *x[0].sum().data_ptr<float>()};
              }),
      pointer("WhileNothingIsRecorded", "input 'input' was",
              [](Tensors& x) {
                const at::NoGradGuard no_gradients;
                const float element = *x[0].data_ptr<float>();
                return R{x[0] + at::full({3}, element)};
              }),
      pointer("BeforeTheOnlyOutput", "input 'input' was",
              [](Tensors& x) {
                auto memory = std::make_shared<std::vector<float>>(x[0].data_ptr<float>(), x[0].data_ptr<float>() + 6);
                return R{torch::from_blob(memory->data(), {6}, [memory](void*) {})};
              }),
      pointer("OwnKernel", "input 'input' was", [](Tensors& x) { return R{Doubled::apply(x[0])}; }),
      pointer("TwoReads", "the result of aten::neg",
              [](Tensors& x) {
                const float first = *x[0].data_ptr<float>();
                const at::Tensor y = x[0].neg();
                return R{y * (first + *y.data_ptr<float>())};
              }),
      harmless("OfAWeight",
               [](Tensors& x) {
                 at::Tensor w = at::ones({3});
                 w.data_ptr<float>()[1] = 5;
                 return R{x[0] * w + *w.data_ptr<float>()};
               }),
      harmless("OfAConstant", [](Tensors& x) { return R{x[0] * *at::tensor({2.f, 3.f}).add(1).data_ptr<float>()}; }),
      harmless("OfSizes",
               [](Tensors& x) {
                 const at::Tensor sizes = at::_shape_as_tensor(at::ones({2, 3}));
                 return R{x[0].reshape({sizes.data_ptr<std::int64_t>()[1], -1})};
               }),
      harmless("KernelsThatTakePointers",
               [](Tensors& x) {
                 const at::Tensor indices = x[0].argsort(std::int64_t{1}), sums = x[0].cumsum(1);
                 return R{sums.gather(1, indices),
                          at::histc(x[0], 4, -1, 1),
                          at::median(x[0]),
                          std::get<0>(x[0].topk(2, 1)),
                          x[0].matmul(x[0].t()).inverse(),
                          at::max_pool2d(x[0].view({1, 1, 2, 3}), {1, 2})};
               }),
      harmless("ConstantPointers",
               [](Tensors& x) { return R{x[0] + (x[0].const_data_ptr<float>() == nullptr ? 1 : 0)}; }),
  };
}

}  // namespace callbacks
