// The shells' completions and the man page contain every command and option; bash completes with
// its file.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "run_program.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;

std::string printed(const std::string& command) {
  const ProgramRun run = run_program(words(command));
  EXPECT_EQ(run.status, 0) << run.err;
  return run.out;
}

// The commands, or the options of one, in its help.
Words found_in_help(const std::string& command, const std::string& pattern) {
  const std::string help = printed(command + " --help");
  const std::regex regex(pattern, std::regex::multiline);
  Words found;
  for (std::sregex_iterator at(help.begin(), help.end(), regex); at != std::sregex_iterator();
       ++at) {
    found.push_back((*at)[1]);
  }
  return found;
}

Words commands() {
  const std::string help = printed("--help");
  Words found;
  std::istringstream lines(help.substr(help.find("\nSubcommands:\n") + 14));
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    found.push_back(words(line).front());
  }
  EXPECT_GE(found.size(), 13U) << help;
  return found;
}

Words options_in_help(const std::string& command) {
  const Words found = found_in_help(command, "^  (?:-[a-z],)?(--[a-z-]+)");
  EXPECT_GE(found.size(), 1U) << command;
  return found;
}

// Bash's completions of the last word of that line.
Words completed(const Words& line) {
  const std::string script =
      "set -eu; . <(\"$0\" completion bash); COMP_WORDS=(lockstep \"$@\"); COMP_CWORD=$#; "
      "_lockstep; printf '%s\\n' \"${COMPREPLY[@]}\"";
  Words command = {"/bin/bash", "-c", script, LOCKSTEP_PROGRAM};
  command.insert(command.end(), line.begin(), line.end());
  const ProgramRun run = run_command(command);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  Words found = words(run.out);
  std::ranges::sort(found);
  return found;
}

TEST(CompletionTest, BashKnowsEveryCommandAndOption) {
  const Words known = commands();
  for (const std::string& command : known) {
    SCOPED_TRACE(command);
    const Words all = completed({""});
    EXPECT_TRUE(std::ranges::find(all, command) != all.end());
    const Words shown = completed({command, "-"});
    for (const std::string& option : options_in_help(command)) {
      EXPECT_TRUE(std::ranges::find(shown, option) != shown.end()) << option;
    }
  }
}

TEST(CompletionTest, BashCompletesCommandsScenariosAndValues) {
  EXPECT_EQ(completed({"hu"}), Words{"hunt"});
  EXPECT_EQ(completed({"hunt", "zoo-01"}), Words{"zoo-01-wait-after-missing-predecessor"});
  EXPECT_EQ(completed({"hunt", "fair-mutex", "--strat"}), Words{"--strategy"});
  EXPECT_EQ(completed({"hunt", "fair-mutex", "--strategy", "p"}),
            (Words{"pct", "portfolio", "pos"}));
  EXPECT_EQ(completed({"hunt", "fair-mutex", "--strategy", "=", "ex"}), Words{"exhaustive"});
  EXPECT_EQ(completed({"hunt", "fair-mutex", "--faults", "cut,exp"}), Words{"cut,expiry"});
  EXPECT_EQ(completed({"hunt", "fair-mutex", "--clients", ""}), Words{});
  EXPECT_EQ(completed({"bench", "re"}), Words{"real"});
  EXPECT_EQ(completed({"completion", ""}), (Words{"bash", "zsh"}));
}

TEST(CompletionTest, EveryWordThatBashOffersIsAccepted) {
  const Words hunt = words("hunt fair-mutex --executions 1 --seed 1");
  for (const std::string option : {"--strategy", "--faults", "--backend"}) {
    Words line = hunt;
    line.insert(line.end(), {option, ""});
    const Words offered = completed(line);
    EXPECT_GE(offered.size(), 2U) << option;
    for (const std::string& word : offered) {
      line.back() = word;
      EXPECT_NE(run_program(line).status, 2) << option << ' ' << word;
    }
  }
  EXPECT_EQ(completed({"hunt", "fair-mutex", "--reduction", ""}),
            (Words{"none", "sleep", "source"}));
  EXPECT_EQ(completed({"lock", "/l", "--on-loss", ""}), (Words{"kill", "warn"}));
}

TEST(CompletionTest, BashCompletesFilesAndTheCommandAfterTheDashes) {
  EXPECT_EQ(completed({"merge", "/etc/passw"}).front(), "/etc/passwd");
  EXPECT_EQ(completed({"hunt", "fair-mutex", "--html", "/etc/passw"}).front(), "/etc/passwd");
  const Words commands_of_bash = completed({"lock", "/backup", "--", "rea"});
  EXPECT_TRUE(std::ranges::find(commands_of_bash, "read") != commands_of_bash.end());
  EXPECT_EQ(completed({"lock", "/backup", "--", "cat", "/etc/passw"}).front(), "/etc/passwd");
}

TEST(CompletionTest, ZshKnowsEveryCommandAndOption) {
  const std::string script = printed("completion zsh");
  EXPECT_TRUE(script.starts_with("#compdef lockstep\n"));
  for (const std::string& command : commands()) {
    SCOPED_TRACE(command);
    EXPECT_NE(script.find("'" + command + ":"), std::string::npos);
    const std::size_t begin = script.find("\n    " + command + ")\n");
    ASSERT_NE(begin, std::string::npos);
    const std::string its = script.substr(begin, script.find(";;", begin) - begin);
    for (const std::string& option : options_in_help(command)) {
      EXPECT_NE(its.find(option), std::string::npos) << option << " is not in " << its;
    }
  }
}

TEST(CompletionTest, AnUnknownShellIsNamed) {
  const ProgramRun run = run_program({"completion", "fish"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("fish"), std::string::npos) << run.err;
}

// ------------------------------------------------------------------------------ the manual page

TEST(ManualPageTest, HasEveryCommandAndOption) {
  const std::string page = printed("man");
  std::string plain = std::regex_replace(page, std::regex(R"(\\-)"), "-");
  plain = std::regex_replace(plain, std::regex(R"(\\f[BIR])"), "");
  for (const std::string& command : commands()) {
    SCOPED_TRACE(command);
    const std::size_t begin = plain.find(".SS lockstep " + command);
    ASSERT_NE(begin, std::string::npos);
    const std::string its = plain.substr(begin, plain.find("\n.S", begin + 1) - begin);
    for (const std::string& option : options_in_help(command)) {
      EXPECT_NE(its.find(option), std::string::npos) << option << " is not in " << its;
    }
  }
}

TEST(ManualPageTest, IsSoundRoff) {
  const std::set<std::string> requests = {".\\\"", ".TH", ".SH", ".SS", ".TP", ".PP"};
  std::istringstream lines(printed("man"));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_FALSE(line.empty()) << "an empty line is a request for space";
    EXPECT_FALSE(line.starts_with('\'')) << line;
    if (line.starts_with('.')) {
      EXPECT_TRUE(requests.contains(line.substr(0, line.find(' ')))) << line;
    }
    static const std::regex escapes(R"(\\(-|e|&|f[BIR]|"))");
    const std::string rest = std::regex_replace(line, escapes, "");
    EXPECT_EQ(rest.find('\\'), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace lockstep
