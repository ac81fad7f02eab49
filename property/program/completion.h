#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lockstep::program {

// Scripts that let a shell complete the command line of `app`.
[[nodiscard]] std::string completion_for_bash(const CLI::App& app);
[[nodiscard]] std::string completion_for_zsh(const CLI::App& app);

// The manual page of `app`, for `man`.
[[nodiscard]] std::string manual_page(const CLI::App& app);

}  // namespace lockstep::program
