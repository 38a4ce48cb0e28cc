//! `tonnx/registry.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{tonnx_destroy_fn, tonnx_error, tonnx_graph, tonnx_node, tonnx_registry, tonnx_status, tonnx_value};

pub type tonnx_symbolic_result = i32;
pub const TONNX_SYMBOLIC_DONE: tonnx_symbolic_result = 0;
pub const TONNX_SYMBOLIC_DECLINE: tonnx_symbolic_result = 1;
pub const TONNX_SYMBOLIC_FAIL: tonnx_symbolic_result = 2;

pub type tonnx_symbolic_fn = Option<
    unsafe extern "C" fn(
        graph: *mut tonnx_graph,
        node: *const tonnx_node,
        inputs: *const *mut tonnx_value,
        input_count: usize,
        user_data: *mut c_void,
    ) -> i32,
>;

functions! {
    pub fn tonnx_registry_new(out: *mut *mut tonnx_registry, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_registry_add(
        registry: *mut tonnx_registry,
        name: *const c_char,
        since: i32,
        symbolic: tonnx_symbolic_fn,
        user_data: *mut c_void,
        destroy: tonnx_destroy_fn,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_registry_add_functions(
        registry: *mut tonnx_registry,
        source: *const c_void,
        size: usize,
        name: *const c_char,
        since: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_registry_set_arguments(
        registry: *mut tonnx_registry,
        name: *const c_char,
        since: i32,
        kinds: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_registry_remove(
        registry: *mut tonnx_registry,
        name: *const c_char,
        since: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_registry_count(registry: *const tonnx_registry) -> usize;
    pub fn tonnx_registry_name(registry: *const tonnx_registry, index: usize) -> *const c_char;
    pub fn tonnx_registry_since(registry: *const tonnx_registry, index: usize) -> i32;
    pub fn tonnx_registry_is_custom(registry: *const tonnx_registry, index: usize) -> i32;
    pub fn tonnx_registry_kind(registry: *const tonnx_registry, index: usize) -> *const c_char;
    pub fn tonnx_registry_free(registry: *mut tonnx_registry);
}
