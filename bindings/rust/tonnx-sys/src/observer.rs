//! `tonnx/observer.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{tonnx_destroy_fn, tonnx_error, tonnx_event, tonnx_observer, tonnx_status};

pub type tonnx_event_type = i32;
pub const TONNX_EVENT_LOG: tonnx_event_type = 0;
pub const TONNX_EVENT_WARNING: tonnx_event_type = 1;
pub const TONNX_EVENT_PROGRESS: tonnx_event_type = 2;

pub type tonnx_level = i32;
pub const TONNX_LEVEL_DEBUG: tonnx_level = 0;
pub const TONNX_LEVEL_INFO: tonnx_level = 1;
pub const TONNX_LEVEL_WARNING: tonnx_level = 2;

pub type tonnx_category = i32;
pub const TONNX_CATEGORY_NONE: tonnx_category = 0;
pub const TONNX_CATEGORY_OTHER: tonnx_category = 1;
pub const TONNX_CATEGORY_PROGRAM: tonnx_category = 2;
pub const TONNX_CATEGORY_STATE: tonnx_category = 3;
pub const TONNX_CATEGORY_TRAINING: tonnx_category = 4;
pub const TONNX_CATEGORY_SIZES: tonnx_category = 5;
pub const TONNX_CATEGORY_TRACE: tonnx_category = 6;
pub const TONNX_CATEGORY_OPTIONS: tonnx_category = 7;
pub const TONNX_CATEGORY_SYMBOLIC: tonnx_category = 8;
pub const TONNX_CATEGORY_KERNEL: tonnx_category = 9;
pub const TONNX_CATEGORY_VERIFICATION: tonnx_category = 10;

pub type tonnx_observer_fn = Option<unsafe extern "C" fn(event: *const tonnx_event, user_data: *mut c_void) -> i32>;

functions! {
    pub fn tonnx_observer_new(
        out: *mut *mut tonnx_observer,
        callback: tonnx_observer_fn,
        user_data: *mut c_void,
        destroy: tonnx_destroy_fn,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_observer_set_level(
        observer: *mut tonnx_observer,
        level: tonnx_level,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_observer_free(observer: *mut tonnx_observer);
    pub fn tonnx_event_kind(event: *const tonnx_event) -> tonnx_event_type;
    pub fn tonnx_event_level(event: *const tonnx_event) -> tonnx_level;
    pub fn tonnx_event_category(event: *const tonnx_event) -> tonnx_category;
    pub fn tonnx_category_name(category: tonnx_category) -> *const c_char;
    pub fn tonnx_event_stage(event: *const tonnx_event) -> *const c_char;
    pub fn tonnx_event_done(event: *const tonnx_event) -> i64;
    pub fn tonnx_event_total(event: *const tonnx_event) -> i64;
    pub fn tonnx_event_is_bytes(event: *const tonnx_event) -> i32;
    pub fn tonnx_event_text(event: *const tonnx_event) -> *const c_char;
    pub fn tonnx_event_module(event: *const tonnx_event) -> *const c_char;
    pub fn tonnx_event_source(event: *const tonnx_event) -> *const c_char;
    pub fn tonnx_event_fail(
        event: *const tonnx_event,
        message: *const c_char,
        cause: *mut c_void,
        destroy: tonnx_destroy_fn,
    );
}
