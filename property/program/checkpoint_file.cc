#include "checkpoint_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "html_file.h"
#include "lockstep/fakezk/random_stream.h"
#include "text.h"
#include "usage.h"

namespace lockstep::program {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenSaves{30};
// Saving takes at most a fiftieth of the time: larger files are saved more rarely.
constexpr int kShare = 50;
constexpr const char* kTitle = "lockstep checkpoint of: ";

std::string executable() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::uint64_t hash = 0;
  for (std::uint64_t block = 0; file; block = 0) {
    file.read(reinterpret_cast<char*>(&block), sizeof block);
    hash = fakezk::mix(hash ^ block) + 1;
  }
  return hex(hash);
}

// Forces the file's content to the disk.
bool synced(const std::string& name) {
  const int file = open(name.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = fsync(file) == 0;
  return close(file) == 0 && done;
}

// The file that `name` leads to: a new file in the place of a link would leave it as it was.
std::string behind_links(std::string name) {
  constexpr int kMostLinks = 40;  // As Linux: more are a circle.
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(name, error); ++i) {
    const std::filesystem::path folder = std::filesystem::path(name).parent_path();
    name = (folder / std::filesystem::read_symlink(name, error)).string();
  }
  return name;
}

}  // namespace

CheckpointFile::CheckpointFile(std::string name, const std::string& command)
    : name_(behind_links(std::move(name))),
      new_name_(name_ + ".new"),
      next_(Clock::now() + kBetweenSaves) {
  if (name_.empty()) throw UsageError("--resume: the name of the file is empty");
  owner_ = kTitle + command + "\nexecutable " + executable() + '\n';
  std::error_code error;
  if (std::filesystem::is_directory(name_, error)) {
    throw UsageError("--resume: '" + name_ + "' is a directory");
  }
  const auto type = std::filesystem::status(name_, error).type();
  // A device may have no end, a pipe no beginning; and saving would replace either by a file.
  if (type != std::filesystem::file_type::regular &&
      type != std::filesystem::file_type::not_found) {
    throw UsageError("--resume: '" + name_ + "' is not a regular file");
  }
  if (type == std::filesystem::file_type::regular) static_cast<void>(opened());
  if (!write_new([](std::ostream&) {})) {
    throw UsageError("--resume: cannot write '" + new_name_ + "'");
  }
  std::filesystem::remove(new_name_, error);
}

std::unique_ptr<std::istream> CheckpointFile::opened() const {
  auto file = std::make_unique<std::ifstream>(name_, std::ios::binary);
  std::string search;
  std::string build;
  const std::string named = "--resume: '" + name_ + "' ";
  if (!std::getline(*file, search) || !search.starts_with(kTitle) || !std::getline(*file, build)) {
    throw UsageError(named + "is not the checkpoint of a search");
  }
  if (!owner_.starts_with(search + '\n')) {
    throw UsageError(named +
                     "belongs to another search: " + search.substr(std::string(kTitle).size()));
  }
  if (search + '\n' + build + '\n' != owner_) {
    throw UsageError(named + "was written by another build of this program");
  }
  return file;
}

std::unique_ptr<std::istream> CheckpointFile::saved() {
  std::error_code error;
  return std::filesystem::exists(name_, error) ? opened() : nullptr;
}

bool CheckpointFile::is_due() { return Clock::now() >= next_; }

void CheckpointFile::save(const std::function<void(std::ostream&)>& write) {
  const Clock::time_point start = Clock::now();
  std::error_code error;
  failed_ = !write_new(write) || !synced(new_name_);
  if (!failed_) std::filesystem::rename(new_name_, name_, error);
  failed_ = failed_ || error;
  const Clock::time_point end = Clock::now();
  next_ = end + std::max<Clock::duration>(kBetweenSaves, kShare * (end - start));
}

bool CheckpointFile::write_new(const std::function<void(std::ostream&)>& write) const {
  std::ofstream file(new_name_, std::ios::binary | std::ios::trunc);
  file << owner_;
  write(file);
  file.close();
  return static_cast<bool>(file);
}

void CheckpointFile::check_saved() const {
  if (failed_) throw CannotWrite("cannot write '" + new_name_ + "'");
}

}  // namespace lockstep::program
