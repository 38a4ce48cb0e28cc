//! Events as records of the crate `log`.
use std::sync::Mutex;

use tonnx::{Args, Observer, Options, Program, Tensor};

static RECORDS: Mutex<Vec<(log::Level, String)>> = Mutex::new(Vec::new());

struct Recorder;

impl log::Log for Recorder {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        assert_eq!(record.target(), "tonnx");
        RECORDS.lock().unwrap().push((record.level(), record.args().to_string()));
    }

    fn flush(&self) {}
}

/// The records of an export with this level of the logger.
fn records(level: log::LevelFilter) -> Vec<(log::Level, String)> {
    log::set_max_level(level);
    RECORDS.lock().unwrap().clear();
    let source =
        "def f(x):\n    x.add_(1)\n    for i in range(int(x.sum())):\n        x = torch.relu(x)\n    return x\n";
    let program = Program::compile(source, "net.py", None).unwrap();
    let args = Args::new().unwrap().tensor(&Tensor::new(&[2], &[1f32, 2.0]).unwrap()).unwrap();
    let options = Options::default().observer(&Observer::to_log().unwrap()).unwrap();
    program.export(&args, &options, None).unwrap();
    RECORDS.lock().unwrap().clone()
}

#[test]
fn records_have_the_levels_of_the_logger() {
    log::set_logger(&Recorder).unwrap();
    let count = |records: &[(log::Level, String)], level| records.iter().filter(|record| record.0 == level).count();
    let all = records(log::LevelFilter::Debug);
    assert!(all.iter().any(|(level, text)| *level == log::Level::Info && text.contains("the loop stays a Loop")));
    assert!(count(&all, log::Level::Debug) > 0 && count(&all, log::Level::Warn) > 0);
    let some = records(log::LevelFilter::Info);
    assert_eq!(count(&some, log::Level::Debug), 0);
    assert_eq!(count(&some, log::Level::Info), count(&all, log::Level::Info));
    let few = records(log::LevelFilter::Warn);
    assert_eq!((few.len(), count(&few, log::Level::Warn)), (count(&all, log::Level::Warn), few.len()));
}
