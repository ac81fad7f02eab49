#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "real/temporary_directory.h"

namespace lockstep {

// A file name for --html, removed with its directory at the end of the test.
class HtmlFile {
 public:
  [[nodiscard]] std::string name() const { return (directory_.path() / "timeline.html").string(); }
  [[nodiscard]] bool exists() const { return std::filesystem::exists(name()); }
  [[nodiscard]] std::string read() const {
    std::ifstream file(name(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  support::TemporaryDirectory directory_;
};

}  // namespace lockstep
