#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "backend.h"
#include "bench.h"

namespace lockstep::program {

// Exit statuses of every command. Bad input of any kind is kBadInput.
inline constexpr int kOk = 0;
inline constexpr int kViolation = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kDiverged = 3;

struct CommandLine {
  // The name by which the user has called this program, for commands to copy.
  std::string program;
  // All words, the program's name first.
  std::vector<std::string> words;
  // The words after the first "--" of `lock` and `run`: a second command line, which CLI11 must not
  // read.
  std::vector<std::string> after_separator;
  // The production backend, for hunts.
  Backend zookeeper = nullptr;
  // ZooKeeper's C client's part of the suite explorer.
  ExplorerFigures client_figures;
  // The selected command; returns the exit status.
  std::function<int()> run;
};

// Reads the words of `line`, and runs the command that they name. Throws UsageError.
int run_command(CLI::App& app, CommandLine& line);

// Each adds one command with its options. `line` must outlive `app`'s parsing.
void add_tour(CLI::App& app, CommandLine& line);
void add_list(CLI::App& app, CommandLine& line);
void add_hunt(CLI::App& app, CommandLine& line);
void add_replay(CLI::App& app, CommandLine& line);
void add_merge(CLI::App& app, CommandLine& line);
void add_run(CLI::App& app, CommandLine& line);
void add_serve(CLI::App& app, CommandLine& line);
void add_completion(CLI::App& app, CommandLine& line);
void add_man(CLI::App& app, CommandLine& line);
// `measure_real` measures the suite real.
void add_bench(CLI::App& app, CommandLine& line, Measure measure_real);

}  // namespace lockstep::program
