#include "process/ends.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace lockstep::lab {

namespace {

struct Head {
  std::uint64_t execution;
  std::uint32_t step;
  std::uint32_t text;
  std::uint32_t deviations;
};
struct Choice {
  std::uint32_t position;
  std::uint32_t fault;
  std::uint32_t index;
};

constexpr std::string_view kHas = " has ";

bool write_all(int file, const void* from, std::size_t size) noexcept {
  const auto* bytes = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t written = ::write(file, bytes, size);
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int file, void* into, std::size_t size) {
  auto* bytes = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = ::read(file, bytes, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool write_end(int file, const EndTold& end) noexcept {
  const Head head{end.execution, end.step,
                  static_cast<std::uint32_t>(end.who.size() + kHas.size() + end.what.size()),
                  static_cast<std::uint32_t>(end.deviations.size())};
  if (!write_all(file, &head, sizeof head)) return false;
  for (const std::string_view text : std::array{end.who, kHas, end.what}) {
    if (!write_all(file, text.data(), text.size())) return false;
  }
  for (const fakezk::Deviation& deviation : end.deviations) {
    const Choice choice{deviation.position, deviation.choice.fault ? 1U : 0U,
                        deviation.choice.index};
    if (!write_all(file, &choice, sizeof choice)) return false;
  }
  return true;
}

std::optional<End> read_end(int file) {
  Head head{};
  if (!read_all(file, &head, sizeof head)) return std::nullopt;
  End end{std::string(head.text, '\0'), head.step, head.execution, {}};
  if (!read_all(file, end.what.data(), end.what.size())) return std::nullopt;
  for (std::uint32_t i = 0; i < head.deviations; ++i) {
    Choice choice{};
    if (!read_all(file, &choice, sizeof choice)) return std::nullopt;
    fakezk::Deviation& deviation = end.deviations.emplace_back();
    deviation.position = choice.position;
    deviation.choice.fault = choice.fault != 0;
    deviation.choice.index = choice.index;
  }
  return end;
}

}  // namespace lockstep::lab
