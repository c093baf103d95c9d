#!/usr/bin/env python3
"""Records PyTorch's results of a Vision Transformer for tests/nn/vision_test.cpp.

  python3 tests/reference/vision.py      (needs torch >= 1.12 and numpy; takes a second)

Writes tests/reference/vision/{cls,mean}.safetensors: the weights, three images, the logits, the loss and the
gradient of every parameter. The patches come from a convolution whose stride is its kernel size; the
layers are pre-norm with exact gelu and learned positions. PyTorch computes in double. Names and shapes are calque's.
"""
import pathlib

import torch
import torch.nn.functional as F

from transformer import write

D_MODEL, D_FF, HEADS, LAYERS, CLASSES = 8, 12, 2, 2, 3
HEIGHT, WIDTH, CHANNELS, PATCH, IMAGES = 4, 6, 3, 2, 3
PATCHES = HEIGHT // PATCH * (WIDTH // PATCH)
SMOOTHING = 0.1


class Model(torch.nn.Module):
    def __init__(self, pooling):
        super().__init__()
        self.pooling = pooling
        self.patches = torch.nn.Conv2d(CHANNELS, D_MODEL, PATCH, PATCH)
        if pooling == "cls":
            self.cls = torch.nn.Parameter(torch.randn(1, D_MODEL))
        self.positions = torch.nn.Parameter(torch.randn(PATCHES + (pooling == "cls"), D_MODEL))
        layer = torch.nn.TransformerEncoderLayer(
            D_MODEL, HEADS, D_FF, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.stack = torch.nn.TransformerEncoder(layer, LAYERS, torch.nn.LayerNorm(D_MODEL),
                                                 enable_nested_tensor=False)
        self.classifier = torch.nn.Linear(D_MODEL, CLASSES)

    def forward(self, images):  # [images, height, width, channels]
        x = self.patches(images.permute(0, 3, 1, 2)).flatten(2).transpose(1, 2)
        if self.pooling == "cls":
            x = torch.cat([self.cls.expand(len(x), 1, D_MODEL), x], dim=1)
        x = self.stack(x + self.positions)
        return self.classifier(x[:, 0] if self.pooling == "cls" else x.mean(1))

    def windows(self):
        """calque's name -> (PyTorch's parameter, how calque stores it)."""
        same, turned = lambda x: x, lambda x: x.T
        # [d, channels, row, column] -> [row, column, channels; d]
        unrolled = lambda x: x.permute(2, 3, 1, 0).reshape(-1, D_MODEL)
        found = {"patches.weight": (self.patches.weight, unrolled),
                 "patches.bias": (self.patches.bias, same),
                 "positions.weight": (self.positions, same),
                 "classifier.weight": (self.classifier.weight, same),
                 "classifier.bias": (self.classifier.bias, same),
                 "norm.gain": (self.stack.norm.weight, same),
                 "norm.bias": (self.stack.norm.bias, same)}
        if self.pooling == "cls":
            found["cls.weight"] = self.cls, same

        def linear(name, weight, bias):
            found[name + ".weight"], found[name + ".bias"] = (weight, turned), (bias, same)

        def norm(name, module):
            found[name + ".gain"], found[name + ".bias"] = (module.weight, same), (module.bias, same)

        for i, layer in enumerate(self.stack.layers):
            at, attention = f"layers.{i}.", layer.self_attn
            linear(at + "self_attention.qkv", attention.in_proj_weight, attention.in_proj_bias)
            linear(at + "self_attention.output", attention.out_proj.weight, attention.out_proj.bias)
            norm(at + "self_attention_norm", layer.norm1)
            linear(at + "feed_forward.inner", layer.linear1.weight, layer.linear1.bias)
            linear(at + "feed_forward.outer", layer.linear2.weight, layer.linear2.bias)
            norm(at + "feed_forward_norm", layer.norm2)
        return found


def record(pooling, seed):
    torch.manual_seed(seed)
    model = Model(pooling)
    with torch.no_grad():
        for parameter in model.parameters():  # no value stays 0 or 1, which would hide mistakes
            parameter.add_(0.2 * torch.randn(parameter.shape)).copy_(parameter.float())
    windows = model.windows()
    assert len({id(p) for p, _ in windows.values()}) == len(list(model.parameters()))
    see = lambda x, stored: stored(x).detach().clone().contiguous()
    tensors = {"initial." + name: see(p, stored) for name, (p, stored) in windows.items()}
    images = torch.randn(IMAGES, HEIGHT, WIDTH, CHANNELS).float().double()
    expected = torch.tensor([2, 0, 1])
    logits = model(images)
    loss = F.cross_entropy(logits, expected, label_smoothing=SMOOTHING, reduction="sum")
    loss.backward()
    tensors |= {"images": images.reshape(IMAGES, -1), "expected": expected, "logits": logits, "loss": loss}
    tensors |= {"gradient." + name: see(p.grad, stored) for name, (p, stored) in windows.items()}
    folder = pathlib.Path(__file__).parent / "vision"
    folder.mkdir(exist_ok=True)
    write(folder / f"{pooling}.safetensors", tensors)
    print(pooling, f"loss {loss.item():.4f}")


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    record("cls", seed=300)
    record("mean", seed=301)
