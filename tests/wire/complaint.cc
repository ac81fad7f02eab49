#include "wire/complaint.h"

#include <cstdint>
#include <vector>

#include "lockstep/wire/frames.h"
#include "lockstep/wire/reply.h"
#include "lockstep/wire/request.h"

namespace lockstep::wire {

namespace {

template <class Decode>
void check(std::string& complaint, std::string_view what, std::string_view bytes, Decode decode) {
  const auto message = decode(bytes);
  if (!message) return;
  if (decode(encode(*message)) != message) complaint.append(what).append(" does not come back\n");
}

std::vector<std::string> frames_of(std::string_view bytes, std::size_t fragment) {
  std::vector<std::string> frames;
  FrameReader reader(1000);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(fragment, bytes.size()))) {
    reader.feed(bytes.substr(0, fragment));
    while (const auto frame = reader.next()) frames.emplace_back(*frame);
  }
  return frames;
}

}  // namespace

std::string complaint_about(std::string_view bytes) {
  std::string complaint;
  check(complaint, "a request", bytes, decode_request);
  check(complaint, "a connect request", bytes, decode_connect_request);
  check(complaint, "a connect response", bytes, decode_connect_response);
  check(complaint, "an event", bytes, decode_event);
  for (std::int32_t op = -11; op < 110; ++op) {
    check(complaint, "a reply", bytes,
          [op](std::string_view frame) { return decode_reply(static_cast<Op>(op), frame); });
  }
  if (frames_of(bytes, 1) != frames_of(bytes, 7) || frames_of(bytes, 7) != frames_of(bytes, 1000)) {
    complaint.append("fragments change the frames\n");
  }
  return complaint;
}

}  // namespace lockstep::wire
