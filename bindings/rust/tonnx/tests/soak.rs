//! Repeats exports, among them failing ones, and checks that memory does not grow. TONNX_SOAK sets the number of exports.
mod common;

use common::*;
use tonnx::Registry;

/// Bytes of this process in memory.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn memory_does_not_grow() {
    let count: usize = std::env::var("TONNX_SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(500);
    let (program, args, options) = (program(), args(), options());
    let expected = program.export(&args, &options, &registry()).unwrap().bytes().unwrap().to_vec();
    let mut settled = 0;
    for round in 0..count {
        if round == count / 10 {
            settled = resident();
        }
        let registry = match round % 10 {
            9 => registry_with(|_, _, _| Err("now and then".into())),
            _ => registry(),
        };
        match program.export(&args, &options, &registry) {
            Ok(model) => assert_eq!(*model.bytes().unwrap(), expected),
            Err(error) => assert_eq!(error.reasons()[0].text, "now and then"),
        }
        drop::<Registry>(registry);
    }
    let growth = resident() as f64 / 1e6 - settled as f64 / 1e6;
    println!("{count} exports: {growth:+.1} MB after the first tenth, {:.0} MB in all", resident() as f64 / 1e6);
    assert!(growth < 4.0, "{growth:.1} MB");
}
