#include "target_file.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "usage.h"

namespace lockstep::program {

namespace {

bool can_be_executed(const std::string& file) {
  struct stat facts{};
  return ::stat(file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         ::access(file.c_str(), X_OK) == 0;
}

std::string found(const std::string& command) {
  if (command.find('/') != command.npos) {
    if (can_be_executed(command)) return command;
    throw UsageError("run: '" + command + "' is not there, or cannot be executed");
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + command;
    if (can_be_executed(file)) return file;
  }
  throw UsageError("run: there is no program '" + command + "'");
}

template <class T>
bool read_at(std::ifstream& file, std::uint64_t at, T& into) {
  file.seekg(static_cast<std::streamoff>(at));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&into), sizeof into));
}

bool asks_for_a_loader(std::ifstream& file, const Elf64_Ehdr& head) {
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    const std::uint64_t at = head.e_phoff + std::uint64_t{i} * head.e_phentsize;
    if (read_at(file, at, part) && part.p_type == PT_INTERP) return true;
  }
  return false;
}

}  // namespace

std::string file_of_target(const std::string& command) {
  std::string name = found(command);
  std::ifstream file(name, std::ios::binary);
  Elf64_Ehdr head{};
  const bool is_read = read_at(file, 0, head);
  const std::string_view start(reinterpret_cast<const char*>(head.e_ident), SELFMAG);
  if (start.starts_with("#!")) {
    throw UsageError("run: '" + name + "' is a script: name its interpreter in front of it");
  }
  const bool is_program = is_read && start == std::string_view(ELFMAG, SELFMAG) &&
                          head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_machine == EM_X86_64;
  if (!is_program) throw UsageError("run: '" + name + "' is no program for x86-64");
  if (!asks_for_a_loader(file, head)) {
    throw UsageError("run: '" + name +
                     "' is statically linked, so no library can be preloaded: link it dynamically");
  }
  struct stat facts{};
  if (::stat(name.c_str(), &facts) == 0 && (facts.st_mode & (S_ISUID | S_ISGID)) != 0) {
    throw UsageError("run: '" + name +
                     "' runs with its owner's rights, so the loader preloads nothing: hunt a copy "
                     "without the setuid bit");
  }
  return name;
}

}  // namespace lockstep::program
