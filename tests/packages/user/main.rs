use tonnx::{Args, Options, Program, Tensor};

fn main() -> Result<(), tonnx::Error> {
    tonnx::load()?;
    println!("tonnx {}", tonnx::version());
    let program = Program::load("net.pt2")?;
    program.export(&Args::new()?, &Options::default(), None)?.save("net.pt2.onnx")?;
    let source = std::fs::read_to_string("net.py").unwrap();
    println!("{}", Program::compile(&source, "", None).unwrap_err());
    // SAFETY: it is a LibTorch, and nothing else loads one.
    unsafe { tonnx::load_libtorch("/mnt/site/torch/lib") }?;
    let program = Program::compile(&source, "", None)?;
    let args = Args::new()?.tensor(&Tensor::new(&[2, 3], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0])?)?;
    let model = program.export(&args, &Options::default().dynamic_axis("x", 0, "n")?, None)?;
    model.verify(&program, &args)?;
    println!("agrees");
    Ok(())
}
