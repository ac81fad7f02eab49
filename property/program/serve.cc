#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>

#include "command.h"
#include "lockstep/service/service.h"
#include "usage.h"

namespace lockstep::program {

namespace {

constexpr const char* kFooter =
    "Prints `listening on ADDRESS`, a line for each server, when clients can connect. The servers\n"
    "keep nothing on disk, and have no security: whoever reaches them may do anything.\n"
    "\n"
    "Exit status: 0 ended by SIGINT or SIGTERM; 2 bad input, or an address that cannot be\n"
    "listened on; 70 an error of this program, 74 a result cannot be written.\n";

constexpr std::uint32_t kMostServers = 9;

struct Settings {
  std::string listen = "127.0.0.1:2181";
  std::uint32_t servers = 1;
};

[[noreturn]] void no_address(const std::string& text) {
  throw UsageError("--listen " + text + ": expected an IP address and a port, as 127.0.0.1:2181");
}

service::ServiceOptions options_of(const Settings& settings) {
  const std::string& text = settings.listen;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) no_address(text);
  const std::string port = text.substr(colon + 1);
  const bool digits = port.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || port.empty() || port.size() > 5) no_address(text);
  const unsigned long number = std::stoul(port);
  if (number + settings.servers - 1 > 0xffff) no_address(text);

  service::ServiceOptions options;
  options.address = text.substr(0, colon);
  if (options.address == "localhost") options.address = "127.0.0.1";
  if (options.address.starts_with('[') && options.address.ends_with(']')) {
    options.address = options.address.substr(1, options.address.size() - 2);
  }
  options.port = static_cast<std::uint16_t>(number);
  options.servers = settings.servers;
  return options;
}

std::unique_ptr<service::Service> listen(const service::ServiceOptions& options) {
  try {
    return std::make_unique<service::Service>(options);
  } catch (const std::system_error& error) {
    throw UsageError(error.what());
  }
}

int run(const Settings& settings) {
  const service::ServiceOptions options = options_of(settings);
  const bool loopback = options.address.starts_with("127.") || options.address == "::1";
  const std::unique_ptr<service::Service> servers = listen(options);
  servers->stop_at_signals();  // Before somebody has read that they listen.
  if (!loopback) {
    std::cerr << "lockstep: " << options.address
              << " is reachable from other machines, and these servers have no security\n";
  }
  for (const std::string& address : servers->addresses()) {
    std::cout << "listening on " << address << '\n';
  }
  std::cout.flush();
  servers->run();
  return kOk;
}

}  // namespace

void add_serve(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("serve", "Serves the simulated ZooKeeper to clients of any language");
  command->footer(kFooter);
  const auto settings = std::make_shared<Settings>();
  command->add_option("--listen", settings->listen, "IP address and port; port 0: a free one")
      ->type_name("ADDRESS:PORT")
      ->capture_default_str();
  command->add_option("--port", "The port, on 127.0.0.1")
      ->type_name("N")
      ->excludes("--listen")
      ->each([settings](const std::string& port) { settings->listen = "127.0.0.1:" + port; });
  command->add_option("--servers", settings->servers, "Servers of one ensemble, a port each")
      ->type_name("N")
      ->check(CLI::Range(1U, kMostServers))
      ->capture_default_str();
  command->callback([&line, settings] { line.run = [settings] { return run(*settings); }; });
}

}  // namespace lockstep::program
