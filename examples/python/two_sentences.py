"""A Transformer learns two sentences: the second program of docs/library.md."""

from calque.core import Adam, Noam, Parameters, Tape, Transformer

# Two pairs of sentences as token ids, one after the other. 1 begins a sentence, 2 ends it.
source = [11, 12, 13, 2, 21, 22, 2]
decoder_input = [1, 31, 32, 1, 41, 42, 43]
expected = [31, 32, 2, 41, 42, 43, 2]


def train() -> float:
    parameters = Parameters()
    model = Transformer(parameters, source_vocabulary=50, target_vocabulary=50, d_model=32, d_ff=64,
                        heads=4, encoder_layers=2, decoder_layers=2)
    parameters.initialise(seed=1)
    print(parameters)
    schedule = Noam(factor=1, d_model=32, warmup_steps=100)
    optimizer = Adam(parameters, clip_norm=1)
    nll = 0.0
    for step in range(1, 101):
        with Tape(seed=1, step=step):
            parameters.clear_gradients()
            loss = model.loss(source, [4, 3], decoder_input, expected, [3, 4], label_smoothing=0.1, train=True)
            loss.loss.backward()
        optimizer.update(schedule(step), 1 / loss.tokens)
        nll = loss.nll / loss.tokens
        if step % 20 == 1:
            print(f"step {step:3}: {nll:.3f} nats per token")
    return nll


if __name__ == "__main__":
    train()
