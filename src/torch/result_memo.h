#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/evaluator.h"

namespace tonnx::torch {

// The results of an evaluator's calls while equal calls may return the same data (ir::Evaluator::share_results). Data
// are compared by address, so constants and tensors without data are shared as well.
class ResultMemo {
 public:
  // What an evaluation depends on.
  struct Call {
    const void* operation = nullptr;  // of the node's kind and schema
    const void* type = nullptr;       // of the first result, if the operator has no schema
    std::size_t outputs = 0;
    ir::Evaluator::Wanted wanted = ir::Evaluator::Wanted::Content;
    std::vector<ir::DatumPtr> inputs = {};

    bool operator==(const Call&) const = default;
  };
  struct Result {
    ir::Evaluator::Outcome outcome = ir::Evaluator::Outcome::NoRule;
    std::vector<ir::DatumPtr> outputs = {};
    std::exception_ptr error = nullptr;  // what the operator threw instead
  };

  // Begins to share results, and drops those that were neither added nor found since the last call that did; or ends
  // it.
  void start(bool may_share);
  bool may_share() const { return may_share_; }

  // None if a node's results depend on more than its inputs, or it has none.
  std::optional<Call> call_of(const ir::Node& node, std::span<const ir::DatumPtr> inputs, ir::Evaluator::Wanted wanted);
  // Null if there is none. Valid until the next call of a member that is not const.
  const Result* find(const Call& call);
  void add(Call call, Result result);

  // The shared datum for a value, or the one that `make` returns.
  ir::DatumPtr shared(const ir::Constant& constant, const std::function<ir::DatumPtr()>& make);
  ir::DatumPtr shared(ir::DType dtype, std::span<const std::int64_t> dims, const std::function<ir::DatumPtr()>& make);
  ir::DatumPtr shared(const ir::Tensor& tensor, const std::function<ir::DatumPtr()>& make);

 private:
  struct Hash {
    std::size_t operator()(const Call& call) const;
  };
  struct Known {
    Result result;
    std::size_t last_use;
  };
  struct Value {
    ir::DatumPtr datum;
    std::shared_ptr<const ir::Storage> storage;  // its address is part of the key
    std::size_t last_use;
  };
  ir::DatumPtr shared(std::string key, std::shared_ptr<const ir::Storage> storage,
                      const std::function<ir::DatumPtr()>& make);

  bool may_share_ = false;
  std::size_t generation_ = 0;
  std::unordered_map<Call, Known, Hash> calls_;
  std::unordered_map<std::string, Value> values_;
  std::unordered_set<std::string> types_;
};

}  // namespace tonnx::torch
