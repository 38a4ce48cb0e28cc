"""Small networks from transformers and diffusers with random weights, as cases for run_exported.py.

The packages are those of `scripts/deps networks`; they are not in the Python environment of the other tests.
"""
import pathlib
import sys

import torch
from torch import nn

from exported_case import Case

PACKAGES = pathlib.Path(__file__).resolve().parents[2] / ".deps" / "networks" / "site"
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}


class Called(nn.Module):
    """A network called by keywords; returns its first results."""

    def __init__(self, network, names, results):
        super().__init__()
        self.network, self.names, self.results = network, names, results

    def forward(self, x, y=None):
        given = dict(zip(self.names, (x, y)))
        out = self.network(**given, return_dict=True)
        return tuple(out[name] for name in self.results)


def tokens(b, s):
    return torch.randint(3, 90, (b, s))


def masked(b, s):
    mask = torch.ones(b, s, dtype=torch.int64)
    mask[0, s - 2:] = 0
    return tokens(b, s), mask


def of_transformers(name, names=("input_ids", "attention_mask"), results=("last_hidden_state",), **settings):
    def make():
        import transformers
        config = getattr(transformers, name.removesuffix("Model") + "Config")(vocab_size=99, **settings)
        config._attn_implementation = settings.get("attn_implementation", "sdpa")
        return Called(getattr(transformers, name)(config), names, results)
    return make


def vision():
    import transformers
    config = transformers.ViTConfig(image_size=16, patch_size=4, **SMALL)
    return Called(transformers.ViTModel(config), ("pixel_values",), ("last_hidden_state", "pooler_output"))


def whisper():
    import transformers
    config = transformers.WhisperConfig(
        vocab_size=99, num_mel_bins=8, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, max_source_positions=10, max_target_positions=32,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, use_cache=False)
    return Called(transformers.WhisperModel(config), ("input_features", "decoder_input_ids"), ("last_hidden_state",))


def unet():
    import diffusers
    network = diffusers.UNet2DConditionModel(
        sample_size=8, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(16, 32), norm_num_groups=8,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        cross_attention_dim=12, attention_head_dim=4)

    class Step(nn.Module):
        def __init__(self):
            super().__init__()
            self.network = network

        def forward(self, x, y):
            return self.network(x, torch.tensor(3), y, return_dict=False)[0]
    return Step()


STEPS = {"x": {0: "batch", 1: "steps"}, "y": {0: "batch", 1: "steps"}}
BATCH = {"x": {0: "batch"}, "y": {0: "batch"}}
CACHELESS = {"use_cache": False}


def cases():
    """The cases; none if the packages are missing."""
    sys.path.append(str(PACKAGES))
    try:
        import diffusers  # noqa: F401
        import transformers  # noqa: F401
    except ImportError:
        return []
    return [
        Case("bert", of_transformers("BertModel", **SMALL), masked, STEPS),
        Case("gpt2", of_transformers("GPT2Model", n_embd=32, n_layer=2, n_head=4, **CACHELESS), masked, STEPS),
        Case("llama", of_transformers("LlamaModel", num_key_value_heads=2, **SMALL, **CACHELESS), masked, STEPS),
        Case("t5", of_transformers("T5Model", ("input_ids", "decoder_input_ids"), d_model=32, d_kv=8, d_ff=48, num_layers=2,
                                   num_heads=4, **CACHELESS), lambda b, s: (tokens(b, s), tokens(b, s)), STEPS),
        Case("vit", vision, lambda b, s: (torch.randn(b, 3, 16, 16),), {"x": {0: "batch"}}),
        Case("whisper", whisper, lambda b, s: (torch.randn(b, 8, 20), tokens(b, 6)), BATCH),
        Case("unet", unet, lambda b, s: (torch.randn(b, 3, 8, 8), torch.randn(b, 5, 12)), BATCH),
    ]
