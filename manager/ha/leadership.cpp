#include "manager/ha/leadership.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

namespace aliquot::ha {
namespace {

// A sleep does not count while the machine is suspended, so that of the watch is short.
constexpr Duration kLookEvery{50'000};

Result<std::int64_t> claim(EtcdClient& etcd, const Leadership::Parts& parts, std::int64_t lease) {
  const auto done = etcd.transact(
      {{{parts.keys.leader(), 0}}, {Put{parts.keys.leader(), encode_leader(parts.self), lease}}});
  if (!done) return tl::unexpected<Error>(done.error());
  return done->succeeded ? done->revision : 0;
}

}  // namespace

std::string encode_leader(const LeaderNotice& leader) {
  return nlohmann::json{{"name", leader.name}, {"address", leader.address}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

LeaderNotice decode_leader(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  LeaderNotice leader;
  if (!json.is_object()) return leader;
  const auto take = [&](const char* key, std::string& target) {
    if (const auto at = json.find(key); at != json.end() && at->is_string())
      target = at->get<std::string>();
  };
  take("name", leader.name);
  take("address", leader.address);
  return leader;
}

Duration since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return Duration{std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000};
}

Result<std::unique_ptr<Leadership>> Leadership::campaign(Parts parts) {
  EtcdClient etcd(parts.etcd);
  const Duration sent = parts.now();
  const auto lease = etcd.grant_lease(parts.ttl.raw / seconds(1).raw);
  if (!lease) return tl::unexpected<Error>(lease.error());
  const LeaseTerm term(sent, seconds(lease->ttl_s));
  const auto epoch = claim(etcd, parts, lease->id);
  if (epoch && *epoch != 0)
    return std::unique_ptr<Leadership>(new Leadership(std::move(parts), lease->id, *epoch, term));
  // Also after an error: the transaction may have been carried out.
  static_cast<void>(etcd.revoke_lease(lease->id));
  if (!epoch) return tl::unexpected<Error>(epoch.error());
  return nullptr;
}

Leadership::Leadership(Parts parts, std::int64_t lease, std::int64_t epoch, LeaseTerm term)
    : parts_(std::move(parts)), lease_(lease), epoch_(epoch), term_(term) {
  renewing_ = std::thread([this] { renew(); });
  watching_ = std::thread([this] { watch(); });
}

Leadership::~Leadership() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  renewing_.join();
  watching_.join();
  static_cast<void>(EtcdClient(parts_.etcd).revoke_lease(lease_));
}

bool Leadership::surely_leads() const {
  if (lost_) return false;
  const std::lock_guard lock(mutex_);
  return term_.surely_held(parts_.now());
}

bool Leadership::wait(Duration span) {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, std::chrono::microseconds(std::max<std::int64_t>(span.raw, 0)),
                    [this] { return stopping_; });
  return !stopping_ && !lost_;
}

void Leadership::renew() {
  EtcdSettings settings = parts_.etcd;
  // One member that does not answer must leave time for the others.
  settings.patience = Duration{std::min(settings.patience.raw, parts_.ttl.raw / 4)};
  EtcdClient etcd(std::move(settings));
  while (wait(Duration{parts_.ttl.raw / 3})) {
    const Duration sent = parts_.now();
    const auto answer = etcd.keep_alive(lease_);
    if (!answer) continue;  // the watch counts the time
    if (answer->ttl_s <= 0) return lose("etcd has ended the lease");
    const std::lock_guard lock(mutex_);
    // A lease that was once not surely held stays lost: another manager may have been told so.
    if (term_.surely_held(parts_.now())) term_.renewed(sent, seconds(answer->ttl_s));
  }
}

void Leadership::watch() {
  for (;;) {
    const Duration now = parts_.now();
    Duration left;
    {
      const std::lock_guard lock(mutex_);
      if (term_.surely_held(now)) left = term_.end() - now;
    }
    if (left.raw <= 0) return lose("the lease could not be renewed in time");
    if (!wait(std::min(left, kLookEvery))) return;
  }
}

void Leadership::lose(const std::string& why) {
  if (!lost_.exchange(true) && parts_.lost) parts_.lost(why);
}

}  // namespace aliquot::ha
