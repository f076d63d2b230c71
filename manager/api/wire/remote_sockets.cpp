#include "manager/api/wire/remote_sockets.hpp"

#include <unistd.h>

#include <ctime>
#include <utility>

#include "manager/api/wire/tcp_socket.hpp"

namespace aliquot {
namespace {

constexpr auto kLookEvery = std::chrono::seconds(1);
constexpr double kAtOnce = 2;  // seconds of the rate

std::int64_t now_unix_s() { return std::time(nullptr); }

}  // namespace

Result<RemoteSockets::Listening> RemoteSockets::listen_at(const std::string& endpoint) {
  return listen_on_tcp(endpoint).map([](int fd) { return Listening{fd, own_address(fd)}; });
}

Result<std::unique_ptr<RemoteSockets>> RemoteSockets::open(const ApiSettings& settings, KeyBook& keys,
                                                           const ZmtpServerLimits& limits,
                                                           Refused refused) {
  const auto own = keys.server_keys();
  if (!own) return tl::unexpected<Error>(own.error());
  const CurveEntrance entrance{*own, [&keys](const CurveKey& key) { return keys.admit(key, now_unix_s()); },
                               std::move(refused)};
  auto requests = listen_at(settings.remote);
  if (!requests) return tl::unexpected<Error>(requests.error());
  std::optional<Listening> events;
  if (!settings.remote_events.empty()) {
    auto listening = listen_at(settings.remote_events);
    if (!listening) {
      close(requests->fd);
      return tl::unexpected<Error>(listening.error());
    }
    events = std::move(*listening);
  }
  return std::unique_ptr<RemoteSockets>(
      new RemoteSockets(settings, keys, entrance, limits, std::move(*requests), events));
}

RemoteSockets::RemoteSockets(const ApiSettings& settings, KeyBook& keys, const CurveEntrance& entrance,
                             const ZmtpServerLimits& limits, Listening requests,
                             const std::optional<Listening>& events)
    : keys_(keys),
      address_(std::move(requests.address)),
      requests_(requests.fd, settings.remote, "ROUTER", limits, entrance, kBefore),
      rate_(settings.remote_rate) {
  if (!events) return;
  events_address_ = events->address;
  events_.emplace(events->fd, settings.remote_events, limits, entrance);
}

Result<void> RemoteSockets::count(const std::string& key) {
  const auto now = std::chrono::steady_clock::now();
  TokenBucket& bucket = buckets_.try_emplace(key, rate_, kAtOnce * rate_).first->second;
  if (bucket.take(now)) return {};
  return fail(ErrorKind::unavailable, "too many requests with the key " + key + ": wait " +
                                          std::to_string(bucket.wait(now).count()) +
                                          " ms (api.remote_rate)");
}

void RemoteSockets::close_those_without_key(const std::set<std::string>& names) {
  const std::int64_t now = now_unix_s();
  const auto is_out = [&](const Credentials& client) {
    return names.contains(client.key) || !keys_.is_in_force(client.key, now);
  };
  requests_.close_those(is_out);
  if (events_) events_->close_those(is_out);
  std::erase_if(buckets_, [&](const auto& each) { return !keys_.is_in_force(each.first, now); });
}

void RemoteSockets::look_for_expired() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kLookEvery) return;
  looked_ = now;
  close_those_without_key({});
}

}  // namespace aliquot
