#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>

#include "command.h"
#include "html_file.h"
#include "lockstep/service/service.h"
#include "usage.h"

namespace lockstep::program {

namespace {

constexpr const char* kServeFooter =
    "Prints `listening on ADDRESS`, a line for each server, when clients can connect, then\n"
    "`control on ADDRESS` if there is a control port (docs/serve.md). The servers keep nothing on\n"
    "disk, and have no security: any client that reaches them may do anything.\n"
    "\n"
    "Exit status: 0 ended by SIGINT or SIGTERM; 2 bad input, or an address that cannot be\n"
    "listened on; 70 an error of this program, 74 a result cannot be written.\n";

constexpr std::uint32_t kLastPort = 0xffff;
constexpr std::uint32_t kMostServers = 9;
constexpr std::uint32_t kShortestTick = 10;
constexpr std::uint32_t kLongestTick = 60'000;

struct Settings {
  std::string listen = "127.0.0.1:2181";
  std::uint32_t servers = 1;
  bool times_to_live = false;
  std::uint32_t tick_ms = 2000;
  std::string control;  // Empty without a control port.
};

struct Address {
  std::string ip;
  std::uint16_t port = 0;
};

[[noreturn]] void no_address(const std::string& option, const std::string& text) {
  throw UsageError(option + " " + text + ": expected an IP address and a port, as 127.0.0.1:2181");
}

// Reads an address with room for that many consecutive ports.
Address address_of(const std::string& option, const std::string& text, std::uint32_t ports) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) no_address(option, text);
  const std::string port = text.substr(colon + 1);
  const bool digits = port.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || port.empty() || port.size() > 5) no_address(option, text);
  const unsigned long number = std::stoul(port);
  if (number > kLastPort) no_address(option, text);
  if (number + ports - 1 > kLastPort) {
    throw UsageError("--servers: there are no " + std::to_string(ports) + " ports from " + port +
                     " on, because the last one is " + std::to_string(kLastPort));
  }

  Address address{text.substr(0, colon), static_cast<std::uint16_t>(number)};
  if (address.ip == "localhost") address.ip = "127.0.0.1";
  if (address.ip.starts_with('[') && address.ip.ends_with(']')) {
    address.ip = address.ip.substr(1, address.ip.size() - 2);
  }
  return address;
}

service::ServiceOptions options_of(const Settings& settings) {
  const Address listen = address_of("--listen", settings.listen, settings.servers);
  service::ServiceOptions options;
  options.address = listen.ip;
  options.port = listen.port;
  options.servers = settings.servers;
  options.tick_time = std::chrono::milliseconds(settings.tick_ms);
  options.times_to_live = settings.times_to_live;
  if (!settings.control.empty()) {
    const Address control = address_of("--control", settings.control, 1);
    options.control.emplace(control.ip, control.port);
  }
  return options;
}

void warn_if_reachable(const std::string& ip) {
  if (ip.starts_with("127.") || ip == "::1") return;
  std::cerr << "lockstep: " << ip
            << " is reachable from other machines, and these servers have no security\n";
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
  const std::unique_ptr<service::Service> servers = listen(options);
  servers->stop_at_signals();  // Before the message below: a reader of it may send signals.
  warn_if_reachable(options.address);
  if (options.control) warn_if_reachable(options.control->address);
  for (const std::string& address : servers->addresses()) {
    std::cout << "listening on " << address << '\n';
  }
  if (options.control) std::cout << "control on " << servers->control_address() << '\n';
  std::cout.flush();
  // Servers whose addresses are unknown are of no use.
  if (!std::cout) throw CannotWrite("cannot write to standard output");
  servers->run();
  return kOk;
}

}  // namespace

void add_serve(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("serve", "Serves the simulated ZooKeeper to clients of any language");
  command->footer(kServeFooter);
  const auto settings = std::make_shared<Settings>();
  command->add_option("--listen", settings->listen, "IP address and port; port 0: a free one")
      ->type_name("ADDRESS:PORT")
      ->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--port",
          [settings](const std::string& text) {
            const auto port = read_number<std::uint32_t>("--port", text, 0, kLastPort);
            settings->listen = "127.0.0.1:" + std::to_string(port);
          },
          "The port, on 127.0.0.1")
      ->type_name("N")
      ->excludes("--listen");
  add_number<std::uint32_t>(*command, "--servers", settings->servers, 1, kMostServers,
                            "Servers of one ensemble, a port each (1)");
  command->add_flag("--ttl", settings->times_to_live,
                    "Allow times to live, like zookeeper.extendedTypesEnabled of ZooKeeper");
  add_number<std::uint32_t>(*command, "--tick", settings->tick_ms, kShortestTick, kLongestTick,
                            "Milliseconds, as tickTime: sessions live for 2 to 20 of them (2000)");
  command
      ->add_option("--control", settings->control,
                   "IP address and port of a control port: faults and views over HTTP and JSON")
      ->check(&refuse_empty)
      ->type_name("ADDRESS:PORT");
  command->callback([&line, settings] { line.run = [settings] { return run(*settings); }; });
}

}  // namespace lockstep::program
