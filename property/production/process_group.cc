#include "process_group.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

namespace lockstep::program {

namespace {

// The mount may belong to another namespace of process ids.
bool proc_is_ours() {
  std::error_code error;
  const std::filesystem::path itself = std::filesystem::read_symlink("/proc/self", error);
  return !error && itself == std::to_string(getpid());
}

// Empty if the process has ended; nullopt if it cannot be looked at.
std::optional<std::string> stat_of(const std::filesystem::path& process) {
  const int file = open((process / "stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file == -1) return errno == ENOENT ? std::optional<std::string>(std::in_place) : std::nullopt;
  std::array<char, 4096> text{};
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  return std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

// `stat` as in proc_pid_stat(5): "id (name) state parent group ..."; the name may hold anything.
bool lives_in(const std::string& stat, pid_t group) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return false;  // It has ended before it was read.
  std::istringstream fields(stat.substr(name_end + 1));
  char state = 0;
  pid_t parent = 0;
  pid_t its_group = 0;
  fields >> state >> parent >> its_group;
  if (!fields || its_group != group) return false;
  if (state != 'Z' && state != 'X') return true;
  // The main thread may end before the others.
  constexpr int kFieldsUpToThreads = 15;
  std::string skipped;
  for (int field = 0; field < kFieldsUpToThreads - 1; ++field) fields >> skipped;
  int threads = 0;
  fields >> threads;
  return threads > 1;
}

}  // namespace

GroupLook look_at_group(pid_t group) {
  GroupLook look;
  if (!proc_is_ours()) return look;
  std::error_code error;
  look.complete = true;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    pid_t process = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (wrong != std::errc() || end != name.data() + name.size()) continue;
    const std::optional<std::string> stat = stat_of(entry.path());
    if (!stat) look.complete = false;
    if (stat && lives_in(*stat, group)) look.living = process;
    if (look.living) return look;
  }
  if (error) look.complete = false;
  return look;
}

}  // namespace lockstep::program
