#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;
using at::indexing::Ellipsis;
using at::indexing::None;
using at::indexing::Slice;

const auto cube = floats({{2, 3, 4}});

}  // namespace

// Reads and writes with every kind of index of the C++ front end.
std::vector<Callback> indexing() {
  return {
      equal("Index.Int", [](Tensors& x) { return R{x[0].index({1})}; }),
      equal("Index.NegativeInt", [](Tensors& x) { return R{x[0].index({-1, -2})}; }),
      equal("Index.Bracket", [](Tensors& x) { return R{x[0][1] + x[0][0][2]}; }),
      equal("Index.BracketTensor", [](Tensors& x) { return R{x[0][torch::tensor(1)]}; }),
      equal("Index.Slice", [](Tensors& x) { return R{x[0].index({Slice(), Slice(1, 3)})}; }),
      equal(
          "Index.SliceWithStep", [](Tensors& x) { return R{x[0].index({Slice(None, None, 2), Slice(0, -1, 2)})}; },
          cube),
      equal("Index.NegativeSlice", [](Tensors& x) { return R{x[0].index({Slice(-1, None)})}; }),
      equal(
          "Index.Ellipsis", [](Tensors& x) { return R{x[0].index({Ellipsis, 1})}; }, cube),
      equal(
          "Index.EllipsisInTheMiddle", [](Tensors& x) { return R{x[0].index({0, Ellipsis, Slice(1)})}; }, cube),
      equal("Index.None", [](Tensors& x) { return R{x[0].index({None, Slice(), None})}; }),
      equal("Index.True", [](Tensors& x) { return R{x[0].index({true})}; }),
      equal("Index.False", [](Tensors& x) { return R{x[0].index({false}), x[0] + 1}; }),
      equal("Index.LiteralTensor", [](Tensors& x) { return R{x[0].index({Slice(), torch::tensor({0, 2})})}; }),
      equal("Index.LiteralTensorFirst", [](Tensors& x) { return R{x[0].index({torch::tensor({1, 0, 1})})}; }),
      equal("Index.NegativeLiteralTensor",
            [](Tensors& x) { return R{x[0].index({Slice(), torch::tensor({-1, -3})})}; }),
      equal("Index.TwoTensors",
            [](Tensors& x) { return R{x[0].index({torch::tensor({0, 1}), torch::tensor({2, 0})})}; }),
      equal(
          "Index.TwoTensorsApart",
          [](Tensors& x) { return R{x[0].index({torch::tensor({0, 1}), Slice(), torch::tensor({2, 0})})}; }, cube),
      equal("Index.TensorOfRankTwo", [](Tensors& x) { return R{x[0].index({torch::tensor({{0, 1}, {1, 1}})})}; }),
      equal("Index.TensorAndNone", [](Tensors& x) { return R{x[0].index({torch::tensor({1}), None, Slice(0, 2)})}; }),
      equal("Index.LiteralMask",
            [](Tensors& x) { return R{x[0].index({Slice(), torch::tensor({true, false, true})})}; }),
      equal("Index.ComputedMask", [](Tensors& x) { return R{x[0].index({x[0] > 0}).sum()}; }),
      equal("Index.ComputedTensor", [](Tensors& x) { return R{x[0].index({Slice(), x[0].argmax(1)})}; }),
      equal("Index.Vector",
            [](Tensors& x) { return R{x[0].index_select(1, torch::tensor(std::vector<std::int64_t>{2, 0}))}; }),
      equal("Index.Gather", [](Tensors& x) { return R{x[0].gather(1, torch::tensor({{0, 2}, {1, 1}}))}; }),
      equal("Index.Take", [](Tensors& x) { return R{x[0].take(torch::tensor({5, 0, 3}))}; }),
      equal("Index.Narrow", [](Tensors& x) { return R{x[0].narrow(1, 1, 2)}; }),
      equal("Index.Select", [](Tensors& x) { return R{x[0].select(1, -1)}; }),
      equal("Index.Embedding", [](Tensors& x) { return R{at::embedding(x[0], torch::tensor({1, 0, 1}))}; }),
      fresh("IndexPut.Number",
            [] {
              return Code([](Tensors& x) {
                x[0].index_put_({Slice(), 1}, 5.f);
                return R{x[0]};
              });
            }),
      fresh("IndexPut.NumberOnAClone",
            [] {
              return Code([](Tensors& x) {
                at::Tensor y = x[0].clone();
                y.index_put_({0}, -2);
                return R{y, x[0] + 0};
              });
            }),
      fresh("IndexPut.EverythingByANumber",
            [] {
              return Code([](Tensors& x) {
                at::Tensor y = x[0] * 1;
                y.index_put_({Ellipsis}, 3.5);
                return R{y};
              });
            }),
      fresh("IndexPut.ATensor",
            [] {
              return Code([](Tensors& x) {
                at::Tensor y = at::zeros({2, 4});
                y.index_put_({Slice(), Slice(0, 3)}, x[0]);
                return R{y};
              });
            }),
      fresh("IndexPut.ALiteral",
            [] {
              return Code([](Tensors& x) {
                x[0].index_put_({1}, torch::tensor({7.f, 8.f, 9.f}));
                return R{x[0] * 2};
              });
            }),
      fresh("IndexPut.BroadcastLiteral",
            [] {
              return Code([](Tensors& x) {
                x[0].index_put_({Slice(), Slice(1)}, torch::tensor({7.f}));
                return R{x[0]};
              });
            }),
      fresh("IndexPut.AtATensor",
            [] {
              return Code([](Tensors& x) {
                x[0].index_put_({torch::tensor({1, 0}), torch::tensor({2, 2})}, torch::tensor({7.f, 8.f}));
                return R{x[0]};
              });
            }),
      fresh("IndexPut.AtAComputedMask",
            [] {
              return Code([](Tensors& x) {
                at::Tensor y = x[0].clone();
                y.index_put_({x[0] < 0}, torch::tensor(0.5f));
                return R{y};
              });
            }),
      // LibTorch removes leading axes of size 1 from the assigned value, so one selected row is recorded differently
      // from several.
      fresh(
          "IndexPut.OneRowOfAMask",
          [] {
            return Code([](Tensors& x) {
              const at::Tensor mask = torch::tensor({true, false, false, false}) ^ (x[0].sum(1) > 10);
              at::Tensor y = x[0].clone();
              y.index_put_({mask}, y.index({mask}) * 2);
              return R{y};
            });
          },
          floats({{4, 3}})),
      fresh(
          "IndexPut.RowsOfAMask",
          [] {
            return Code([](Tensors& x) {
              const at::Tensor mask = x[0].sum(1) > 0;
              at::Tensor y = x[0].clone();
              y.index_put_({mask, Slice(None, 2)}, -y.index({mask, Slice(1)}));
              y.index_put_({Slice(), y.sum(0) > 0}, y.index({Slice(), y.sum(0) > 0}) + 1);
              return R{y};
            });
          },
          floats({{2, 3}})),
      fresh(
          "IndexPut.ManyLeadingOnes",
          [] {
            return Code([](Tensors& x) {
              at::Tensor y = x[0].clone();
              y.index_put_({x[0].select(1, 0) > 0}, x[0].sum(0).view({1, 1, 3}));
              return R{y};
            });
          },
          floats({{3, 3}})),
      fresh(
          "IndexPut.OfAViewWhoseBaseIsWritten",
          [] {
            return Code([](Tensors& x) {
              at::Tensor y = x[0].clone(), w = x[0].slice(0, 0, 1).clone();
              const at::Tensor row = w.view({3}), mask = x[0].select(1, 0) > 0;
              w.add_(1);
              y.index_put_({mask}, row);
              return R{y, w};
            });
          },
          floats({{4, 3}})),
      fresh("IndexPut.MaskByANumber",
            [] {
              return Code([](Tensors& x) {
                at::Tensor y = x[0].clone();
                y.index_put_({x[0] < 0}, 0.25);
                return R{y};
              });
            }),
      fresh("IndexPut.Accumulate",
            [] {
              return Code([](Tensors& x) {
                return R{x[0].index_put({torch::tensor({1, 1})}, torch::tensor({1.f, 2.f, 3.f}), true)};
              });
            }),
      fresh("IndexPut.OfAnotherDtype",
            [] {
              return Code([](Tensors& x) {
                x[0].index_put_({0, Slice()}, torch::tensor({1, 2, 3}));
                return R{x[0]};
              });
            }),
      fresh("IndexPut.ThroughBrackets",
            [] {
              return Code([](Tensors& x) {
                x[0][1][2] = 4.5;
                x[0][0] = x[0][1] * 2;
                return R{x[0]};
              });
            }),
      fresh("IndexPut.AColumnFromAnInput",
            [] {
              return Code([](Tensors& x) {
                at::Tensor y = at::ones({2, 5});
                y.index_put_({Slice(), 3}, x[0].index({Slice(), 0}));
                return R{y + y};
              });
            }),
  };
}

}  // namespace callbacks
