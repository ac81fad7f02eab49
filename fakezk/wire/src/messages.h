#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/wire/jute.h"
#include "lockstep/wire/op.h"

// The common parts of requests and replies.
namespace lockstep::wire {

template <class T>
std::expected<T, Malformed> unless_failed(const Reader& reader, T message) {
  if (reader.error()) return std::unexpected(*reader.error());
  return message;
}

// ConnectRequest and ConnectResponse end with a byte that old peers do not send.
template <class T>
void read_read_only(Reader& reader, T& message) {
  if (reader.error() || reader.left() == 0) return;
  bool read_only = false;
  reader(read_only);
  message.read_only = read_only;
}
template <class T>
void write_read_only(Writer& writer, const T& message) {
  if (message.read_only) writer(*message.read_only);
}

// Precedes each operation and result of a multi (proto.MultiHeader), and ends the multi.
struct MultiHeader {
  Op op{};
  bool done = false;
  std::int32_t err = 0;
};
inline constexpr MultiHeader kEndOfMulti{static_cast<Op>(-1), true, -1};

inline void write_header(Writer& writer, const MultiHeader& header) {
  writer(static_cast<std::int32_t>(header.op), header.done, header.err);
}
inline MultiHeader read_header(Reader& reader) {
  MultiHeader header;
  std::int32_t op = 0;
  reader(op, header.done, header.err);
  header.op = static_cast<Op>(op);
  return header;
}

// Writes any body but a multi, which is not a record.
template <class... Bodies>
void write_body(Writer& writer, const std::variant<Bodies...>& body) {
  std::visit(
      [&writer]<class T>(const T& record) {
        if constexpr (Record<T>) writer(record);
      },
      body);
}
template <class... Bodies>
void read_body(Reader& reader, std::variant<Bodies...>& body) {
  std::visit(
      [&reader]<class T>(T& record) {
        if constexpr (Record<T>) reader(record);
      },
      body);
}

// Misuse: the body does not fit the operation.
template <class Body>
void must_fit(const Body& body, const std::optional<Body>& expected) {
  if (!expected || body.index() != expected->index()) {
    throw std::logic_error("a message body that does not fit its operation");
  }
}

}  // namespace lockstep::wire
