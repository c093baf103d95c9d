#pragma once
// The commands of calque. Each has a file of its own name, in commands/, metrics/ or the folder of
// its task, which adds a subcommand with its options and a callback. A callback prints results to
// stdout. It throws Error for what the user can fix, and CLI::RuntimeError(status) to exit with a
// status without an error.

#include <CLI/CLI.hpp>

namespace calque {

void add_completion_command(CLI::App& calque);  // and calque reference, for packages
void add_demo_command(CLI::App& calque);
void add_train_command(CLI::App& calque);
void add_task_commands(CLI::App& calque);  // translate, generate, ...: for runs of one task
void add_classify_command(CLI::App& calque);
void add_embed_command(CLI::App& calque);
void add_evaluate_command(CLI::App& calque);
void add_score_command(CLI::App& calque);
void add_serve_command(CLI::App& calque);
void add_explain_command(CLI::App& calque);
void add_average_command(CLI::App& calque);
void add_merge_command(CLI::App& calque);
void add_quantize_command(CLI::App& calque);
void add_export_command(CLI::App& calque);
void add_import_command(CLI::App& calque);
void add_info_command(CLI::App& calque);
void add_data_command(CLI::App& calque);
void add_clean_command(CLI::App& data);      // calque data clean
void add_sentences_command(CLI::App& data);  // calque data sentences
void add_turns_command(CLI::App& data);      // calque data turns
void add_config_command(CLI::App& calque);
void add_plot_command(CLI::App& calque);
void add_bleu_command(CLI::App& calque);
void add_chrf_command(CLI::App& calque);
void add_ter_command(CLI::App& calque);

// In the order in which `calque --help` lists them.
inline constexpr void (*add_commands[])(CLI::App&) = {
    add_train_command,    add_task_commands,      add_classify_command, add_embed_command,
    add_evaluate_command, add_score_command,      add_explain_command,  add_serve_command,
    add_average_command,  add_merge_command,      add_quantize_command, add_export_command,
    add_import_command,   add_info_command,       add_data_command,     add_config_command,
    add_plot_command,     add_bleu_command,       add_chrf_command,     add_ter_command,
    add_demo_command,     add_completion_command,
};

}  // namespace calque
