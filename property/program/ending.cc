#include "ending.h"

#include <iostream>

#include "command.h"
#include "html_file.h"
#include "usage.h"

namespace lockstep::program {

namespace {

int said(const std::exception& error, int status) {
  std::cerr << "lockstep: " << one_line(error.what()) << '\n';
  return status;
}

// Output that could not be written is a failure.
int finish(int status) {
  std::cout.flush();
  if (std::cout) return status;
  std::cerr << "lockstep: cannot write to standard output\n";
  return kCannotWrite;
}

}  // namespace

int end_with(const std::function<int()>& command) {
  try {
    return finish(command());
  } catch (const UsageError& error) {
    return said(error, kBadInput);
  } catch (const CannotWrite& error) {
    return said(error, kCannotWrite);
  } catch (const std::exception& error) {
    return said(error, kInternalError);
  }
}

}  // namespace lockstep::program
