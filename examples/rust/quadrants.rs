//! Defines and trains a network in tch, traces it with a dynamic batch, exports and verifies it, and prints the report:
//! quadrants [OUTPUT.onnx]
use std::error::Error;

use tch::nn::{self, ModuleT, OptimizerConfig};
use tch::{Device, IndexOp, Kind, Tensor};
use tonnx::{Args, Options, Program, TraceOptions};

fn network(path: nn::Path) -> impl ModuleT {
    let padded = nn::ConvConfig {
        padding: 1,
        ..Default::default()
    };
    nn::seq_t()
        .add(nn::conv2d(&path / "conv", 1, 8, 3, padded))
        .add(nn::batch_norm2d(&path / "norm", 8, Default::default()))
        .add_fn(|x| x.relu().max_pool2d_default(2).flat_view())
        .add(nn::linear(
            &path / "classifier",
            8 * 4 * 4,
            4,
            Default::default(),
        ))
}

/// Noise, with one quarter of each image brighter: images and the indices of the quarters.
fn random_images(count: i64) -> (Tensor, Tensor) {
    let images = Tensor::randn([count, 1, 8, 8], (Kind::Float, Device::Cpu));
    let quarters = Tensor::randint(4, [count], (Kind::Int64, Device::Cpu));
    for image in 0..count {
        let quarter = quarters.int64_value(&[image]);
        let (row, column) = (quarter / 2 * 4, quarter % 2 * 4);
        let _ = images
            .i((image, 0, row..row + 4, column..column + 4))
            .g_add_scalar_(2);
    }
    (images, quarters)
}

fn train(store: &nn::VarStore, network: &impl ModuleT, steps: i64) -> Result<f64, Box<dyn Error>> {
    let mut optimizer = nn::Adam::default().build(store, 1e-2)?;
    for _ in 0..steps {
        let (images, quarters) = random_images(32);
        optimizer.backward_step(
            &network
                .forward_t(&images, true)
                .cross_entropy_for_logits(&quarters),
        );
    }
    let (images, quarters) = random_images(200);
    let answers = tch::no_grad(|| network.forward_t(&images, false)).argmax(1, false);
    Ok(answers
        .eq_tensor(&quarters)
        .to_kind(Kind::Double)
        .mean(None)
        .double_value(&[]))
}

fn main() -> Result<(), Box<dyn Error>> {
    let output = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "quadrants.onnx".to_owned());
    tch::manual_seed(0);
    let store = nn::VarStore::new(Device::Cpu);
    let network = network(store.root());
    println!(
        "trained: {} % of new images are correct",
        100.0 * train(&store, &network, 150)?
    );

    let (images, _) = random_images(2);
    let args = Args::new()?.tensor(&(&images).try_into()?)?;
    let how = TraceOptions::default().dynamic_axis(0, 0, "batch");
    let program = Program::trace_with(&store, &args, &how, |_, inputs| {
        Ok(network.forward_t(&inputs[0], false))
    })?;
    let options = Options::default()
        .input_name("images")?
        .output_name("scores")?;
    let model = program.export(&args, &options, None)?;
    model.verify(&program, &args)?;
    model.save(&output)?;
    println!("{}", model.report());
    println!("{output}: ONNX Runtime agrees with LibTorch");
    Ok(())
}
