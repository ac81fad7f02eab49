#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace lockstep::support {

// A server that all tests of this process share, started on first use. If its constructor throws,
// every use rethrows the exception: the next test fails at once.
template <class Server>
Server& started_once() {
  static std::unique_ptr<Server> server;
  static std::optional<std::string> failure;
  if (failure) throw std::runtime_error(*failure);
  if (!server) {
    try {
      server = std::make_unique<Server>();
    } catch (const std::exception& error) {
      failure = error.what();
      throw;
    }
  }
  return *server;
}

}  // namespace lockstep::support
