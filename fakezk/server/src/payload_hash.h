#pragma once

#include <cstdint>
#include <string_view>

#include "lockstep/fakezk/message.h"

namespace lockstep::fakezk {

// Hashes the content of a message for the trace hash, to notice a program whose data depends on a
// clock or an address. The hash depends only on the content, so it is equal on every machine and
// compiler. It is a polynomial of the words; the trace hash mixes it. Every message of every
// execution is hashed, so the common contents are inlined here.
class PayloadHash {
 public:
  explicit PayloadHash(OpCode op) : value_(number(op)) {}
  explicit PayloadHash(const ClientMessage& message) : value_(number(message.kind)) {
    if (message.kind == ClientMessage::Kind::kRequest) {
      add(message.request);
    } else {
      add_greeting(message);
    }
  }
  explicit PayloadHash(const ServerMessage& message)
      : value_(number(message.kind) | number(message.event) << 8 | number(message.op) << 16) {
    add(message.zxid);
    add(message.reply.path.text());
    if (message.kind == ServerMessage::Kind::kReply && !message.reply.has_error) {
      add_success(message.op, message.reply);
    } else {
      add_rarities(message);
    }
  }

  void add(std::uint64_t word) { value_ = value_ * 0x9e3779b97f4a7c15u + word; }
  void add(std::int64_t signed_word) { add(static_cast<std::uint64_t>(signed_word)); }
  void add(const Text& text) { add(text.hash()); }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  template <class Enum>
  [[nodiscard]] static std::uint64_t number(Enum value) {
    return static_cast<std::uint32_t>(value);
  }
  // Two at once, because a Stat has many small numbers.
  void add(std::int32_t low, std::int32_t high) {
    add(std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low));
  }
  void add(std::string_view text) { add(text_hash(text)); }
  void add(const Request& request) {
    add(number(request.op) | number(request.mode) << 8 | number(request.watch_type) << 16 |
        std::uint64_t{request.watched} << 24 | std::uint64_t{request.data.is_null()} << 25 |
        number(request.version) << 32);
    add(request.path.text());
    add(request.data.text());
    if (!request.plain()) add_rarities(request);
  }
  void add_success(OpCode op, const Reply& reply) {
    if (op == OpCode::kGetChildren) return add(reply.children);
    // The Stat of a new znode follows from the request and its zxid.
    if (op == OpCode::kCreate || op == OpCode::kRemove || op == OpCode::kSync) return;
    if (op == OpCode::kMulti) return add_results(reply);
    add(reply.stat());
    add(reply.data.text());
    if (!reply.plain()) add_acl(reply);
  }
  void add(const Children& children);
  void add(const Stat& stat);
  void add(const Acl& acl);
  void add_acl(const Reply& reply);
  void add_rarities(const Request& request);
  void add_rarities(const ServerMessage& message);
  void add_greeting(const ClientMessage& message);
  void add_results(const Reply& reply);
  void add(const Query& query);
  void add(const QueryAnswer& answer);

  std::uint64_t value_;
};

}  // namespace lockstep::fakezk
