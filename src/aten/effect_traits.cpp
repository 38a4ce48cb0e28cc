// Operators with effects: on messages to the user, on objects, and on the outside world.
#include "aten/traits.h"

namespace tonnx::aten {
namespace {

constexpr Traits outside(std::string_view why) { return {.effect = Effect::Outside, .refusal = why}; }

constexpr std::string_view kProcesses = "exchanges data with other processes";
constexpr std::string_view kDevice = "acts on a device";
constexpr Traits kUnchecked = {
    .effect = Effect::Unchecked,
    .refusal = "may access memory outside its arguments; call the operator that checks them"};

constexpr Row kRows[] = {
    // Messages and checks.
    {"aten::_assert_async", {.effect = Effect::Diagnostic}},
    {"aten::_assert_scalar", {.effect = Effect::Diagnostic}},
    {"aten::_assert_tensor_metadata", {.effect = Effect::Diagnostic}},
    {"aten::_functional_assert_async", {.effect = Effect::Diagnostic}},
    {"aten::_functional_assert_scalar", {.effect = Effect::Diagnostic}},
    {"aten::_linalg_check_errors", {.effect = Effect::Diagnostic}},
    {"aten::_print", {.effect = Effect::Diagnostic}},
    {"aten::_propagate_xla_data", {.effect = Effect::Diagnostic}},
    {"aten::_validate_compressed_sparse_indices", {.effect = Effect::Diagnostic}},
    {"aten::_validate_sparse_bsc_tensor_args", {.effect = Effect::Diagnostic}},
    {"aten::_validate_sparse_bsr_tensor_args", {.effect = Effect::Diagnostic}},
    {"aten::_validate_sparse_compressed_tensor_args", {.effect = Effect::Diagnostic}},
    {"aten::_validate_sparse_coo_tensor_args", {.effect = Effect::Diagnostic}},
    {"aten::_validate_sparse_csc_tensor_args", {.effect = Effect::Diagnostic}},
    {"aten::_validate_sparse_csr_tensor_args", {.effect = Effect::Diagnostic}},
    {"aten::set_grad_enabled", {.effect = Effect::Diagnostic}},
    {"aten::sym_constrain_range", {.effect = Effect::Diagnostic}},
    {"aten::sym_constrain_range_for_size", {.effect = Effect::Diagnostic}},
    {"aten::warn", {.effect = Effect::Diagnostic}},
    {"prim::Print", {.effect = Effect::Diagnostic}},
    {"profiler::_record_function_enter", {.effect = Effect::Diagnostic}},
    {"profiler::_record_function_enter_new", {.effect = Effect::Diagnostic}},
    {"profiler::_record_function_exit", {.effect = Effect::Diagnostic}},
    {"prim::Guard", {.passes = true}},
    {"prim::profile", {.passes = true}},
    {"prim::profile_ivalue", {.passes = true}},

    // Objects and threads.
    {"aten::wait", {.alias = Alias::Same, .refusal = "waits for code in another thread", .passes = true}},
    {"prim::CallFunction", {.refusal = "calls a function that could not be inlined"}},
    {"prim::CallMethod", {.effect = Effect::Acts, .refusal = "calls a method that could not be inlined"}},
    {"prim::CreateObject", {.refusal = "creates an object of a script class; use tensors and tuples"}},
    {"prim::GetAttr",
     {.refusal = "reads an attribute of an object that is not a parameter, buffer or constant of the module"}},
    {"prim::RaiseException", {.effect = Effect::Acts}},
    {"prim::SetAttr",
     {.effect = Effect::Acts, .refusal = "changes an attribute of an object; return the new value instead"}},
    {"prim::fork", {.refusal = "runs code in another thread"}},

    // Files.
    {"aten::from_file", outside("reads or creates a file")},
    {"aten::save", outside("writes a file")},

    // The process and its generators.
    {"aten::manual_seed", outside("seeds the random generator of the whole process; seed it before the program runs")},
    {"aten::seed", outside("seeds a random generator; seed it before the program runs")},
    {"prim::AddStatValue", outside("adds to the statistics of the process")},
    {"prim::IgnoredPythonOp", outside("calls Python")},
    {"prim::PythonOp", outside("calls Python")},
    {"prim::TimePoint", outside("reads the clock")},
    {"profiling::*", outside("changes what the process records of its runs")},

    // Other processes.
    {"_c10d_functional::*", outside(kProcesses)},
    {"_c10d_functional_autograd::*", outside(kProcesses)},
    {"_dtensor::*", outside(kProcesses)},
    {"c10d::*", outside(kProcesses)},
    {"dist::*", outside(kProcesses)},
    {"symm_mem::*", outside(kProcesses)},
    {"prim::rpc_async", outside(kProcesses)},
    {"prim::rpc_remote", outside(kProcesses)},
    {"prim::rpc_sync", outside(kProcesses)},

    // Devices and raw memory.
    {"_nnapi::*", outside(kDevice)},
    {"aten::_cufft_clear_plan_cache", outside(kDevice)},
    {"aten::_cufft_get_plan_cache_max_size", outside(kDevice)},
    {"aten::_cufft_get_plan_cache_size", outside(kDevice)},
    {"aten::_cufft_set_plan_cache_max_size", outside(kDevice)},
    {"aten::_cudnn_init_dropout_state", outside(kDevice)},
    {"aten::record_stream", outside(kDevice)},
    {"cuda::*", outside(kDevice)},
    {"inductor::*", outside("acts on the storage of tensors")},

    // Operators that do not check the sizes, strides and indices they are passed.
    {"aten::_convert_indices_from_coo_to_csr", kUnchecked},
    {"aten::_convert_indices_from_csr_to_coo", kUnchecked},
    {"aten::_nested_view_from_buffer", kUnchecked},
    {"aten::_nested_view_from_buffer_copy", kUnchecked},
    {"aten::_reshape_alias", kUnchecked},
    {"aten::_reshape_alias_copy", kUnchecked},
    {"aten::_sparse_bsc_tensor_unsafe", kUnchecked},
    {"aten::_sparse_bsr_tensor_unsafe", kUnchecked},
    {"aten::_sparse_compressed_tensor_unsafe", kUnchecked},
    {"aten::_sparse_compressed_tensor_with_dims", kUnchecked},
    {"aten::_sparse_coo_tensor_unsafe", kUnchecked},
    {"aten::_sparse_coo_tensor_with_dims", kUnchecked},
    {"aten::_sparse_coo_tensor_with_dims_and_tensors", kUnchecked},
    {"aten::_sparse_csc_tensor_unsafe", kUnchecked},
    {"aten::_sparse_csr_tensor_unsafe", kUnchecked},
};

}  // namespace

std::span<const Row> effect_traits() { return kRows; }

}  // namespace tonnx::aten
