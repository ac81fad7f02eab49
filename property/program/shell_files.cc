// `lockstep completion` and `lockstep man`: print the files that belong to an installed program,
// made from its options.
#include <iostream>
#include <memory>

#include "command.h"
#include "completion.h"

namespace lockstep::program {

void add_completion(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("completion", "Prints the completions of this program for a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command->footer(
      "For this shell only:   . <(lockstep completion bash)\n"
      "For every shell:       lockstep completion bash > "
      "~/.local/share/bash-completion/completions/lockstep\n"
      "For zsh, in a folder of $fpath:   lockstep completion zsh > _lockstep\n"
      "\n"
      "Exit status: 0 success, 2 bad input, 74 a result cannot be written.");
  command->callback([&app, &line, shell] {
    line.run = [&app, shell] {
      std::cout << (*shell == "bash" ? completion_for_bash(app) : completion_for_zsh(app));
      return kOk;
    };
  });
}

void add_man(CLI::App& app, CommandLine& line) {
  CLI::App* const command = app.add_subcommand("man", "Prints the manual page of this program");
  command->footer(
      "To read it: lockstep man | man -l -\n"
      "\n"
      "Exit status: 0 success, 2 bad input, 74 a result cannot be written.");
  command->callback([&app, &line] {
    line.run = [&app] {
      std::cout << manual_page(app);
      return kOk;
    };
  });
}

}  // namespace lockstep::program
