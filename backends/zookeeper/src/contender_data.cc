#include "lockstep/zookeeper/contender_data.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>

namespace lockstep::zookeeper {

namespace {

// Takes the field `name` from the beginning of `rest` and returns its value.
std::optional<std::string_view> take_field(std::string_view& rest, std::string_view name) {
  if (!rest.starts_with(name)) return std::nullopt;
  const std::string_view field = rest.substr(0, rest.find(' '));
  rest.remove_prefix(field.size());
  if (!rest.empty()) rest.remove_prefix(1);
  return field.substr(name.size());
}

}  // namespace

Data contender_data(std::string_view text) {
  using std::chrono::milliseconds;
  using std::chrono::system_clock;
  std::array<char, 256> host{};
  // gethostname() need not terminate a truncated name, so the last byte stays 0.
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const auto now = std::chrono::floor<milliseconds>(system_clock::now()).time_since_epoch();
  std::string data = "host=" + std::string(host.data()) + " pid=" + std::to_string(getpid()) +
                     " since=" + utc(now.count());
  if (!text.empty()) data += " " + std::string(text);
  return Data(data);
}

ContenderDescription::ContenderDescription(std::string_view data) : text(data) {
  std::string_view rest = data;
  const auto host_field = take_field(rest, "host=");
  const auto pid_field = take_field(rest, "pid=");
  if (!host_field || !pid_field) return;
  host = *host_field;
  pid = *pid_field;
  since = take_field(rest, "since=").value_or(std::string_view());
  text = rest;
}

std::string utc(std::int64_t milliseconds) {
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace lockstep::zookeeper
