#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lockstep {

// How a run of the lockstep program ended.
struct ProgramRun {
  int status = -1;  // -1: it did not exit by itself,
  int signal = 0;   // but was ended by this.
  std::string out;
  std::string err;

  // The one JSON object on standard output; throws if there is anything else.
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// A program that was started: its first word is the program.
class RunningProgram {
 public:
  enum class Err { kFile, kTerminal };  // Where its standard error goes.

  explicit RunningProgram(std::vector<std::string> command, Err err = Err::kFile);
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram();  // Kills it if nobody has waited for it.

  // Until it has a handler for this signal.
  void wait_until_it_handles(int signal) const;
  // Until the terminal has shown this text.
  void wait_until_it_shows(const std::string& text);
  void send(int signal) const;
  ProgramRun wait();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The words with the program that was built together with this test in front.
std::vector<std::string> lockstep_command(const std::vector<std::string>& arguments);
// Runs the program that was built together with this test and waits for its end.
ProgramRun run_program(const std::vector<std::string>& arguments);
// The same for any command: its first word is the program.
ProgramRun run_command(std::vector<std::string> command);

// The words of `line`, separated by blanks.
std::vector<std::string> words(const std::string& line);
// What follows `label` in the line of `text` that begins with it, leading blanks aside; fails the
// test if there is no such line.
std::string after(const std::string& label, const std::string& text);

}  // namespace lockstep
