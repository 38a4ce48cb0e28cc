//! Times tracing and exporting resnet18 from Rust beside its forward pass in LibTorch, on one image; the medians of RUNS
//! runs (default: 5), in seconds.
use std::time::Instant;

use tch::nn::{self, ModuleT};
use tch::{vision, Device, Kind, Tensor};
use tonnx::{Args, BoxError, Options, Program, TraceOptions};

/// The result of the call, and its duration.
fn timed<T>(call: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = call();
    (result, start.elapsed().as_secs_f64())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> Result<(), BoxError> {
    let runs = std::env::var("RUNS").map_or(Ok(5), |text| text.parse())?;
    let store = nn::VarStore::new(Device::Cpu);
    let network = vision::resnet::resnet18(&store.root(), 1000);
    let image = Tensor::randn([1, 3, 224, 224], (Kind::Float, Device::Cpu));
    let args = Args::new()?.tensor(&(&image).try_into()?)?;
    let sizes = TraceOptions::default().dynamic_axis(0, 0, "batch");
    let _no_grad = tch::no_grad_guard();
    let _warm = network.forward_t(&image, false);
    let (mut forward, mut trace, mut at_sizes, mut export) = (vec![], vec![], vec![], vec![]);
    for _ in 0..runs {
        forward.push(timed(|| network.forward_t(&image, false)).1);
        let (program, time) =
            timed(|| Program::trace(&store, &args, |_, inputs| Ok(network.forward_t(&inputs[0], false))));
        trace.push(time);
        let run = || Program::trace_with(&store, &args, &sizes, |_, inputs| Ok(network.forward_t(&inputs[0], false)));
        at_sizes.push(timed(run).1);
        let program = program?;
        export.push(timed(|| program.export(&args, &Options::default(), None)).1);
    }
    let (forward, trace, at_sizes, export) = (median(forward), median(trace), median(at_sizes), median(export));
    println!("forward {forward:.4}, trace {trace:.4}, trace at several sizes {at_sizes:.4}, export {export:.4}");
    println!("trace and export: {:.2} times the forward pass", (trace + export) / forward);
    Ok(())
}
