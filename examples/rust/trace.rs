//! A network that tch defines, as an ONNX model with its weights' names: trace [OUTPUT.onnx]
use std::error::Error;

use tch::nn::{self, ModuleT};
use tch::{Device, Kind, Tensor};
use tonnx::{Args, Format, Options, Program};

fn network(path: nn::Path) -> impl ModuleT {
    nn::seq_t()
        .add(nn::conv2d(
            &path / "conv",
            3,
            8,
            3,
            nn::ConvConfig {
                padding: 1,
                ..Default::default()
            },
        ))
        .add(nn::batch_norm2d(&path / "norm", 8, Default::default()))
        .add_fn(|x| x.relu().max_pool2d_default(2).flat_view())
        .add(nn::linear(
            &path / "classifier",
            8 * 4 * 4,
            10,
            Default::default(),
        ))
}

fn main() -> Result<(), Box<dyn Error>> {
    let output = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "trace.onnx".to_owned());
    tch::manual_seed(0);
    let store = nn::VarStore::new(Device::Cpu);
    let network = network(store.root());

    let example = Tensor::randn([2, 3, 8, 8], (Kind::Float, Device::Cpu));
    let args = Args::new()?.tensor(&(&example).try_into()?)?;
    let program = Program::trace(&store, &args, |_, inputs| {
        Ok(network.forward_t(&inputs[0], false))
    })?;

    let options = Options::new()?.input_name("image")?.output_name("scores")?;
    let model = program.export(&args, &options, None)?;
    model.verify(&program, &args)?;
    model.save(&output)?;
    print!("{}", model.text(Format::Short)?);
    println!("{output}: ONNX Runtime agrees with LibTorch");
    Ok(())
}
