//! Networks that are written in Rust, traced with a dynamic batch (and sequence), each compared with itself at three
//! sizes. Those that take long are ignored: `cargo test -- --ignored` runs them.
#![cfg(feature = "tch")]

use tch::nn::{self, Module, ModuleT, RNN};
use tch::{vision, Device, Kind, Tensor};
use tonnx::{Args, Options, Program, TraceOptions};

const FLOATS: (Kind, Device) = (Kind::Float, Device::Cpu);
const INTS: (Kind, Device) = (Kind::Int64, Device::Cpu);

type Axes = &'static [(i64, &'static str)];

fn args(input: &Tensor) -> Args {
    Args::new().unwrap().tensor(&input.try_into().unwrap()).unwrap()
}

/// Checks that the model of a trace with dynamic axes computes the same as the network at each of the sizes. The first
/// size is that of the trace.
fn verify(
    store: &nn::VarStore,
    axes: Axes,
    input: impl Fn(&[i64]) -> Tensor,
    sizes: [&[i64]; 3],
    net: impl Fn(&Tensor) -> Tensor,
) {
    let options =
        axes.iter().fold(TraceOptions::default(), |options, (axis, symbol)| options.dynamic_axis(0, *axis, *symbol));
    let run = |options: &TraceOptions, size: &[i64]| {
        let args = args(&input(size));
        tch::no_grad(|| Program::trace_with(store, &args, options, |_, inputs| Ok(net(&inputs[0])))).unwrap()
    };
    let program = run(&options, sizes[0]);
    let model = program.export(&args(&input(sizes[0])), &Options::default(), None).unwrap();
    for size in sizes {
        model.verify(&run(&TraceOptions::default(), size), None).unwrap_or_else(|error| panic!("{size:?}: {error}"));
    }
}

/// A network of images, at three batch sizes.
fn verify_vision<M: ModuleT>(side: i64, network: impl FnOnce(&nn::Path) -> M) {
    tch::manual_seed(0);
    let store = nn::VarStore::new(Device::Cpu);
    let network = network(&store.root());
    let images = |size: &[i64]| Tensor::randn([size[0], 3, side, side], FLOATS);
    verify(&store, &[(0, "batch")], images, [&[2], &[1], &[5]], |x| network.forward_t(x, false));
}

/// A network of word indices, at three sizes of batch and sequence.
fn verify_language<N: Fn(&Tensor) -> Tensor>(words: i64, network: impl FnOnce(&nn::Path) -> N) {
    tch::manual_seed(0);
    let store = nn::VarStore::new(Device::Cpu);
    let network = network(&store.root());
    let text = |size: &[i64]| Tensor::randint(words, [size[0], size[1]], INTS);
    verify(&store, &[(0, "batch"), (1, "sequence")], text, [&[2, 6], &[1, 9], &[4, 3]], network);
}

#[test]
fn squeezenet() {
    verify_vision(64, |path| vision::squeezenet::v1_1(path, 10));
}

#[test]
fn resnet18() {
    verify_vision(32, |path| vision::resnet::resnet18(path, 10));
}

#[test]
#[ignore]
fn mobilenet() {
    verify_vision(64, |path| vision::mobilenet::v2(path, 10));
}

#[test]
#[ignore]
fn vgg11() {
    verify_vision(224, |path| vision::vgg::vgg11(path, 10));
}

#[test]
#[ignore]
fn densenet121() {
    verify_vision(224, |path| vision::densenet::densenet121(path, 10));
}

#[test]
#[ignore]
fn efficientnet() {
    verify_vision(64, |path| vision::efficientnet::b0(path, 10));
}

#[test]
#[ignore]
fn inception() {
    verify_vision(96, |path| vision::inception::v3(path, 10));
}

#[test]
#[ignore]
fn convmixer() {
    verify_vision(56, |path| vision::convmixer::c1024_20(path, 10));
}

#[test]
fn lstm() {
    verify_language(20, |path| {
        let embedding = nn::embedding(path / "embedding", 20, 8, Default::default());
        let layers = nn::RNNConfig { num_layers: 2, bidirectional: true, ..Default::default() };
        let lstm = nn::lstm(path / "lstm", 8, 12, layers);
        let decoder = nn::linear(path / "decoder", 24, 20, Default::default());
        move |x| decoder.forward(&lstm.seq(&embedding.forward(x)).0)
    });
}

#[test]
fn gru() {
    verify_language(20, |path| {
        let embedding = nn::embedding(path / "embedding", 20, 8, Default::default());
        let gru = nn::gru(path / "gru", 8, 12, Default::default());
        let decoder = nn::linear(path / "decoder", 12, 20, Default::default());
        move |x| decoder.forward(&gru.seq(&embedding.forward(x)).0)
    });
}

/// Attention of `heads` heads over the last two axes of [batch, sequence, width].
fn attention(path: &nn::Path, width: i64, heads: i64, causal: bool) -> impl Fn(&Tensor) -> Tensor {
    let joint = nn::linear(path / "joint", width, 3 * width, Default::default());
    let output = nn::linear(path / "output", width, width, Default::default());
    move |x| {
        let (batch, sequence, _) = x.size3().unwrap();
        let parts = joint.forward(x).chunk(3, 2);
        let split = |part: &Tensor| part.view([batch, sequence, heads, width / heads]).transpose(1, 2);
        let (query, key, value) = (split(&parts[0]), split(&parts[1]), split(&parts[2]));
        let mut scores = query.matmul(&key.transpose(2, 3)) / ((width / heads) as f64).sqrt();
        if causal {
            let later = Tensor::ones([sequence, sequence], FLOATS).tril(0).eq(0.0);
            scores = scores.masked_fill(&later, f64::NEG_INFINITY);
        }
        let mixed = scores.softmax(-1, Kind::Float).matmul(&value);
        output.forward(&mixed.transpose(1, 2).contiguous().view([batch, sequence, width]))
    }
}

/// A layer of a Transformer, normalised first.
fn layer(path: &nn::Path, width: i64, heads: i64, causal: bool) -> impl Fn(&Tensor) -> Tensor {
    let attention = attention(&(path / "attention"), width, heads, causal);
    let norms = ["norm1", "norm2"].map(|name| nn::layer_norm(path / name, vec![width], Default::default()));
    let wide = nn::linear(path / "wide", width, 4 * width, Default::default());
    let narrow = nn::linear(path / "narrow", 4 * width, width, Default::default());
    move |x| {
        let x = x + attention(&norms[0].forward(x));
        &x + narrow.forward(&wide.forward(&norms[1].forward(&x)).gelu("none"))
    }
}

/// Words and their places, layers, and a decoder.
fn transformer(path: &nn::Path, words: i64, causal: bool) -> impl Fn(&Tensor) -> Tensor {
    let (width, heads, longest) = (16, 4, 32);
    let tokens = nn::embedding(path / "tokens", words, width, Default::default());
    let places = nn::embedding(path / "places", longest, width, Default::default());
    let layers: Vec<_> = (0..2).map(|i| layer(&(path / "layers" / i), width, heads, causal)).collect();
    let norm = nn::layer_norm(path / "norm", vec![width], Default::default());
    let decoder = nn::linear(path / "decoder", width, words, Default::default());
    move |x| {
        let place = places.forward(&Tensor::arange(x.size()[1], INTS));
        let sum = tokens.forward(x) + place;
        decoder.forward(&norm.forward(&layers.iter().fold(sum, |x, layer| layer(&x))))
    }
}

#[test]
fn encoder() {
    verify_language(20, |path| transformer(path, 20, false));
}

#[test]
fn gpt() {
    verify_language(20, |path| transformer(path, 20, true));
}
