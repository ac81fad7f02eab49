#include "request_log.h"

#include <utility>
#include <variant>

namespace lockstep::service {

namespace {

constexpr std::size_t kLongestPath = 200;

template <class Body>
std::string path_in(const Body& body) {
  if constexpr (requires { body.path->size(); }) {
    return body.path.value_or("");
  } else {
    return "";
  }
}

}  // namespace

std::uint64_t RequestLog::add(Control::LoggedRequest request) {
  request.number = ++last_;
  requests_.push_back(std::move(request));
  if (requests_.size() > kMost) requests_.pop_front();
  return last_;
}

void RequestLog::close(std::uint64_t number, std::string answer) {
  if (requests_.empty() || number < requests_.front().number) return;
  requests_[number - requests_.front().number].answer = std::move(answer);
}

std::vector<Control::LoggedRequest> RequestLog::after(std::uint64_t number) const {
  if (number >= last_) return {};
  const std::uint64_t forgotten = last_ - requests_.size();
  const std::size_t first = number > forgotten ? number - forgotten : 0;
  return {requests_.begin() + static_cast<std::ptrdiff_t>(first), requests_.end()};
}

std::string path_of(const wire::Request& request) {
  std::string path;
  if (const auto* const multi = std::get_if<wire::MultiRequest>(&request.body)) {
    for (const wire::MultiOp& op : multi->ops) {
      if (path.size() > kLongestPath) break;
      if (!path.empty()) path += ", ";
      path += std::visit([](const auto& body) { return path_in(body); }, op.body);
    }
  } else {
    path = std::visit([](const auto& body) { return path_in(body); }, request.body);
  }
  if (path.size() > kLongestPath) path.replace(kLongestPath, std::string::npos, "...");
  return path;
}

}  // namespace lockstep::service
