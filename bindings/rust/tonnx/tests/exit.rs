//! The process ends while its threads are in calls. Without Rust's test harness, because main() must return as in a real
//! program: the tests start this program again, TONNX_EXITS times a kind of call, each time with another delay.

use std::process::Command;
use std::time::Duration;
use std::{env, process, thread};

use tonnx::{Args, Options, Program, Tensor};

const KIND: &str = "TONNX_EXIT_KIND";
const MILLISECONDS: &str = "TONNX_EXIT_MILLISECONDS";
type Call = fn() -> Result<(), tonnx::Error>;

/// The calls that the threads repeat.
const KINDS: &[(&str, Call)] = &[
    ("archive", export_archive),
    ("script", export_script),
    #[cfg(feature = "tch")]
    ("trace", export_trace),
];
const SOURCE: &str = "def forward(x):
    for i in range(x.size(0)):
        if bool(x.sum() > 0):
            x = torch.softmax(x, -1) * i
    return torch.relu(x)
";

fn args() -> Args {
    Args::new().unwrap().tensor(&Tensor::new(&[2, 3], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap()).unwrap()
}

fn export_archive() -> Result<(), tonnx::Error> {
    let program = Program::load(env::var_os("TONNX_EXPORTED").expect("TONNX_EXPORTED"))?;
    program.export(&Args::new()?, &Options::default(), None).map(drop)
}

fn export_script() -> Result<(), tonnx::Error> {
    Program::compile(SOURCE, "", None)?.export(&args(), &Options::default(), None).map(drop)
}

#[cfg(feature = "tch")]
fn export_trace() -> Result<(), tonnx::Error> {
    let args = args();
    let program = Program::trace(&(), &args, |_, inputs| {
        let mut x = inputs[0].shallow_clone();
        for i in 0..20 {
            x = (x.matmul(&x.tr()) + i).relu();
        }
        Ok(x)
    })?;
    program.export(&args, &Options::default(), None).map(drop)
}

/// Returns after `milliseconds`, in the middle of calls on other threads.
fn end_during(kind: &str, milliseconds: u64) {
    let export = KINDS.iter().find(|(name, _)| *name == kind).expect("a kind of call").1;
    for _ in 0..4 {
        thread::spawn(move || loop {
            if let Err(error) = export() {
                eprintln!("{error}");
                process::abort();
            }
        });
    }
    thread::sleep(Duration::from_millis(milliseconds));
}

/// The failure of one try; empty if there is none.
fn failure(kind: &str, milliseconds: u64) -> String {
    let done = Command::new(env::current_exe().unwrap())
        .env(KIND, kind)
        .env(MILLISECONDS, milliseconds.to_string())
        .output()
        .unwrap();
    if done.status.success() && done.stderr.is_empty() {
        return String::new();
    }
    format!("exit after {milliseconds} ms: {}: {}\n", done.status, String::from_utf8_lossy(&done.stderr))
}

fn main() {
    if let (Ok(kind), Ok(milliseconds)) = (env::var(KIND), env::var(MILLISECONDS)) {
        return end_during(&kind, milliseconds.parse().unwrap());
    }
    let tries: u64 = env::var("TONNX_EXITS").map_or(2, |text| text.parse().unwrap());
    let mut failed = false;
    for (kind, _) in KINDS {
        let failures: String =
            (0..tries).map(|n| failure(kind, if n % 2 == 1 { 1 + n * 997 % 1009 } else { n * 7 })).collect();
        // As Rust's test harness prints it.
        let name = format!("exits_during_calls_{kind}");
        println!("test {name} ... {}", if failures.is_empty() { "ok" } else { "FAILED" });
        if !failures.is_empty() {
            println!("---- {name} stdout ----\n{failures}\nfailures:");
            failed = true;
        }
    }
    process::exit(failed.into());
}
