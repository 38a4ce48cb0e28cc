"""Features of docs/features.md: networks that the documentation names: network_features_test.py TONNX SAMPLES"""

import feature
import tool

LANGUAGE = '''class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30, 8)
        self.net = nn.{cell}(8, 16, 2)
        self.result = nn.Linear(16, 30)
    def forward(self, tokens, states):
        y, states = self.net(self.words(tokens), states)
        return self.result(y).log_softmax(-1), states
'''
RESOLUTION = '''class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(1, 8, 5, 1, 2), nn.ReLU(), nn.Conv2d(8, 9, 3, 1, 1), nn.PixelShuffle(3))
    def forward(self, x):
        return self.layers(x)
'''


class NetworkFeatures(feature.FeatureTest):
    def exported(self, text, args, form, *flags):
        self.export(0, "--verify", *flags, archive=self.saved(text, args, form), args=self.folder / "net.args")
        return self.model()

    def test_F274_F275_AlexNet(self):
        text = "import torchvision\nNet = torchvision.models.alexnet\n"
        model = self.exported(text, "(torch.randn(2, 3, 224, 224),)", "trace", "--input-names", "actual_input_1", "--output-names", "output1")
        convolution = ["Conv", "Relu"]
        self.assertEqual([kind for kind in model["kinds"] if kind != "Constant"],
                         [*convolution, "MaxPool"] * 2 + convolution * 3 + ["MaxPool", "Flatten", "Gemm", "Relu", "Gemm", "Relu", "Gemm"])
        self.assertEqual((model["inputs"], model["outputs"]), ({"actual_input_1": [2, 3, 224, 224]}, {"output1": [2, 1000]}))
        first = model["nodes"][0]
        self.assertEqual(first["attributes"], {"dilations": ["1", "1"], "group": "1", "kernel_shape": ["11", "11"],
                                               "pads": ["2", "2", "2", "2"], "strides": ["4", "4"]})

    def test_F275_F276_Inception(self):
        self.exported("import torchvision\ndef Net():\n    return torchvision.models.inception_v3(weights=None, init_weights=False)\n",
                      "(torch.randn(1, 3, 107, 107),)", "trace", "--dynamic", "x:0=batch")

    def test_F279_super_resolution(self):
        for form in ("trace", "script"):
            model = self.exported(RESOLUTION, "(torch.randn(1, 1, 8, 8),)", form, "--dynamic", "x:0=batch,x:2=height,x:3=width", "--output-names", "y")
            self.assertEqual(model["outputs"]["y"], ["batch", 1, "3*height", "3*width"])
            self.compare("(ones(3, 1, 5, 7),)")

    def test_F280_F281_language_models(self):
        for cell, states in (("RNN", "torch.zeros(2, 3, 16)"), ("GRU", "torch.zeros(2, 3, 16)"), ("LSTM", "(torch.zeros(2, 3, 16), torch.zeros(2, 3, 16))")):
            model = self.exported(LANGUAGE.format(cell=cell), f"(torch.randint(30, (5, 3)), {states})", "trace", "--dynamic", "tokens:0=length")
            self.assertEqual(model["inputs"]["tokens"], ["length", 3])
            self.assertEqual(model["kinds"].count(cell), 2)
            self.compare(f"(ones(7, 3).long(), {states.replace('torch.', '')})")


if __name__ == "__main__":
    tool.main()
