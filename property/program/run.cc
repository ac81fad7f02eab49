#include "run.h"

#include <unistd.h>

#include <bitset>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "command.h"
#include "ending.h"
#include "hunt.h"
#include "hunt_result.h"
#include "lockstep/internal/path_rules.h"
#include "replay.h"
#include "search_options.h"
#include "target_file.h"
#include "usage.h"

namespace lockstep::program {

namespace {

constexpr const char* kRunFooter =
    "lockstep run --hunt [OPTIONS] -- PROGRAM ARGUMENTS...\n"
    "\n"
    "Hunts a program unchanged: its threads, clocks, sockets and random sources belong to the\n"
    "simulated world, and each server that it connects to is simulated. Each execution begins "
    "like\n"
    "a new process. With --clients, that many copies run, each with its own variables; in an\n"
    "argument, {client} is the copy's number, from 1. Its standard input is empty, and a hunt "
    "does\n"
    "not show its output.\n"
    "\n"
    "Violations: an exit status other than 0 and those of --allow-exit (user:exit-status),\n"
    "threads that wait forever (deadlock), an abort or a bad pointer (crash), a call that cannot\n"
    "be hunted (misuse); with --lock, a client that removes its znode before its turn (S1) and\n"
    "znodes left behind (S5).\n"
    "\n"
    "Exit status: that of a `hunt` that is not exhaustive, or with --replay that of `replay`.\n";

struct RunArguments : SearchOptions {
  bool hunt = false;
  bool has_lock = false;
  std::string lock;
  std::optional<std::string> allow_exit;
  std::optional<std::string> replay;
  bool tolerant = false;
};

// Quotes one word of a command line for a shell.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// A name for replay strings: only with characters that a name may have.
std::string name_of(const std::vector<std::string>& target) {
  std::string name = "program+" + std::filesystem::path(target.front()).filename().string();
  for (char& c : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ||
                          c == '_' || c == '.' || c == '+';
    if (!is_plain) c = '_';
  }
  return name;
}

std::string target_command(const RunArguments& options, const std::vector<std::string>& target) {
  std::string text = options.lock.empty() ? "" : " --lock " + quoted(options.lock);
  if (options.allow_exit) text += " --allow-exit " + *options.allow_exit;
  text += " --";
  for (const std::string& word : target) text += ' ' + quoted(word);
  return text;
}

// "any", or numbers that are separated by commas.
std::bitset<256> allowed_by(const std::optional<std::string>& text) {
  std::bitset<256> allowed{1};
  if (text == "any") return allowed.set();
  if (text && text->empty()) throw UsageError("--allow-exit: the list of statuses is empty");
  std::istringstream list(text.value_or(""));
  for (std::string item; std::getline(list, item, ',');) {
    unsigned status = 256;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), status);
    if (error != std::errc() || end != item.data() + item.size() || status > 255) {
      throw UsageError("--allow-exit: '" + item + "' is no exit status, which is 0 to 255");
    }
    allowed.set(status);
  }
  return allowed;
}

lab::LockUnderTest lock_of(const RunArguments& options, const std::vector<std::string>& target,
                           const RunTarget& make) {
  lab::LockUnderTest lock(name_of(target));
  lock.in_forks = true;
  TargetSettings settings{.lock_path = options.lock,
                          .shows_output = options.replay.has_value(),
                          .allowed = allowed_by(options.allow_exit)};
  lock.make_program = [make, settings](lab::ScenarioSize size) {
    TargetSettings sized = settings;
    sized.copies = size.clients;
    return make(sized);
  };
  return lock;
}

// Represents all programs in results.
const scenarios::Scenario& scenario_of_programs() {
  static const scenarios::Scenario scenario{
      "program", "program", "pass", "A program that was not compiled for a hunt.", {1, 1}, nullptr};
  return scenario;
}

void check(const RunArguments& options, const std::vector<std::string>& target) {
  if (!options.hunt) throw UsageError("run: --hunt is missing; there is no other way to run yet");
  if (target.empty()) throw UsageError("run: PROGRAM is missing, after --");
  if (options.strategy == lab::HuntSettings::kExhaustive) {
    throw UsageError("--strategy: an exhaustive search cannot hunt a program");
  }
  if (options.tolerant && !options.replay) throw UsageError("--tolerant: only with --replay");
  if (!options.has_lock) return;
  if (!fakezk::server_accepts(options.lock) || options.lock == "/") {
    throw UsageError("--lock: '" + options.lock + "' is not the path of a znode");
  }
  if (options.lock == "/zookeeper" || options.lock.starts_with("/zookeeper/")) {
    throw UsageError("--lock: '" + options.lock + "' belongs to the servers, and can be no lock");
  }
}

HuntCommand hunt_of(const RunArguments& options, const std::vector<std::string>& target,
                    const RunTarget& make) {
  HuntCommand what;
  what.scenario = &scenario_of_programs();
  what.target = lock_of(options, target, make);
  what.target_command = target_command(options, target);
  what.target_has_lock = options.has_lock;
  read_settings(options, what);
  return what;
}

int hunt_here(const RunArguments& options, const CommandLine& line, const RunTarget& make) {
  const std::vector<std::string>& target = line.after_separator;
  if (!options.replay) {
    return hunt_and_show(hunt_of(options, target, make), options, line.program);
  }
  const ReplayOptions replay{.string = *options.replay,
                             .clients = options.clients,
                             .html = options.html,
                             .replay_by = "lockstep run --hunt --replay ",
                             .tolerant = options.tolerant,
                             .json = options.json};
  lab::LockUnderTest lock = lock_of(options, target, make);
  return replay_and_show(replay, line.program, [&](std::string_view name) {
    if (name == lock.name) return lock;
    throw UsageError("--replay: the string is of '" + std::string(name) + "', and this is '" +
                     lock.name + "'");
  });
}

// The library to preload, built and installed next to this program.
std::string library() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path file =
      (program.parent_path() / LOCKSTEP_RUN_LIBRARY).lexically_normal();
  if (std::filesystem::exists(file)) return file.string();
  throw std::runtime_error("the library for hunted programs is not at " + file.string());
}

// The value of kRunWords.
std::string text_of_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    for (const char letter : word) {
      if (letter == '\n' || letter == '\\') text += '\\';
      text += letter;
    }
    text += '\n';
  }
  return text;
}

std::vector<std::string> words_from(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      words.push_back(std::exchange(word, {}));
    } else {
      if (text[i] == '\\') ++i;
      word += text.at(i);
    }
  }
  if (words.empty()) throw std::runtime_error(std::string(kRunWords) + " holds no words");
  return words;
}

// A sanitizer's runtime starts only in front of all other libraries, and does not survive that the
// program begins again in each execution.
void refuse_sanitizers(const std::string& preloaded) {
  for (const std::string_view runtime : {"libasan.", "libtsan.", "liblsan."}) {
    if (preloaded.find(runtime) == preloaded.npos) continue;
    throw UsageError(
        "run: LD_PRELOAD names a sanitizer's library, under which no program is hunted: call its "
        "code in a hunt of lockstep::threads");
  }
}

// Becomes the program, with the library preloaded. The linker resolves all functions at once, so
// that no execution does.
[[noreturn]] void become(const std::vector<std::string>& words,
                         const std::vector<std::string>& target) {
  const std::string file = file_of_target(target.front());
  const char* const others = std::getenv("LD_PRELOAD");
  if (others) refuse_sanitizers(others);
  const std::string preloaded = library() + (others ? ':' + std::string(others) : std::string());
  ::setenv("LD_PRELOAD", preloaded.c_str(), 1);
  ::setenv("LD_BIND_NOW", "1", 1);
  ::setenv(kRunWords, text_of_words(words).c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : target) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(file.c_str(), arguments.data());
  throw UsageError("run: '" + file + "' cannot be executed: " + std::strerror(errno));
}

void add_run(CLI::App& app, CommandLine& line, const RunTarget& make) {
  CLI::App* const command = app.add_subcommand(
      "run", "Hunts a program that was not compiled for it, with its threads and its C client");
  const auto options = std::make_shared<RunArguments>();
  command->add_flag("--hunt", options->hunt, "Hunt it (the only way to run so far)");
  const CLI::Option* const lock =
      command
          ->add_option("--lock", options->lock,
                       "The znode of a mutex, which is made before the start: judge its queue")
          ->type_name("PATH");
  command
      ->add_option("--allow-exit", options->allow_exit,
                   "Exit statuses that break nothing, besides 0: numbers such as 1,255, or any")
      ->type_name("LIST");
  add_bounds(*command, *options, "1");
  add_strategy(*command, *options, "");
  add_fault_options(*command, *options);
  add_output_options(*command, *options);
  command
      ->add_option(
          "--replay", options->replay,
          "Run one execution again, in one process, from its replay string or @FILE; options "
          "of the search, such as --seed and --faults, change nothing")
      ->type_name("STRING");
  command->add_flag("--tolerant", options->tolerant,
                    "With --replay: go on with the default schedule where the program has changed");
  command->footer(kRunFooter);
  command->callback([&line, options, make, lock] {
    options->has_lock = lock->count() > 0;
    line.run = [&line, options, make] {
      check(*options, line.after_separator);
      if (make) return hunt_here(*options, line, make);
      // Checks the settings first: errors in them are reported before anything begins.
      static_cast<void>(hunt_of(*options, line.after_separator, make));
      become(line.words, line.after_separator);
    };
  });
}

}  // namespace

void add_run(CLI::App& app, CommandLine& line) { add_run(app, line, nullptr); }

int run_target(const std::string& words, const RunTarget& target) {
  return end_with([&] {
    CLI::App app("Hunts a program.", "lockstep");
    CommandLine line;
    line.words = words_from(words);
    line.program = line.words.front();
    add_run(app, line, target);
    return run_command(app, line);
  });
}

}  // namespace lockstep::program
