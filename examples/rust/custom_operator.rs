//! Exports a program with an operator of its own: custom_operator LIBRARY ARCHIVE OUTPUT.onnx
use std::error::Error;
use std::process::ExitCode;

use tonnx::{Args, Attributes, Dtype, Format, Options, Outcome, Program, Registry, Tensor};

const OPERATOR: &str = "my_ops::gated_softmax";

fn run(library: &str, archive: &str, output: &str) -> Result<(), Box<dyn Error>> {
    // SAFETY: the library registers operators, and is built for this LibTorch.
    unsafe { tonnx::load_operators(library) }?;
    let program = Program::load(archive)?;

    let elements: Vec<f32> = (0..8).map(|i| 0.25 * i as f32 - 1.0).collect();
    let args = Args::new()?.tensor(&Tensor::new(&[2, 4], &elements)?)?;
    let options = Options::new()?
        .opset(15)?
        .input_name("tokens")?
        .output_name("weights")?
        .dynamic_axis("tokens", 0, "batch")?
        .custom_opset("com.microsoft", 1)?;

    // A symbolic may fail: its error comes out of the export.
    let mut registry = Registry::new()?;
    registry.add(OPERATOR, 9, |_, _, inputs| {
        let alpha = inputs[1].to_float()?;
        Err(format!("alpha {alpha} is not supported yet").into())
    })?;
    match program.export(&args, &options, &registry) {
        Ok(_) => return Err("the export should have failed".into()),
        Err(error) => {
            let reason = error.reasons().first().ok_or("the error has no reason")?;
            println!(
                "refused: {} at {}: {}",
                reason.operator, reason.module, reason.text
            );
        }
    }

    // Registering again replaces it. x * sigmoid(alpha * x) is an operator of ONNX Runtime's.
    registry.add(OPERATOR, 9, |graph, _, inputs| {
        let x = inputs[0];
        let (Dtype::Float32, Some(rank)) = (x.dtype(), x.rank()) else {
            return Ok(Outcome::Decline);
        };
        let alpha = Attributes::new()?.float("alpha", inputs[1].to_float()?)?;
        let gated = graph.op("com.microsoft::QuickGelu", &[x], &alpha)?;
        gated.copy_type(x)?;
        let axis = Attributes::new()?.int("axis", rank as i64 - 1)?;
        Ok(graph.op("Softmax", &[gated], &axis)?.into())
    })?;
    let model = program.export(&args, &options, &registry)?;

    model.save(output)?;
    if std::fs::read(output)? != *model.bytes()? {
        return Err("the file differs from the bytes in memory".into());
    }
    model.verify(&program, &args)?;
    println!("verified");
    print!("{}", model.text(Format::Short)?);
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [library, archive, output] = &arguments[..] else {
        eprintln!("usage: custom_operator LIBRARY ARCHIVE OUTPUT.onnx");
        return ExitCode::FAILURE;
    };
    match run(library, archive, output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("custom_operator: {error}");
            ExitCode::FAILURE
        }
    }
}
