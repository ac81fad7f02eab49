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
  // The name by which the user has called this program, for commands to copy.
  std::string program;
  // The selected command; returns the exit status.
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
