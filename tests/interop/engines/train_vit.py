#!/usr/bin/env python3
"""Trains a small ViT with transformers on drawn pictures, to be imported.

    train_vit.py FOLDER
"""
import sys

import torch
import transformers
from transformers import ViTConfig, ViTForImageClassification, ViTImageProcessor

from pictures import NAMES, pictures

STEPS, HEIGHT, WIDTH, BATCH = 300, 16, 24, 24


def main(folder):
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    config = ViTConfig(
        hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96,
        image_size=[HEIGHT, WIDTH], patch_size=4, num_channels=3,
        id2label=dict(enumerate(NAMES)), label2id={name: i for i, name in enumerate(NAMES)})
    processor = ViTImageProcessor(size={"height": HEIGHT, "width": WIDTH},
                                  image_mean=[0.5, 0.45, 0.4], image_std=[0.5, 0.3, 0.25])
    model = ViTForImageClassification(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(STEPS):
        names, images = zip(*pictures(BATCH, HEIGHT, WIDTH, step))
        batch = processor(list(images), return_tensors="pt")
        labels = torch.tensor([NAMES.index(name) for name in names])
        loss = model(**batch, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    print(f"vit: trained to a loss of {loss.item():.2f}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
