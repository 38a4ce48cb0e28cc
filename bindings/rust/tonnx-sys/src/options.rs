//! `tonnx/options.h`.

use std::os::raw::c_char;

use crate::base::{tonnx_error, tonnx_observer, tonnx_options, tonnx_status};

// Made from options.json by scripts/options.py.
pub type tonnx_target = i32;
pub const TONNX_TARGET_ONNXRUNTIME: tonnx_target = 0;
pub const TONNX_TARGET_ONNX: tonnx_target = 1;
pub type tonnx_mode = i32;
pub const TONNX_MODE_AUTO: tonnx_mode = 0;
pub const TONNX_MODE_SCRIPT: tonnx_mode = 1;
pub const TONNX_MODE_TRACE: tonnx_mode = 2;
pub type tonnx_training = i32;
pub const TONNX_TRAINING_EVAL: tonnx_training = 0;
pub const TONNX_TRAINING_PRESERVE: tonnx_training = 1;
pub const TONNX_TRAINING_TRAIN: tonnx_training = 2;
pub type tonnx_initializers_as_inputs = i32;
pub const TONNX_INITIALIZERS_AS_INPUTS_AUTO: tonnx_initializers_as_inputs = 0;
pub const TONNX_INITIALIZERS_AS_INPUTS_ALWAYS: tonnx_initializers_as_inputs = 1;
pub const TONNX_INITIALIZERS_AS_INPUTS_NEVER: tonnx_initializers_as_inputs = 2;
pub type tonnx_operator_export_type = i32;
pub const TONNX_OPERATOR_EXPORT_TYPE_ONNX: tonnx_operator_export_type = 0;
pub const TONNX_OPERATOR_EXPORT_TYPE_FALLTHROUGH: tonnx_operator_export_type = 1;
pub const TONNX_OPERATOR_EXPORT_TYPE_ATEN: tonnx_operator_export_type = 2;
pub const TONNX_OPERATOR_EXPORT_TYPE_ATEN_FALLBACK: tonnx_operator_export_type = 3;
pub type tonnx_fixed_dynamic_axes = i32;
pub const TONNX_FIXED_DYNAMIC_AXES_ERROR: tonnx_fixed_dynamic_axes = 0;
pub const TONNX_FIXED_DYNAMIC_AXES_WARN: tonnx_fixed_dynamic_axes = 1;

functions! {
    pub fn tonnx_options_set_opset(
        options: *mut tonnx_options,
        value: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_target(
        options: *mut tonnx_options,
        value: tonnx_target,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_method(
        options: *mut tonnx_options,
        value: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_mode(
        options: *mut tonnx_options,
        value: tonnx_mode,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_training(
        options: *mut tonnx_options,
        value: tonnx_training,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_constant_folding(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_merge_equal_weights(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_export_params(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_initializers_as_inputs(
        options: *mut tonnx_options,
        value: tonnx_initializers_as_inputs,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_operator_export_type(
        options: *mut tonnx_options,
        value: tonnx_operator_export_type,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_autograd_inlining(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_check(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_invalid_model(
        options: *mut tonnx_options,
        value: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_doc_strings(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_node_names(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_weight_names(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_value_info(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_add_module_function(
        options: *mut tonnx_options,
        name: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_written_outputs(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_warnings_as_errors(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_sequence_inputs(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_sequence_outputs(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_add_input_name(
        options: *mut tonnx_options,
        name: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_add_output_name(
        options: *mut tonnx_options,
        name: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_add_dynamic_axis(
        options: *mut tonnx_options,
        name: *const c_char,
        axis: i64,
        symbol: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_all_axes_dynamic(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_fixed_dynamic_axes(
        options: *mut tonnx_options,
        value: tonnx_fixed_dynamic_axes,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_add_fixed_axis(
        options: *mut tonnx_options,
        name: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_custom_opset(
        options: *mut tonnx_options,
        domain: *const c_char,
        version: i64,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_max_seconds(
        options: *mut tonnx_options,
        value: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_max_steps(
        options: *mut tonnx_options,
        value: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_max_constant_mib(
        options: *mut tonnx_options,
        value: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_max_call_depth(
        options: *mut tonnx_options,
        value: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_add_print_after(
        options: *mut tonnx_options,
        name: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_print_changes(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_set_pass_statistics(
        options: *mut tonnx_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
}
// Made until here.

functions! {
    pub fn tonnx_options_new(out: *mut *mut tonnx_options, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_options_set_observer(
        options: *mut tonnx_options,
        observer: *const tonnx_observer,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_options_free(options: *mut tonnx_options);
    pub fn tonnx_opset_oldest() -> i32;
    pub fn tonnx_opset_newest() -> i32;
    pub fn tonnx_opset_default() -> i32;
}
