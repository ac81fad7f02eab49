#include "start.h"

#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

#include "commands.h"
#include "lockstep/search/version.h"
#include "program/command.h"
#include "program/ending.h"
#include "program/parse_error.h"

namespace lockstep::program {

namespace {

// The program's name as the user has typed it, relative to the current directory.
std::string called(std::string_view argument) {
  if (argument.find('/') == std::string_view::npos) return std::string(argument);
  std::error_code error;
  const std::filesystem::path near = std::filesystem::proximate(argument, error);
  if (error || near.string().size() >= argument.size()) return std::string(argument);
  return near.has_parent_path() ? near.string() : "./" + near.string();
}

int parse_and_run(int argc, char** argv) {
  CLI::App app(
      "Hunts for races in ZooKeeper lock recipes, and works with locks of a real ensemble.",
      "lockstep");
  app.set_version_flag("--version", "lockstep " + std::string(search::version()),
                       "Show the version");
  app.set_help_flag("-h,--help", "Show this help");
  // The footer of all commands that do not set one.
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
  line.client_figures = client_figures();
  add_serve(app, line);
  add_lock(app, line);
  add_run(app, line);
  add_show(app, line);
  add_revoke(app, line);
  add_completion(app, line);
  add_man(app, line);
  if (argc < 2) {
    std::cerr << app.help();
    return kBadInput;
  }
  check_command_name(app, argv[1]);
  line.words.assign(argv, argv + argc);
  line.words.front() = line.program;
  return run_command(app, line);
}

}  // namespace

int start(int argc, char** argv) {
  return end_with([&] { return parse_and_run(argc, argv); });
}

}  // namespace lockstep::program
