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

}  // namespace lockstep::program
