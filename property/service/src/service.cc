#include "lockstep/service/service.h"

#include "loop.h"

namespace lockstep::service {

Service::Service(const ServiceOptions& options) : loop_(std::make_unique<Loop>(*this, options)) {}
Service::~Service() = default;

std::vector<std::string> Service::addresses() const {
  std::vector<std::string> addresses;
  for (const auto& endpoint : loop_->endpoints()) addresses.push_back(text_of(endpoint));
  return addresses;
}

std::vector<std::uint16_t> Service::ports() const {
  std::vector<std::uint16_t> ports;
  for (const auto& endpoint : loop_->endpoints()) ports.push_back(endpoint.port());
  return ports;
}

std::string Service::control_address() const { return loop_->control_address(); }

void Service::stop_at_signals() { loop_->stop_at_signals(); }

void Service::run() { loop_->run(); }

void Service::stop() { loop_->stop(); }

}  // namespace lockstep::service
