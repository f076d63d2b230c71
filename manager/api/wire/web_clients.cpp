#include "manager/api/wire/web_clients.hpp"

#include <type_traits>
#include <utility>

namespace aliquot {
namespace {

constexpr double kAtOnce = 2;  // seconds of the rate
constexpr std::size_t kBuckets = 10'000;

}  // namespace

Result<void> WebClients::count(const std::string& key) {
  const auto now = TokenBucket::now();
  if (buckets_.size() > kBuckets) buckets_.clear();
  TokenBucket& bucket = buckets_.try_emplace(key, rate_, kAtOnce * rate_).first->second;
  if (bucket.take(now)) return {};
  return fail(ErrorKind::unavailable, "too many requests with the key " + key + ": wait " +
                                          std::to_string(bucket.wait(now).count()) +
                                          " ms (api.remote_rate)");
}

ConnectionId WebClients::await(Answered answered) {
  waiting_.emplace(++newest_, std::move(answered));
  return newest_;
}

void WebClients::answer(ConnectionId client, const Reply& reply) {
  const auto at = waiting_.find(client);
  if (at == waiting_.end()) return;
  const Answered answered = std::move(at->second);
  waiting_.erase(at);
  answered(reply);
}

bool is_for_the_console(const Request& request) {
  return std::visit(
      []<class R>(const R&) {
        return std::is_same_v<R, Hello> || std::is_same_v<R, Cancel> || std::is_same_v<R, Hold> ||
               std::is_same_v<R, ReleaseJob> || std::is_same_v<R, Requeue> ||
               std::is_same_v<R, NodeDrain> || std::is_same_v<R, NodeResume> ||
               std::is_same_v<R, PlanShow> || std::is_same_v<R, PlanApply>;
      },
      request);
}

}  // namespace aliquot
