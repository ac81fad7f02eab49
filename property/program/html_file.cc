#include "html_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "usage.h"

namespace lockstep::program {

HtmlFile::HtmlFile(std::string name) {
  std::error_code ignored;
  const bool existed = std::filesystem::exists(name, ignored);
  errno = 0;
  // Opening to append keeps the old content if the search is interrupted.
  const std::ofstream file(name, std::ios::app);
  if (!file) {
    const std::string why = errno != 0 ? ": " + std::generic_category().message(errno) : "";
    throw UsageError("cannot write '" + name + "'" + why);
  }
  // The new file, even if the name is that of a link that leads to it.
  if (!existed) std::filesystem::remove(std::filesystem::canonical(name, ignored), ignored);
  name_ = std::move(name);
}

void HtmlFile::write(const std::string& page) const {
  std::ofstream file(name_, std::ios::binary | std::ios::trunc);
  file << page;
  file.close();
  if (!file) throw CannotWrite("cannot write '" + name_ + "'");
}

}  // namespace lockstep::program
