// Runs a command of calque. An error becomes one line on stderr and exit status 1, a wrong command
// line one line and 2. If the reader of standard output has closed it, the program ends without a
// message. A command can also choose an exit status itself (CLI::RuntimeError).
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/instruction_set_choice.h"
#include "cli/output.h"
#include "cli/thread_waits.h"
#include "cli/version.h"
#include "core/error.h"
#include "core/products/blas.h"

namespace calque {
namespace {

constexpr int failure = 1;
constexpr int usage_error = 2;
constexpr int pipe_closed = 128 + 13;  // the exit status that a shell reports for SIGPIPE

int complain(int status, std::string_view message) {
  const std::string line = one_line(message);
  std::fprintf(stderr, "calque: %s\n", line.c_str());
  return status;
}

int run_command(CLI::App& app, int count, char** arguments) {
  try {
    parse_words(app, count, arguments);
  } catch (const CLI::RuntimeError& status) {
    return status.get_exit_code();
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "%s\n", one_line(explain(app, error)).c_str());
    return usage_error;
  }
  return 0;
}

// Opens closed standard streams on /dev/null, so that no file opened later gets their descriptors.
// Standard input is opened for writing and the others for reading, so that their use still fails.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Restarts the program if a library must be loaded in another way.
void restart_if_needed(char** arguments) {
  const bool shortened = shorten_thread_waits();
  if (!choose_instruction_set() && !shortened) return;
  std::error_code failed;
  // The resolved path: after execv("/proc/self/exe") the process would be named exe.
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) execv(program.c_str(), arguments);
}

int run(int count, char** arguments) {
  try {
    restart_if_needed(arguments);
    occupy_closed_streams();
    CLI::App app("Trains Transformers on ordinary CPUs: translators and language models.",
                 "calque");
    app.set_version_flag("--version", version_text);
    app.require_subcommand(1);
    app.footer(
        "'calque COMMAND --help' describes a command.\n"
        "Example: calque train toy");
    for (const auto add_command : add_commands) add_command(app);
    const int status = run_command(app, count, arguments);
    finish_output();
    return status;
  } catch (const Error& error) {
    return complain(failure, error.what());
  } catch (const BrokenPipe&) {
    return pipe_closed;
  } catch (const std::filesystem::filesystem_error& error) {
    const auto& path = error.path2().empty() ? error.path1() : error.path2();
    return complain(failure, path.string() + ": " + error.code().message());
  } catch (const std::system_error& error) {  // thrown by fmt::print, for example
    if (error.code().value() == EPIPE) return pipe_closed;
    if (error.code() == std::errc::resource_unavailable_try_again) {
      return complain(
          failure,
          "not enough memory, or too many processes, to start a thread; raise the limit "
          "(ulimit -v, ulimit -u)");
    }
    return complain(failure, std::string("standard output: ") + error.code().message());
  } catch (const std::bad_alloc&) {
    return complain(
        failure, "not enough memory; use a smaller batch or model, or set training.memory_limit");
  } catch (const Misuse& error) {
    return complain(failure, std::string("internal error, please report it: ") + error.what());
  } catch (const std::exception& error) {
    return complain(failure, error.what());
  }
}

}  // namespace
}  // namespace calque

int main(int count, char** arguments) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond `ulimit -f` returns an error instead
  return calque::run(count, arguments);
}
