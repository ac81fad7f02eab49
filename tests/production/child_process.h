#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace lockstep::program {

// The living child of `parent` with that name; 0 if there is none but `last`.
inline pid_t child_called(const std::string& wanted, pid_t parent, pid_t last = 0) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");  // "id (name) state parent ..."
    pid_t process = 0;
    std::string name;
    std::string state;
    pid_t parent_of_it = 0;
    file >> process >> name >> state >> parent_of_it;
    const bool is_wanted = name == "(" + wanted + ")" && state != "Z" && parent_of_it == parent;
    if (is_wanted && process != last) return process;
  }
  return 0;
}

}  // namespace lockstep::program
