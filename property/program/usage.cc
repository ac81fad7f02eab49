#include "usage.h"

namespace lockstep::program {

std::string one_line(std::string_view text) {
  std::string line;
  for (const char character : text) {
    const bool breaks = static_cast<unsigned char>(character) < ' ' || character == '\x7f';
    if (!breaks) {
      line += character;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace lockstep::program
