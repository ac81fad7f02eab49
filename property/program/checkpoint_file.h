#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "lockstep/search/checkpoint.h"

namespace lockstep::program {

// The checkpoint of an exhaustive search in a file, given with --resume. The first two lines
// identify its search: the command, and a hash of this executable, because another build may search
// something else. The file is replaced as a whole, so it is complete at any time.
class CheckpointFile final : public search::Checkpoint {
 public:
  // Throws UsageError if the file cannot be written, or if it exists and comes from another command
  // or executable.
  CheckpointFile(std::string name, const std::string& command);

  std::unique_ptr<std::istream> saved() override;
  bool is_due() override;
  // Remembers a failure and lets the search go on: the next save may succeed.
  void save(const std::function<void(std::ostream&)>& write) override;

  [[nodiscard]] const std::string& name() const { return name_; }
  // Throws CannotWrite if the last save() has failed.
  void check_saved() const;

 private:
  [[nodiscard]] std::unique_ptr<std::istream> opened() const;
  bool write_new(const std::function<void(std::ostream&)>& write) const;

  std::string name_;
  std::string new_name_;  // The file while it is being written.
  std::string owner_;     // Its first two lines.
  bool failed_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace lockstep::program
