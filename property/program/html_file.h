#pragma once

#include <stdexcept>
#include <string>

namespace lockstep::program {

// A requested result could not be written.
class CannotWrite : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The timeline's file, given with --html; write() does nothing without one.
class HtmlFile {
 public:
  // No file.
  HtmlFile() = default;
  // Throws UsageError if the file cannot be written. Its old content stays until write().
  explicit HtmlFile(std::string name);

  [[nodiscard]] bool wanted() const { return !name_.empty(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  // Throws CannotWrite on failure.
  void write(const std::string& page) const;

 private:
  std::string name_;
};

}  // namespace lockstep::program
