#include "lockstep/shared_count.h"

#include <array>

#include "lockstep/retried.h"
#include "lockstep/take_place.h"

namespace lockstep {

Data encode_shared_count(std::int32_t count) {
  const auto bits = static_cast<std::uint32_t>(count);
  const std::array bytes = {static_cast<char>(bits >> 24), static_cast<char>(bits >> 16),
                            static_cast<char>(bits >> 8), static_cast<char>(bits)};
  return Data(std::string_view(bytes.data(), bytes.size()));
}

std::optional<std::int32_t> decode_shared_count(const Data& data) {
  if (data.view().size() != 4) return std::nullopt;
  std::uint32_t bits = 0;
  for (const char byte : data.view()) bits = bits << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int32_t>(bits);
}

Task<Result<void>> set_shared_count(Session& session, Path znode, std::int32_t count,
                                    Context context) {
  const Data data = encode_shared_count(count);
  Retry retry(session);
  for (;;) {
    const Result<Stat> set = co_await set_data_retried(session, znode, data, context);
    if (set) co_return Result<void>();
    if (set.error() != Error::kNoNode) co_return failure(set.error());
    const Result<Created> created =
        co_await session.create(znode, data, CreateMode::kPersistent, context);
    if (created) co_return Result<void>();
    if (created.error() == Error::kNodeExists) continue;
    if (created.error() == Error::kNoNode) {
      co_await ok(ensure_parent(session, znode.parent(), context));
    } else {
      co_await ok(retry.after(created.error(), context));
    }
  }
}

Task<Result<std::int32_t>> get_shared_count(Session& session, Path znode, Context context) {
  const DataAndStat read = co_await ok(retried(session, &Session::get_data, znode, context));
  const std::optional<std::int32_t> count = decode_shared_count(read.data);
  if (!count) co_return failure(Error::kMarshallingError);
  co_return *count;
}

}  // namespace lockstep
