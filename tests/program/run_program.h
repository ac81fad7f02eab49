#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lockstep {

// How a run of the lockstep program ended.
struct ProgramRun {
  int status = -1;  // -1: it did not exit by itself.
  std::string out;
  std::string err;

  // The one JSON object on standard output; throws if there is anything else.
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

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
