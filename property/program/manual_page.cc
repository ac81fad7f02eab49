#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "command_tree.h"
#include "completion.h"
#include "lockstep/search/version.h"

namespace lockstep::program {

namespace {

constexpr std::string_view kIntroduction =
    "Lockstep hunts for races in lock recipes: in a simulated ZooKeeper it chooses which message "
    "travels next and what fails, and shows the shortest schedule that breaks a lock. What it "
    "found "
    "can be replayed on any machine. Other commands serve the simulated ZooKeeper to clients of "
    "any "
    "language, and work with the locks of a real ensemble.";

// Escapes text for a man page: its dashes can be copied, and no line begins with a request.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if ((escaped.empty() || escaped.ends_with('\n')) && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string tagged(const std::string& tag, const std::string& about) {
  return ".TP\n" + tag + '\n' + about + '\n';
}

std::string manual_of(const CLI::Option& option) {
  std::string tag;
  for (const std::string& name : names_of(option)) {
    tag += (tag.empty() ? "" : ", ") + (option.get_positional() ? italic(name) : bold(name));
  }
  const std::string value = option.get_positional() ? "" : value_of(option);
  if (!value.empty()) tag += ' ' + italic(value);
  std::string about = roff(option.get_description());
  const std::string& usual = option.get_default_str();
  if (!usual.empty()) about += " (" + roff(usual) + ')';
  return tagged(tag, about);
}

// Joins lines that were broken for a terminal into paragraphs.
std::string paragraphs(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  bool begins = true;
  for (std::string line; std::getline(lines, line); begins = line.empty()) {
    if (line.empty()) continue;
    result += (begins || line.starts_with("Exit status:") ? ".PP\n" : "") + roff(line) + '\n';
  }
  return result;
}

std::string manual_of(const CLI::App& command) {
  std::string heading = ".SS " + roff("lockstep " + command.get_name());
  for (const CLI::Option* const positional : positionals_of(command)) {
    heading += ' ' + roff(positional->get_name(true));
  }
  std::string text = heading + '\n' + roff(command.get_description()) + ".\n";
  for (const CLI::Option* const each : positionals_of(command)) text += manual_of(*each);
  for (const CLI::Option* const each : named_options(command)) text += manual_of(*each);
  return text + paragraphs(command.get_footer());
}

std::string surroundings() {
  return ".SH ENVIRONMENT\n" +
         tagged(bold("NO_COLOR"), "If it is set, output on a terminal has no colours.") +
         tagged(bold("COLUMNS"),
                "How wide a terminal is. On less than 100 columns the lanes of an "
                "execution are folded.") +
         tagged(bold("LOCKSTEP_AUTH"),
                "A credential for locks with an ACL, as with " + bold("--auth") + ".") +
         tagged(bold("LOCKSTEP_FENCING_TOKEN"),
                "Set by " + bold("lockstep lock") + " for the command that it runs.");
}

std::string examples() {
  const auto example = [](std::string_view command, const std::string& about) {
    return tagged(bold(command), about);
  };
  return ".SH EXAMPLES\n" +
         example("lockstep tour", "A broken lock is caught, a sound one holds.") +
         example("lockstep hunt zoo-01 --html failure.html",
                 "Hunts a lock with a famous bug, and draws its shortest failure.") +
         example("lockstep hunt fair-mutex --clients 2 --strategy exhaustive --faults none",
                 "Tries every schedule of two clients.") +
         example("lockstep serve --listen 127.0.0.1:2181",
                 "A ZooKeeper for tests, ready in milliseconds.") +
         example("lockstep lock /backup --zookeeper zk1:2181,zk2:2181 -- ./backup.sh",
                 "Runs a command while it holds a lock of a real ensemble.") +
         example(". <(lockstep completion bash)", "Completion in this shell.");
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  const std::string version(search::version());
  std::string text = ".\\\" Made by `lockstep man` of version " + version + ".\n" +
                     ".TH LOCKSTEP 1 \"\" \"lockstep " + version + "\" \"User Commands\"\n" +
                     ".SH NAME\nlockstep \\- hunt for races in lock recipes of ZooKeeper\n" +
                     ".SH SYNOPSIS\n" + bold("lockstep") + ' ' + italic("COMMAND") + " [" +
                     italic("OPTIONS") + "]\n.SH DESCRIPTION\n" + roff(kIntroduction) +
                     "\n.SH OPTIONS\n";
  for (const CLI::Option* const option : named_options(app)) text += manual_of(*option);
  text += ".SH COMMANDS\n";
  for (const CLI::App* const command : commands_of(app)) text += manual_of(*command);
  return text + surroundings() + examples() +
         ".SH EXIT STATUS\nEach command describes its own. Common to all: " + bold("0") +
         " success, " + bold("2") + " bad input, " + bold("70") + " an error of this program, " +
         bold("74") + " a result cannot be written.\n";
}

}  // namespace lockstep::program
