//! `tonnx/save_options.h`.

use crate::base::{tonnx_error, tonnx_observer, tonnx_save_options, tonnx_status};

pub type tonnx_external_data = i32;
pub const TONNX_EXTERNAL_DATA_AUTO: tonnx_external_data = 0;
pub const TONNX_EXTERNAL_DATA_YES: tonnx_external_data = 1;
pub const TONNX_EXTERNAL_DATA_NO: tonnx_external_data = 2;
pub const TONNX_EXTERNAL_DATA_ARCHIVE: tonnx_external_data = 3;
pub const TONNX_EXTERNAL_DATA_EACH: tonnx_external_data = 4;

functions! {
    pub fn tonnx_save_options_new(out: *mut *mut tonnx_save_options, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_save_options_set_external_data(
        options: *mut tonnx_save_options,
        value: tonnx_external_data,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_save_options_set_observer(
        options: *mut tonnx_save_options,
        observer: *const tonnx_observer,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_save_options_free(options: *mut tonnx_save_options);
}
