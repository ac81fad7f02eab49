#pragma once

#include <stdexcept>
#include <string>

namespace lockstep::program {

// A result that was asked for could not be written.
class CannotWrite : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where --html says that the timeline goes; nothing is written if it was not given.
class HtmlFile {
 public:
  // Nowhere.
  HtmlFile() = default;
  // Throws UsageError if the file cannot be written. What it holds already stays until write().
  explicit HtmlFile(std::string name);

  [[nodiscard]] bool wanted() const { return !name_.empty(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  // Throws CannotWrite if it fails after all.
  void write(const std::string& page) const;

 private:
  std::string name_;
};

}  // namespace lockstep::program
