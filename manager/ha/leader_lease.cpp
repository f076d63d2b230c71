#include "manager/ha/leader_lease.hpp"

#include <time.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

namespace aliquot::ha {
namespace {

Result<std::int64_t> claim(Etcd& etcd, const LeaderLease::Parts& parts, std::int64_t lease) {
  const auto done = etcd.transact(
      {{{parts.keys.leader(), 0}}, {Put{parts.keys.leader(), encode_leader(parts.self), lease}}});
  if (!done) return tl::unexpected<Error>(done.error());
  return done->succeeded ? done->revision : 0;
}

}  // namespace

std::string encode_leader(const LeaderNotice& leader) {
  return nlohmann::json{
      {"name", leader.name}, {"address", leader.address}, {"since_unix_us", leader.since_unix_us}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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
  if (const auto at = json.find("since_unix_us"); at != json.end() && at->is_number_integer())
    leader.since_unix_us = at->get<std::int64_t>();
  return leader;
}

Duration since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return Duration{std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000};
}

Result<std::shared_ptr<LeaderLease>> LeaderLease::campaign(Parts parts) {
  const auto etcd = parts.etcd(kUsualPatience);
  using std::chrono::system_clock;
  const auto wall = system_clock::now().time_since_epoch();
  parts.self.since_unix_us = std::chrono::duration_cast<std::chrono::microseconds>(wall).count();
  const Duration sent = parts.now();
  const auto lease = etcd->grant_lease(parts.ttl.raw / seconds(1).raw);
  if (!lease) return tl::unexpected<Error>(lease.error());
  const LeaseTerm term(sent, seconds(lease->ttl_s));
  const auto epoch = claim(*etcd, parts, lease->id);
  if (epoch && *epoch != 0)
    return std::shared_ptr<LeaderLease>(new LeaderLease(std::move(parts), lease->id, *epoch, term));
  // Also after an error: the transaction may have been carried out.
  static_cast<void>(etcd->revoke_lease(lease->id));
  // The lease may have ended on a slow way: then it is tried again.
  if (!epoch && epoch.error().kind != ErrorKind::not_found) return tl::unexpected<Error>(epoch.error());
  return nullptr;
}

LeaderLease::~LeaderLease() { static_cast<void>(parts_.etcd(kUsualPatience)->revoke_lease(lease_)); }

// A lease that was once not surely held stays lost: another manager may have been told so.
Duration LeaderLease::left() const {
  const std::lock_guard lock(mutex_);
  const Duration now = parts_.now();
  if (!lost_ && term_.surely_held(now)) return term_.end() - now;
  lost_ = true;
  return {};
}

Renewal LeaderLease::renew(Etcd& etcd) {
  const Duration sent = parts_.now();
  const auto answer = etcd.keep_alive(lease_);
  if (!answer) return Renewal::unheard;
  if (answer->ttl_s <= 0) {
    lost_ = true;
    return Renewal::ended;
  }
  if (left().raw <= 0) return Renewal::unheard;
  const std::lock_guard lock(mutex_);
  term_.renewed(sent, seconds(answer->ttl_s));
  return Renewal::granted;
}

}  // namespace aliquot::ha
