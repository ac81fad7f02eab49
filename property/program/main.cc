// The program `lockstep`: hunts for races in lock recipes, and has commands for the operators of
// real locks. One file per command.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "command.h"
#include "html_file.h"
#include "production/commands.h"
#include "usage.h"

namespace lockstep::program {

namespace {

constexpr const char* kVersion = "lockstep " LOCKSTEP_VERSION;
// Defined as in <sysexits.h>.
constexpr int kInternalError = 70;
constexpr int kCannotWrite = 74;

// The program's name as the user has typed it, relative to the current directory.
std::string called(std::string_view argument) {
  if (argument.find('/') == std::string_view::npos) return std::string(argument);
  std::error_code error;
  const std::filesystem::path near = std::filesystem::proximate(argument, error);
  if (error || near.string().size() >= argument.size()) return std::string(argument);
  return near.has_parent_path() ? near.string() : "./" + near.string();
}

// CLI11 would only print that an argument was not expected.
void check_command_name(const CLI::App& app, std::string_view name) {
  if (name.starts_with('-')) return;
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const bool known = std::ranges::any_of(
      commands, [&](const CLI::App* command) { return command->get_name() == name; });
  if (!known) {
    throw UsageError("there is no command '" + std::string(name) + "'; --help shows them");
  }
}

// How many of the arguments are for CLI11: `lock` has a command line of its own after "--".
int words_for_cli(int argc, char** argv, CommandLine& line) {
  if (argv[1] != std::string_view("lock")) return argc;
  char** const end = argv + argc;
  char** const separator =
      std::find_if(argv, end, [](const char* word) { return word == std::string_view("--"); });
  if (separator == end) return argc;
  line.after_separator.assign(separator + 1, end);
  return static_cast<int>(separator - argv);
}

int run(int argc, char** argv) {
  CLI::App app(
      "Hunts for races in ZooKeeper lock recipes, and works with locks of a real ensemble.",
      "lockstep");
  app.set_version_flag("--version", kVersion);
  app.set_help_flag("-h,--help", "Show this help");
  // The footer of commands without their own.
  app.footer(
      "Exit status: 0 success, 2 bad input, 70 an error of this program, 74 a result cannot "
      "be written.");
  app.require_subcommand(0, 1);  // Without it CLI11 would accept a second command.
  CommandLine line;
  line.program = called(argc > 0 ? argv[0] : "lockstep");
  add_tour(app, line);
  add_list(app, line);
  add_hunt(app, line);
  add_replay(app, line);
  add_merge(app, line);
  add_bench(app, line, &measure_real);
  line.zookeeper = &on_zookeeper;
  line.measure_client = &measure_client;
  add_serve(app, line);
  add_lock(app, line);
  add_show(app, line);
  add_revoke(app, line);
  if (argc < 2) {
    std::cerr << app.help();
    return kBadInput;
  }
  try {
    check_command_name(app, argv[1]);
    app.parse(words_for_cli(argc, argv, line), argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, std::cout, std::cerr);
    throw UsageError(error.what());
  }
  if (!line.run) throw UsageError("a command is missing; --help shows them");
  return line.run();
}

// Output that could not be written is a failure.
int finish(int status) {
  std::cout.flush();
  if (std::cout) return status;
  std::cerr << "lockstep: cannot write to standard output\n";
  return kCannotWrite;
}

}  // namespace

}  // namespace lockstep::program

int main(int argc, char** argv) {
  using namespace lockstep::program;
  std::ios::sync_with_stdio(false);
  try {
    return finish(run(argc, argv));
  } catch (const UsageError& error) {
    std::cerr << "lockstep: " << one_line(error.what()) << '\n';
    return kBadInput;
  } catch (const CannotWrite& error) {
    std::cerr << "lockstep: " << one_line(error.what()) << '\n';
    return kCannotWrite;
  } catch (const std::exception& error) {
    std::cerr << "lockstep: " << one_line(error.what()) << '\n';
    return kInternalError;
  }
}
