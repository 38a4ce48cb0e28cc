//! `tonnx/report.h`.

use std::os::raw::c_char;

use crate::base::{tonnx_error, tonnx_report, tonnx_status};

functions! {
    pub fn tonnx_report_warning_count(report: *const tonnx_report) -> usize;
    pub fn tonnx_report_warning(report: *const tonnx_report, index: usize) -> *const c_char;
    pub fn tonnx_report_save(
        path: *const c_char,
        report: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_report_json(report: *const tonnx_report) -> *const c_char;
}
