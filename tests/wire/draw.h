#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "lockstep/wire/reply.h"
#include "lockstep/wire/request.h"

namespace lockstep::wire {

// Fills messages with values drawn from a seed: often null, empty or at a limit.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  template <class... Fields>
  void operator()(Fields&... fields) {
    (draw(fields), ...);
  }

  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  // One of the operations for which `kind_of` has a body.
  template <class KindOf>
  Op op(KindOf kind_of) {
    for (;;) {
      const Op drawn = static_cast<Op>(static_cast<std::int32_t>(below(120)) - 11);
      if (kind_of(drawn)) return drawn;
    }
  }
  Request request(Op op) {
    Request drawn{.xid = 0, .op = op, .body = *empty_body(op)};
    draw(drawn.xid);
    draw_body(drawn.body);
    return drawn;
  }
  Reply reply(Op op) {
    Reply drawn;
    do draw(drawn.xid);
    while (drawn.xid == kEventXid);
    draw(drawn.zxid);
    drawn.body = *empty_reply(op);
    draw_body(drawn.body);
    return drawn;
  }

 private:
  void draw(bool& value) { value = below(2) == 1; }
  void draw(std::int32_t& value) { value = static_cast<std::int32_t>(bits()); }
  void draw(std::int64_t& value) { value = static_cast<std::int64_t>(bits()); }
  void draw(std::optional<std::string>& text) {
    text.reset();
    if (below(5) == 0) return;
    text.emplace(below(4) == 0 ? 300 : below(12), '\0');
    for (char& byte : *text) byte = static_cast<char>(below(256));
  }
  template <class T>
  void draw(Vector<T>& vector) {
    vector.reset();
    if (below(5) == 0) return;
    vector.emplace(below(4));
    for (T& element : *vector) draw(element);
  }
  template <Record T>
  void draw(T& record) {
    T::fields(record, *this);
  }
  void draw(MultiRequest& multi) {
    multi.ops.resize(below(5));
    for (MultiOp& part : multi.ops) {
      part.op = op(empty_multi_body);
      part.body = *empty_multi_body(part.op);
      draw_body(part.body);
    }
  }
  void draw(MultiReply& multi) {
    multi.results.resize(below(5));
    for (MultiResult& part : multi.results) {
      part.op = op(empty_result);
      part.body = *empty_result(part.op);
      draw(part.err);
      draw_body(part.body);
    }
  }
  template <class... Bodies>
  void draw_body(std::variant<Bodies...>& body) {
    std::visit([this](auto& record) { this->draw(record); }, body);
  }

  // Draws small numbers and limits more often than others.
  std::uint64_t bits() {
    const std::uint64_t drawn = engine_();
    switch (below(4)) {
      case 0: return drawn % 3;
      case 1: return 0 - drawn % 3;
      case 2: return drawn % 2 == 0 ? 0x7fffffff : 0x80000000;
      default: return drawn;
    }
  }

  std::mt19937_64 engine_;
};

}  // namespace lockstep::wire
