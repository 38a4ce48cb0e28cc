//! Nanoseconds of a callback and of a call in a callback: see tests/bench/callbacks.py.
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use tonnx::{Args, BoxError, Options, Outcome, Program, Registry, Tensor};

const NODES: usize = 2000;
const REGISTRATIONS: i32 = 17;
const RUNS: usize = 9;
const CALLS: u32 = 1_000_000;

extern "C" {
    fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
}

/// Nanoseconds of processor time of this thread.
fn now() -> u64 {
    const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
    let mut time = [0; 2];
    // SAFETY: a timespec of x86-64 is two numbers of 64 bits.
    unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut time) };
    (time[0] * 1_000_000_000 + time[1]) as u64
}

/// The seconds of an export with so many symbolics, which all decline, and the number of their calls.
fn timed(source: &str, registrations: i32, calls: u32) -> Result<(f64, u64, f64), BoxError> {
    let program = Program::compile(source, "net.py", None)?;
    let args = Args::new()?.tensor(&Tensor::new(&[4], &[1f32, 2.0, 3.0, 4.0])?)?;
    let (count, spent) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut registry = Registry::new()?;
    for since in 1..=registrations {
        let (count, spent) = (count.clone(), spent.clone());
        registry.add("aten::relu", since, move |_, node, _| {
            count.fetch_add(1, Ordering::Relaxed);
            if calls > 0 {
                let start = now();
                for _ in 0..calls {
                    black_box(node.output_count());
                }
                spent.store(now() - start, Ordering::Relaxed);
            }
            Ok(Outcome::Decline)
        })?;
    }
    let options = Options::default().opset(REGISTRATIONS)?;
    let start = now();
    program.export(&args, &options, &registry)?;
    let seconds = (now() - start) as f64 * 1e-9;
    Ok((seconds, count.load(Ordering::Relaxed), spent.load(Ordering::Relaxed) as f64))
}

fn main() -> Result<(), BoxError> {
    let source = format!("def forward(x):\n{}    return x\n", "    x = torch.relu(x)\n".repeat(NODES));
    let (mut best, mut counts) = ([f64::MAX; 2], [0; 2]);
    for _ in 0..RUNS {
        for (i, registrations) in [1, REGISTRATIONS].into_iter().enumerate() {
            let (seconds, count, _) = timed(&source, registrations, 0)?;
            best[i] = best[i].min(seconds);
            counts[i] = count;
        }
    }
    let (_, _, spent) = timed("def forward(x):\n    return torch.relu(x)\n", 1, CALLS)?;
    let callback = (best[1] - best[0]) * 1e9 / (counts[1] - counts[0]) as f64;
    println!("{callback:.0} {:.1}", spent / f64::from(CALLS));
    Ok(())
}
