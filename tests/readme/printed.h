// The output of the programs of documents.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace lockstep::readme {

// The output that a document shows: "readme_1.out".
inline std::string shown(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(LOCKSTEP_CODE_BLOCKS "/" + name).rdbuf();
  return text.str();
}

// Whether `text` matches `pattern`, in which "..." stands for any text.
inline bool is_like(std::string_view text, std::string_view pattern) {
  constexpr std::string_view kAnything = "...";
  const std::size_t gap = pattern.find(kAnything);
  if (gap == pattern.npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, gap))) return false;
  const std::string_view rest = pattern.substr(gap + kAnything.size());
  for (text.remove_prefix(gap);; text.remove_prefix(1)) {
    if (is_like(text, rest)) return true;
    if (text.empty()) return false;
  }
}

// Runs `program`, and returns its output.
template <class Program>
std::string printed_by(Program program) {
  ::testing::internal::CaptureStdout();
  program();
  return ::testing::internal::GetCapturedStdout();
}

// Compares what `program` prints with what a document shows.
template <class Program>
::testing::AssertionResult prints(Program program, const std::string& name) {
  const std::string printed = printed_by(program);
  if (is_like(printed, shown(name))) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << name << " shows\n"
                                       << shown(name) << "it prints\n"
                                       << printed;
}

}  // namespace lockstep::readme
