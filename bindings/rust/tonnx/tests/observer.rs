//! Events of calls, and how observers cancel them.
mod common;

use std::ops::ControlFlow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use common::folder;
use tonnx::{
    Args, Category, EventKind, Level, Model, Observer, Options, Program, SaveOptions, Status, Tensor, VerifyOptions,
};

const CODE: &str =
    "def f(x):\n    x.add_(1)\n    for i in range(int(x.sum())):\n        x = torch.relu(x)\n    return x\n";

fn program() -> Program {
    Program::compile(CODE, "net.py", None).unwrap()
}

fn args() -> Args {
    Args::new().unwrap().tensor(&Tensor::new(&[2], &[1f32, 2.0]).unwrap()).unwrap()
}

fn export(observer: &Observer) -> tonnx::Result<Model> {
    program().export(&args(), &Options::new()?.observer(observer)?, None)
}

/// An observer that cancels at the event with this number, and the number of events that it has received.
fn cancels_at(number: usize) -> (Observer, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let observer = Observer::with_level(Level::Debug, move |_| {
        let stops = counted.fetch_add(1, Ordering::Relaxed) + 1 == number;
        Ok(if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    (observer.unwrap(), count)
}

#[test]
fn an_observer_receives_events() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let observer = Observer::new(move |event| {
        let event = (event.kind(), event.level(), event.category(), event.stage().to_owned(), event.text().to_owned());
        kept.lock().unwrap().push(event);
        Ok(ControlFlow::Continue(()))
    });
    let model = export(&observer.unwrap()).unwrap();
    let seen = seen.lock().unwrap();
    assert!(seen.iter().any(|event| event.0 == EventKind::Progress && event.3 == "lowering"));
    assert!(seen.iter().any(|event| event.1 == Level::Info && event.4.contains("the loop stays a Loop")));
    let warnings: Vec<_> = seen.iter().filter(|event| event.0 == EventKind::Warning).collect();
    assert!(warnings.iter().all(|event| event.2 == Some(Category::State)), "{warnings:?}");
    assert_eq!(Category::State.to_string(), "state");
    assert_eq!(Category::Verification.name(), "verification");
    assert_eq!(warnings.len(), model.warnings().len());
}

#[test]
fn an_observer_cancels_at_each_event() {
    let mut number = 1;
    loop {
        let (observer, count) = cancels_at(number);
        match export(&observer) {
            Ok(_) => break,
            Err(error) => assert_eq!(error.status(), Status::Cancelled, "{error}"),
        }
        assert_eq!(count.load(Ordering::Relaxed), number);
        number += 1;
    }
    assert!(number > 10);
    let (observer, _) = cancels_at(1);
    let model = program().export(&args(), &Options::default(), None).unwrap();
    let path = folder("cancelled").join("model.onnx");
    let error = model.save_with(&path, &SaveOptions::default().observer(&observer)).unwrap_err();
    assert_eq!(error.status(), Status::Cancelled);
    assert!(!path.exists());
    let options = VerifyOptions::default().observer(&observer);
    let (observer, _) = cancels_at(2);
    assert_eq!(options.clone(), options);
    let options = VerifyOptions::default().observer(&observer);
    assert_eq!(model.verify_with(&program(), &args(), &options).unwrap_err().status(), Status::Cancelled);
}

#[test]
fn errors_and_panics_of_the_closure_leave_the_call() {
    let observer = Observer::new(|_| Err("the disk is full".into())).unwrap();
    let error = export(&observer).unwrap_err();
    assert_eq!(error.status(), Status::Callback);
    assert_eq!(error.into_cause().unwrap().to_string(), "the disk is full");
    let observer = Observer::new(|_| panic!("no more")).unwrap();
    let payload = catch_unwind(AssertUnwindSafe(|| export(&observer))).unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"no more"));
}
