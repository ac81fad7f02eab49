#include "control_answer.h"

#include <utility>

namespace lockstep::service {

using Json = nlohmann::json;

ControlAnswer answer(unsigned status, const Json& body) {
  return {.status = status,
          .body = body.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"};
}

ControlAnswer refused(unsigned status, std::string why, Json expected) {
  return answer(status, {{"error", std::move(why)}, {"expected", std::move(expected)}});
}

}  // namespace lockstep::service
