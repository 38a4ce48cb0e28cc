//! `tonnx/graph.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{
    tonnx_attributes, tonnx_destroy_fn, tonnx_dtype, tonnx_error, tonnx_graph, tonnx_kind, tonnx_node, tonnx_status,
    tonnx_tensor, tonnx_value,
};

functions! {
    pub fn tonnx_attributes_new(out: *mut *mut tonnx_attributes, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_attributes_set_int(
        attributes: *mut tonnx_attributes,
        name: *const c_char,
        value: i64,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_attributes_set_float(
        attributes: *mut tonnx_attributes,
        name: *const c_char,
        value: f64,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_attributes_set_string(
        attributes: *mut tonnx_attributes,
        name: *const c_char,
        value: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_attributes_set_tensor(
        attributes: *mut tonnx_attributes,
        name: *const c_char,
        value: *const tonnx_tensor,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_attributes_set_ints(
        attributes: *mut tonnx_attributes,
        name: *const c_char,
        values: *const i64,
        count: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_attributes_set_floats(
        attributes: *mut tonnx_attributes,
        name: *const c_char,
        values: *const f64,
        count: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_attributes_set_strings(
        attributes: *mut tonnx_attributes,
        name: *const c_char,
        values: *const *const c_char,
        count: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_attributes_set_tensors(
        attributes: *mut tonnx_attributes,
        name: *const c_char,
        values: *const *const tonnx_tensor,
        count: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_attributes_set_type(
        attributes: *mut tonnx_attributes,
        name: *const c_char,
        dtype: tonnx_dtype,
        dims: *const i64,
        rank: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_attributes_set_graph(
        attributes: *mut tonnx_attributes,
        name: *const c_char,
        graph: *mut tonnx_graph,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_attributes_set_suffixed(
        attributes: *mut tonnx_attributes,
        name: *const c_char,
        value: *const tonnx_value,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_attributes_free(attributes: *mut tonnx_attributes);
    pub fn tonnx_graph_op(
        outputs: *mut *mut tonnx_value,
        output_count: usize,
        graph: *mut tonnx_graph,
        name: *const c_char,
        inputs: *const *mut tonnx_value,
        input_count: usize,
        attributes: *const tonnx_attributes,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_graph_constant(
        out: *mut *mut tonnx_value,
        graph: *mut tonnx_graph,
        tensor: *const tonnx_tensor,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_graph_cast(
        out: *mut *mut tonnx_value,
        graph: *mut tonnx_graph,
        value: *mut tonnx_value,
        dtype: tonnx_dtype,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_graph_opset(graph: *const tonnx_graph) -> i32;
    pub fn tonnx_graph_is_training(graph: *const tonnx_graph) -> i32;
    pub fn tonnx_graph_call(
        outputs: *mut *mut tonnx_value,
        output_count: usize,
        graph: *mut tonnx_graph,
        name: *const c_char,
        inputs: *const *mut tonnx_value,
        input_count: usize,
        arguments: *const tonnx_attributes,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_graph_list(
        out: *mut *mut tonnx_value,
        graph: *mut tonnx_graph,
        values: *const *mut tonnx_value,
        count: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_graph_add_subgraph(
        out: *mut *mut tonnx_graph,
        graph: *mut tonnx_graph,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_graph_add_input(
        out: *mut *mut tonnx_value,
        graph: *mut tonnx_graph,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_graph_set_results(
        graph: *mut tonnx_graph,
        values: *const *mut tonnx_value,
        count: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_graph_fail(
        graph: *mut tonnx_graph,
        message: *const c_char,
        cause: *mut c_void,
        destroy: tonnx_destroy_fn,
    );
    pub fn tonnx_graph_name(graph: *const tonnx_graph) -> *const c_char;
    pub fn tonnx_graph_owner(graph: *const tonnx_graph) -> *const tonnx_node;
    pub fn tonnx_graph_node_count(graph: *const tonnx_graph) -> usize;
    pub fn tonnx_graph_node(graph: *const tonnx_graph, index: usize) -> *const tonnx_node;
    pub fn tonnx_graph_input_count(graph: *const tonnx_graph) -> usize;
    pub fn tonnx_graph_input(graph: *const tonnx_graph, index: usize) -> *const tonnx_value;
    pub fn tonnx_graph_output_count(graph: *const tonnx_graph) -> usize;
    pub fn tonnx_graph_output(graph: *const tonnx_graph, index: usize) -> *const tonnx_value;
    pub fn tonnx_node_operator(node: *const tonnx_node) -> *const c_char;
    pub fn tonnx_node_overload(node: *const tonnx_node) -> *const c_char;
    pub fn tonnx_node_module(node: *const tonnx_node) -> *const c_char;
    pub fn tonnx_node_source(node: *const tonnx_node) -> *const c_char;
    pub fn tonnx_node_argument_index(node: *const tonnx_node, name: *const c_char) -> i32;
    pub fn tonnx_node_argument_name(node: *const tonnx_node, index: usize) -> *const c_char;
    pub fn tonnx_node_get_tensors_first(
        out: *mut *const usize,
        count: *mut usize,
        node: *const tonnx_node,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_node_output_count(node: *const tonnx_node) -> usize;
    pub fn tonnx_node_output(node: *const tonnx_node, index: usize) -> *const tonnx_value;
    pub fn tonnx_node_input_count(node: *const tonnx_node) -> usize;
    pub fn tonnx_node_input(node: *const tonnx_node, index: usize) -> *mut tonnx_value;
    pub fn tonnx_node_attribute_count(node: *const tonnx_node) -> usize;
    pub fn tonnx_node_attribute_name(node: *const tonnx_node, index: usize) -> *const c_char;
    pub fn tonnx_node_attribute(node: *const tonnx_node, name: *const c_char) -> *const tonnx_value;
    pub fn tonnx_node_graph_count(node: *const tonnx_node) -> usize;
    pub fn tonnx_node_graph(node: *const tonnx_node, index: usize) -> *const tonnx_graph;
    pub fn tonnx_node_parent(node: *const tonnx_node) -> *const tonnx_graph;
    pub fn tonnx_node_name(node: *const tonnx_node) -> *const c_char;
    pub fn tonnx_value_name(value: *const tonnx_value) -> *const c_char;
    pub fn tonnx_value_kind(value: *const tonnx_value) -> tonnx_kind;
    pub fn tonnx_value_type(value: *const tonnx_value) -> *const c_char;
    pub fn tonnx_value_dtype(value: *const tonnx_value) -> tonnx_dtype;
    pub fn tonnx_value_has_rank(value: *const tonnx_value) -> i32;
    pub fn tonnx_value_rank(value: *const tonnx_value) -> usize;
    pub fn tonnx_value_dim(value: *const tonnx_value, axis: usize) -> i64;
    pub fn tonnx_value_dim_symbol(value: *const tonnx_value, axis: usize) -> *const c_char;
    pub fn tonnx_value_requires_grad(value: *const tonnx_value) -> i32;
    pub fn tonnx_value_is_none(value: *const tonnx_value) -> i32;
    pub fn tonnx_value_is_constant(value: *const tonnx_value) -> i32;
    pub fn tonnx_value_get_int(out: *mut i64, value: *const tonnx_value, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_value_get_float(
        out: *mut f64,
        value: *const tonnx_value,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_value_get_bool(out: *mut i32, value: *const tonnx_value, error: *mut *mut tonnx_error)
        -> tonnx_status;
    pub fn tonnx_value_get_string(
        out: *mut *const c_char,
        value: *const tonnx_value,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_value_get_ints(
        out: *mut *const i64,
        count: *mut usize,
        value: *const tonnx_value,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_value_get_floats(
        out: *mut *const f64,
        count: *mut usize,
        value: *const tonnx_value,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_value_get_strings(
        out: *mut *const *const c_char,
        count: *mut usize,
        value: *const tonnx_value,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_value_get_tensor(
        out: *mut *mut tonnx_tensor,
        value: *const tonnx_value,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_value_get_list(
        out: *mut *const *mut tonnx_value,
        count: *mut usize,
        value: *const tonnx_value,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_value_producer(value: *const tonnx_value) -> *const tonnx_node;
    pub fn tonnx_value_use_count(value: *const tonnx_value) -> usize;
    pub fn tonnx_value_user(value: *const tonnx_value, index: usize) -> *const tonnx_node;
    pub fn tonnx_value_use_index(value: *const tonnx_value, index: usize) -> usize;
    pub fn tonnx_value_set_type(
        value: *mut tonnx_value,
        dtype: tonnx_dtype,
        dims: *const i64,
        rank: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_value_copy_type(
        value: *mut tonnx_value,
        from: *const tonnx_value,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
}
