#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lockstep::program {

// The help, the man page and the shell completions are all made from the same CLI::App, so none of
// them can be out of date.

// The commands in the order of the help.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& app);
// The options, without positionals.
[[nodiscard]] std::vector<const CLI::Option*> named_options(const CLI::App& command);
[[nodiscard]] std::vector<const CLI::Option*> positionals_of(const CLI::App& command);

// "--clients", or "-h" and "--help": all names with their dashes.
[[nodiscard]] std::vector<std::string> names_of(const CLI::Option& option);
// Whether the option is followed by a value.
[[nodiscard]] bool takes_value(const CLI::Option& option);
// The word that stands for the value: "N", "FILE"; empty for a flag.
[[nodiscard]] std::string value_of(const CLI::Option& option);
// The possible values, if they are known: strategies, scenarios, kinds of faults.
[[nodiscard]] std::vector<std::string> choices_of(const CLI::Option& option);
// The words of --faults.
[[nodiscard]] std::vector<std::string> fault_choices();
// Whether the value may be several of these words, with commas between them.
[[nodiscard]] bool takes_list(const CLI::Option& option);

}  // namespace lockstep::program
