#include "text.h"

#include <iostream>

namespace lockstep::program {

std::string hex(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(number >> shift) & 0xf];
  return text;
}

void print_json(const nlohmann::ordered_json& object) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  std::cout << object.dump(-1, ' ', false, Handler::replace) << '\n';
}

nlohmann::ordered_json as_json(const search::Judgements& judged) {
  nlohmann::ordered_json counts;
  for (const search::OracleFacts& row : search::oracles()) {
    if (row.is_guarantee) counts[std::string(row.name)] = judged.of(row.oracle);
  }
  return counts;
}

}  // namespace lockstep::program
