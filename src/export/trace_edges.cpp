#include "export/trace_edges.h"

#include "aten/traits.h"
#include "ir/complex.h"
#include "ir/error.h"
#include "ir/refusal.h"
#include "program/traces/same_trace.h"
#include "verify/compare.h"

namespace tonnx::exporting {

using ir::Code;
using ir::Error;
using ir::Tensor;

namespace {

constexpr const char* kWayOut = "use tensor operators to choose (torch::where, clamp), or leave the axis fixed";

bool has_other_elements_each_time(const ir::Graph& program) {
  return ir::any_node(program.block(),
                      [](const ir::Node& node) { return aten::is_random(node) || aten::traits_of(node).is_undefined; });
}

std::vector<Tensor> without_elements(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors)
    result.push_back({tensor.dtype, tensor.dims, std::vector<std::int64_t>(tensor.dims.size(), 0), 0,
                      ir::Storage::own(std::vector<std::byte>(ir::size_of(tensor.dtype)))});
  return result;
}

}  // namespace

void check_path(const ir::Graph& first, const std::string& first_sizes, const backend::Traced& run,
                const std::string& sizes) {
  if (const auto found = program::first_other_step(first, *run.program.graph))
    throw ir::refusal(*found->node, "runs at " + first_sizes + " where " + found->other + " runs at " + sizes +
                                        ": the code takes another path at another size; " + kWayOut);
}

void check_results(const ir::Graph& program, const backend::Traced& run, const std::string& sizes,
                   const RunGraph& run_graph) {
  std::vector<Tensor> expected = ir::with_parts(run.outputs), got;
  try {
    got = ir::with_parts(run_graph(program, run.program.inputs));
    if (has_other_elements_each_time(program)) {
      expected = without_elements(expected);
      got = without_elements(got);
    }
    verify::compare(expected, got, {}, {});
  } catch (const Error& error) {
    if (error.code() == Code::Unsupported) return;
    if (error.code() != Code::Verification && error.code() != Code::Program) throw;
    throw Error(Code::Unsupported, "at " + sizes +
                                       " the code takes another path than at other sizes, or uses constants that "
                                       "depend on the size, since its results differ from those of the program: " +
                                       error.what() + "; " + kWayOut);
  }
}

}  // namespace tonnx::exporting
