#pragma once
// Exports a run of task: masked-lm for bench/peers/same_masked_batches.py. The folder gets
// config.yaml, initial.safetensors, validation.jsonl (one window per line) and updates.jsonl (one
// update per line: its learning rate and its windows). A window is [ids, expected], where expected
// has the original ids of the chosen tokens and -1 elsewhere.

#include <cstdint>
#include <string>

// The learning rates are those of a run whose limit is in updates.
void export_masked_run(const std::string& place, int64_t updates, const std::string& out);
