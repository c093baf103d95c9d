// calque serve: serves trained runs over HTTP.
#include <fmt/format.h>

#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "core/error.h"
#include "data/files/text_lines.h"
#include "serve/run_server.h"
#include "serve/served_task.h"

namespace calque {
namespace {

struct ServeArguments {
  std::vector<std::string> runs;
  std::string host = "127.0.0.1", key_file;
  std::vector<std::string> glossaries;
  int port = 8080;
  std::optional<Precision> precision;
  HttpLimits limits;
  ServiceOptions options;
};

std::set<std::string> read_keys(const std::string& path) {
  std::set<std::string> keys;
  const TextLines lines(path);
  for (int64_t i = 0; i < lines.count(); ++i) {
    if (const std::string key = lines.line(i); !key.empty()) keys.insert(key);
  }
  if (keys.empty()) fail("--api-key-file {}: has no keys; write one per line", path);
  return keys;
}

void announce(const ServeArguments& arguments, const ServedRuns& runs, int port) {
  for (const ServedTask* task : served_tasks()) {
    for (const DescribedRun& run : task->describe(runs)) fmt::print("{}\n", run.line);
  }
  const bool loopback = arguments.host.starts_with("127.") || arguments.host == "localhost" ||
                        arguments.host == "::1";
  if (!loopback) {
    fmt::print("listens to the network{}\n",
               arguments.options.keys.empty() ? " without keys; --api-key-file requires them" : "");
  }
  const bool ipv6 = arguments.host.find(':') != std::string::npos;
  fmt::print("http://{}:{}\n", ipv6 ? "[" + arguments.host + "]" : arguments.host, port);
  std::fflush(stdout);
}

void serve(ServeArguments arguments) {
  if (!arguments.key_file.empty()) arguments.options.keys = read_keys(arguments.key_file);
  ServedRuns runs = open_served_runs(places(arguments.runs, arguments.precision));
  for (const std::string& glossary : arguments.glossaries) set_glossary(runs, glossary);
  RunServer server(std::move(runs), arguments.options, arguments.host, arguments.port,
                   arguments.limits);
  announce(arguments, server.runs(), server.port());
  server.run(/*signals=*/true);
}

void add_limits(CLI::App& command, ServeArguments& arguments) {
  const auto add = [&](const char* name, auto& value, int64_t least, int64_t most,
                       const std::string& meaning) {
    command.add_option(name, value, fmt::format("{} (default: {})", meaning, value))
        ->check(whole_number(least, most))
        ->type_name("N")
        ->group("Limits");
  };
  constexpr int64_t any = 1'000'000'000;
  ServiceOptions& options = arguments.options;
  HttpLimits& limits = arguments.limits;
  add("--characters", options.characters, 1, any, "Maximum characters of text in a request");
  add("--sentences", options.sentences, 1, any, "Maximum sentences of text in a request");
  add("--explained-tokens", options.explained_tokens, 1, any,
      "Maximum tokens of a text to explain");
  add("--alternatives", options.alternatives, 0, 100, "Maximum alternatives to a translation");
  add("--max-tokens", options.new_tokens, 1, any, "Maximum tokens of a generated text");
  add("--prefix-cache-mb", options.prefix_cache_mb, 0, 1'000'000,
      "Memory in MB for the keys and values of prompts, of each language model");
  add("--samples", options.samples, 1, 10'000, "Maximum texts of a request to a language model");
  add("--queue-tokens", options.queue.capacity, 1, any,
      "Maximum tokens that wait for a thread; beyond it, requests are answered with 503");
  add("--batch-tokens", options.queue.batch_tokens, 1, any,
      "Maximum tokens of the sentences translated together");
  add("--short-tokens", options.queue.short_tokens, 1, any,
      "Maximum tokens of a short request; short requests do not wait for longer ones");
  add("--body", limits.body_bytes, 1, any, "Maximum bytes of a request's body");
  add("--connections", limits.connections, 1, 100'000, "Maximum open connections");
  add("--connections-per-address", limits.connections_per_address, 1, 100'000,
      "Maximum open connections of one address");
}

}  // namespace

void add_serve_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ServeArguments>();
  CLI::App* command = calque.add_subcommand(
      "serve", "Serve translators, language models and classifiers over HTTP");
  command
      ->add_option(
          "RUN", arguments->runs,
          "The folders of runs; the first translator between two languages is their default")
      ->required()
      ->type_name("");
  command->add_option("--host", arguments->host, "The address to listen on (default: 127.0.0.1)")
      ->type_name("ADDRESS");
  command->add_option("--port", arguments->port, "The port; 0 takes any free port (default: 8080)")
      ->check(whole_number(0, 65535))
      ->type_name("N");
  command
      ->add_option("--api-key-file", arguments->key_file,
                   "A file of API keys, one per line; requests must have one of them")
      ->type_name("FILE");
  command
      ->add_option("--glossary", arguments->glossaries,
                   "Terms that translations must have: lines of a term, a tab and its translation; "
                   "with several translators NAME=FILE, repeatable")
      ->allow_extra_args(false)
      ->type_name("FILE");
  add_limits(*command, *arguments);
  add_precision(command, arguments->precision);
  add_threads(command);
  command->footer(
      "Implements the API of LibreTranslate (/translate), that of OpenAI (/v1/completions,\n"
      "/v1/chat/completions, /v1/embeddings), and calque's own (/classify, /explain, /score);\n"
      "/health and /metrics are for operators.\n"
      "docs/serve.md describes all routes.\n"
      "Example: calque serve runs/toy --port 8080\n"
      "         curl -d q='ein Satz' -d source=de -d target=en http://127.0.0.1:8080/translate");
  command->callback([arguments] { serve(*arguments); });
}

}  // namespace calque
