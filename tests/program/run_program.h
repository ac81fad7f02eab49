#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lockstep {

// How a run of the lockstep program ended.
struct ProgramRun {
  int status = -1;  // -1 if a signal ended it.
  int signal = 0;   // The signal that ended it.
  std::string out;
  std::string err;

  // The one JSON object on standard output; throws on anything else.
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// A started program; the first word of the command is its path.
class RunningProgram {
 public:
  enum class Err { kFile, kTerminal };  // The destination of its standard error.

  // With `columns`, standard output goes to a terminal of that width, too.
  explicit RunningProgram(std::vector<std::string> command, Err err = Err::kFile,
                          unsigned columns = 0);
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram();  // Kills the program unless wait() was called.

  // Waits until the program has a handler for this signal.
  void wait_until_it_handles(int signal) const;
  // Waits until the terminal has shown this text.
  void wait_until_it_shows(const std::string& text);
  void send(int signal) const;
  [[nodiscard]] int process() const;
  ProgramRun wait();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The command line of the program built with this test.
std::vector<std::string> lockstep_command(const std::vector<std::string>& arguments);
// Runs the program built with this test and waits for its end.
ProgramRun run_program(const std::vector<std::string>& arguments);
// The same for any command; its first word is the program.
ProgramRun run_command(std::vector<std::string> command);

// The words of `line`, separated by blanks.
std::vector<std::string> words(const std::string& line);
// The text after `label` in the line of `text` that begins with it, without leading blanks; fails
// the test if there is no such line.
std::string after(const std::string& label, const std::string& text);

}  // namespace lockstep
