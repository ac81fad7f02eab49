#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "search.h"

namespace lockstep::program {

// The options of all hunts. 0 means not given, where there is no fixed default.
struct SearchOptions {
  std::uint32_t clients = 0;
  std::uint32_t rounds = 0;
  std::string strategy = lab::HuntSettings().strategy;
  std::string reduction;  // Only with "exhaustive".
  std::uint64_t executions = 0;
  double seconds = 0;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  std::string faults = "all";
  std::uint32_t fault_budget = lab::HuntSettings::kUsualFaults;
  std::uint32_t jobs = 0;
  bool coverage = false;
  std::optional<std::string> html;
  std::optional<std::string> resume;  // Only with "exhaustive".
  bool json = false;
};

// Each function adds some options to a command. add_bounds also draws the seed.
void add_bounds(CLI::App& command, SearchOptions& options, const std::string& usual_clients);
void add_strategy(CLI::App& command, SearchOptions& options, const std::string& others);
// Adds the options that only scenarios have.
void add_scenario_options(CLI::App& command, SearchOptions& options);
void add_fault_options(CLI::App& command, SearchOptions& options);
void add_output_options(CLI::App& command, SearchOptions& options);

// Reads the settings of a hunt that has a scenario. Throws UsageError.
void read_settings(const SearchOptions& options, HuntCommand& what);

}  // namespace lockstep::program
