// server_pool FOLDER NUMBER: starts that many ZooKeeper servers for tests in other processes,
// prints "ready", and stops them when its standard input ends. tests/real/server_pool.h describes a
// pool.
#include "real/server_pool.h"

#include <charconv>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "real/zookeeper_server.h"

namespace {

constexpr int kMost = 64;

int serve(const std::string& folder, int number) {
  std::vector<std::unique_ptr<lockstep::support::ZookeeperServer>> servers;
  for (int i = 0; i < number; ++i) {
    servers.push_back(std::make_unique<lockstep::support::ZookeeperServer>());
    lockstep::support::add_to_pool(folder, servers.back()->port());
  }
  std::cout << "ready" << std::endl;
  while (std::cin.get() != std::char_traits<char>::eof()) {
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int number = 0;
  const std::string_view text(argc == 3 ? argv[2] : "");
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || end != text.end() || number < 1 || number > kMost) {
    std::cerr << "usage: server_pool FOLDER NUMBER, with a NUMBER from 1 to " << kMost << '\n';
    return 2;
  }
  try {
    return serve(argv[1], number);
  } catch (const std::exception& failed) {
    std::cerr << "server_pool: " << failed.what() << '\n';
    return 1;
  }
}
