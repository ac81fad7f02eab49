#include "standard_files.h"

#include <fcntl.h>
#include <unistd.h>

namespace lockstep::program {

// open() returns the smallest free number.
void open_standard_files() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) != -1) continue;
    static_cast<void>(open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace lockstep::program
