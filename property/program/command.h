#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace lockstep::program {

// Exit statuses of every command. Bad input of any kind is kBadInput.
inline constexpr int kOk = 0;
inline constexpr int kViolation = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kDiverged = 3;

struct CommandLine {
  // How the user has called this program, for commands that are printed to be copied.
  std::string program;
  // What the command that was given does; its result is the exit status.
  std::function<int()> run;
};

// Each adds one command with its options. `line` must outlive `app`'s parsing.
void add_tour(CLI::App& app, CommandLine& line);
void add_list(CLI::App& app, CommandLine& line);
void add_hunt(CLI::App& app, CommandLine& line);
void add_replay(CLI::App& app, CommandLine& line);
void add_merge(CLI::App& app, CommandLine& line);
void add_bench(CLI::App& app, CommandLine& line);

}  // namespace lockstep::program
