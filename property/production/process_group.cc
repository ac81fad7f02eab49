#include "process_group.h"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace lockstep::program {

namespace {

// The mount may belong to another namespace of process ids.
bool proc_is_ours() {
  std::error_code error;
  const std::filesystem::path itself = std::filesystem::read_symlink("/proc/self", error);
  return !error && itself == std::to_string(getpid());
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

std::optional<pid_t> living_member(pid_t group) {
  if (!proc_is_ours()) return std::nullopt;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    pid_t process = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (wrong != std::errc() || end != name.data() + name.size()) continue;
    std::ifstream file(entry.path() / "stat");
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    if (lives_in(stat, group)) return process;
  }
  return std::nullopt;
}

}  // namespace lockstep::program
