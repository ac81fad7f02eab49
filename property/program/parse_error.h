#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lockstep::program {

// Explains a command line that `app` could not parse: what is wrong, and what to do next.
[[nodiscard]] std::string explained(const CLI::App& app, const CLI::ParseError& error);

// Throws UsageError unless `name` is an option or a command of `app`.
void check_command_name(const CLI::App& app, const std::string& name);

}  // namespace lockstep::program
