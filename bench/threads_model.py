"""A model of a training step on T threads, from a step on one thread (bench/train_step).

  step(T) = serial + passes(T) + update(T)

- serial: what one thread does alone, as measured.
- passes: the forward and backward passes of P slices, scheduled as calque does. A free thread takes the next slice.
  The thread that brings the second of two neighbouring gradients adds them. If threads outnumber slices, a group of g
  threads computes each in a + (1 - a) / g of the time on one thread, where a is the share that a second thread does
  not take over, as measured.
- update: the time on one thread, divided by T.

Passes and update take at least the time that memory needs for their bytes: T times the rate at which one thread adds
two gradients, up to the rate of the machine. A slice reads the weights twice, and writes and reads its gradient; all
else is in the caches.
"""
import heapq


def scheduled(seconds, threads, add):
    """The time until the last two sums exist, where `add` is the time to add two gradients."""
    top = max(0, len(seconds).bit_length() - 2)  # the level of these two in the tree; the update adds them
    queue = [(seconds[i], 0, i) for i in range(min(threads, len(seconds)))]  # when a node of the tree is complete
    heapq.heapify(queue)
    begun, waiting, now = len(queue), set(), 0
    while queue:
        now, level, number = heapq.heappop(queue)
        if level < top and (level, number ^ 1) in waiting:
            heapq.heappush(queue, (now + add, level + 1, number // 2))
            continue
        waiting.add((level, number))
        if begun < len(seconds):
            heapq.heappush(queue, (now + seconds[begun], 0, begun))
            begun += 1
    return now


def predicted(one, threads, bandwidth):
    """A step on so many threads. `one` is the result of train_step with one thread; `bandwidth` is in GB/s."""
    slices, gradient = one["slices"], one["gradient_mb"]
    sums = max(0, slices - 2)  # that threads add alone; the last sum belongs to the update
    updated = one["update_mb"] + (3 * gradient if slices > 1 else 0)
    add, update = one["add_ms"], one["cpu_ms"] - one["busy_ms"] - one["serial_ms"]
    memory = min(threads * 3 * gradient / add, bandwidth)  # in MB/ms, which is GB/s
    group = max(1, threads // slices)
    alone = one["slice_alone"]
    work = (one["busy_ms"] - sums * add) * (alone + (1 - alone) / group)
    each = [work * tokens / sum(one["slice_tokens"]) for tokens in one["slice_tokens"]]
    computed = scheduled(each, threads // group, add / group)
    moved = (4 * slices + 3 * sums) * gradient / memory
    passes, update = max(computed, moved), max(update / threads, updated / memory)
    step = one["serial_ms"] + passes + update
    tokens = one["tokens_per_s"] * one["step_ms"] / one["cpu_ms"]  # on an otherwise idle machine
    return {"threads": threads, "step_ms": step, "tokens_per_s": tokens * one["cpu_ms"] / step,
            "speedup": one["cpu_ms"] / step, "serial": one["serial_ms"] / step, "update": update / step,
            "waits": (passes - one["busy_ms"] / threads) / step, "memory_bound": moved > computed}
