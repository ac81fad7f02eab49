#pragma once

#include <filesystem>

namespace lockstep::support {

// A directory of this process, removed when this object or the process ends, for whatever reason.
class TemporaryDirectory {
 public:
  // Throws std::runtime_error.
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void hire_janitor();

  std::filesystem::path path_;
  int lifeline_ = -1;
};

}  // namespace lockstep::support
