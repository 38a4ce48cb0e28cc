//! Events as records of the crate `log`.
use std::ops::ControlFlow;

use crate::error::Result;
use crate::observer::{EventKind, Level, Observer};

impl Observer {
    /// Passes log messages and warnings to the logger of the crate `log`, with the target "tonnx" (feature `log`).
    /// Messages below the logger's level, [`log::max_level`] at this call, are not created. Subscribers of `tracing`
    /// receive the records through its crate `tracing-log`.
    pub fn to_log() -> Result<Self> {
        let level = match log::max_level() {
            log::LevelFilter::Trace | log::LevelFilter::Debug => Level::Debug,
            log::LevelFilter::Info => Level::Info,
            _ => Level::Warning,
        };
        Self::with_level(level, |event| {
            let level = match event.level() {
                Level::Debug => log::Level::Debug,
                Level::Info => log::Level::Info,
                Level::Warning => log::Level::Warn,
            };
            if event.kind() != EventKind::Progress {
                log::log!(target: "tonnx", level, "{}", event.text());
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}
