"""Networks that are not in TorchVision: PyTorch's examples, each with its own definition."""
import math

import torch
from torch import nn
from torch.nn import functional


class Generator(nn.Module):
    """DCGAN's generator: transposed convolutions from a noise vector to an image of 64 x 64."""

    def __init__(self, noise=100, features=16, channels=3):
        super().__init__()
        layers = [nn.ConvTranspose2d(noise, features * 8, 4, 1, 0, bias=False), nn.BatchNorm2d(features * 8), nn.ReLU(True)]
        for wide in (8, 4, 2):
            narrow = wide // 2
            layers += [nn.ConvTranspose2d(features * wide, features * narrow, 4, 2, 1, bias=False),
                       nn.BatchNorm2d(features * narrow), nn.ReLU(True)]
        layers += [nn.ConvTranspose2d(features, channels, 4, 2, 1, bias=False), nn.Tanh()]
        self.main = nn.Sequential(*layers)

    def forward(self, noise):
        return self.main(noise)


class Discriminator(nn.Module):
    """DCGAN's discriminator of images of 64 x 64."""

    def __init__(self, features=16, channels=3):
        super().__init__()
        layers = [nn.Conv2d(channels, features, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True)]
        for narrow in (1, 2, 4):
            wide = narrow * 2
            layers += [nn.Conv2d(features * narrow, features * wide, 4, 2, 1, bias=False),
                       nn.BatchNorm2d(features * wide), nn.LeakyReLU(0.2, inplace=True)]
        layers += [nn.Conv2d(features * 8, 1, 4, 1, 0, bias=False), nn.Sigmoid()]
        self.main = nn.Sequential(*layers)

    def forward(self, image):
        return self.main(image).view(-1, 1).squeeze(1)


class SuperResolution(nn.Module):
    """The sub-pixel convolution network of PyTorch's ONNX tutorial."""

    def __init__(self, upscale=3):
        super().__init__()
        self.relu = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(1, 64, (5, 5), (1, 1), (2, 2))
        self.conv2 = nn.Conv2d(64, 64, (3, 3), (1, 1), (1, 1))
        self.conv3 = nn.Conv2d(64, 32, (3, 3), (1, 1), (1, 1))
        self.conv4 = nn.Conv2d(32, upscale ** 2, (3, 3), (1, 1), (1, 1))
        self.pixel_shuffle = nn.PixelShuffle(upscale)

    def forward(self, x):
        x = self.relu(self.conv1(x))
        x = self.relu(self.conv2(x))
        x = self.relu(self.conv3(x))
        return self.pixel_shuffle(self.conv4(x))


class LstmLanguageModel(nn.Module):
    """word_language_model with an LSTM: inputs are tokens [time, batch] and the hidden state, outputs are scores and the state."""

    def __init__(self, words=83, width=32, layers=2):
        super().__init__()
        self.drop = nn.Dropout(0.5)
        self.encoder = nn.Embedding(words, width)
        self.rnn = nn.LSTM(width, width, layers, dropout=0.5)
        self.decoder = nn.Linear(width, words)
        self.decoder.weight = self.encoder.weight
        self.words = words

    def forward(self, tokens, hidden, cell):
        embedded = self.drop(self.encoder(tokens))
        output, (hidden, cell) = self.rnn(embedded, (hidden, cell))
        decoded = self.decoder(self.drop(output)).view(-1, self.words)
        return functional.log_softmax(decoded, dim=1), hidden, cell


class GruLanguageModel(nn.Module):
    """word_language_model with a GRU."""

    def __init__(self, words=83, width=32, layers=2):
        super().__init__()
        self.drop = nn.Dropout(0.2)
        self.encoder = nn.Embedding(words, width)
        self.rnn = nn.GRU(width, width, layers, dropout=0.2)
        self.decoder = nn.Linear(width, words)

    def forward(self, tokens, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(tokens)), hidden)
        decoded = self.decoder(self.drop(output))
        return functional.log_softmax(decoded.view(-1, decoded.size(2)), dim=1), hidden


class PositionalEncoding(nn.Module):
    def __init__(self, width, longest=64):
        super().__init__()
        position = torch.arange(longest, dtype=torch.float).unsqueeze(1)
        rate = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10000.0) / width))
        table = torch.zeros(longest, width)
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("table", table.unsqueeze(0))

    def forward(self, x):
        return x + self.table[:, :x.size(1)]


class TransformerLanguageModel(nn.Module):
    """Embedding, positions, two nn.TransformerEncoderLayer (batch first) and a decoder; optionally a causal mask."""

    def __init__(self, words=83, width=32, heads=4, causal=False):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.position = PositionalEncoding(width)
        layer = nn.TransformerEncoderLayer(width, heads, 64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.decoder = nn.Linear(width, words)
        self.width = width
        self.causal = causal

    def forward(self, tokens):
        x = self.position(self.embedding(tokens) * math.sqrt(self.width))
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.size(1)) if self.causal else None
        return functional.log_softmax(self.decoder(self.encoder(x, mask)), dim=-1)


class PaddedTransformer(nn.Module):
    """A TransformerEncoder with a padding mask."""

    def __init__(self, width=32, heads=4, norm_first=False, activation="relu"):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, heads, 64, batch_first=True, norm_first=norm_first, activation=activation)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x, padding):
        return self.encoder(x, src_key_padding_mask=padding)
