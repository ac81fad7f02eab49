#pragma once

#include <string>
#include <thread>

#include "lockstep/service/service.h"

namespace lockstep::service {

// While it lives, a service runs on its own thread.
class Served {
 public:
  explicit Served(const ServiceOptions& options = {})
      : service_(options), thread_([this] { service_.run(); }) {}
  ~Served() {
    service_.stop();
    thread_.join();
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  [[nodiscard]] Service& service() { return service_; }
  // The addresses of all servers as a connection string.
  [[nodiscard]] std::string addresses() const {
    std::string all;
    for (const std::string& address : service_.addresses()) {
      all += (all.empty() ? "" : ",") + address;
    }
    return all;
  }

 private:
  Service service_;
  std::thread thread_;
};

}  // namespace lockstep::service
