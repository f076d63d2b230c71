#include "manager/ha/presence.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace aliquot::ha {
namespace {

constexpr std::int64_t kTtl_s = 15;
constexpr std::chrono::seconds kRenewEvery{5};
constexpr std::chrono::seconds kTellEvery{1};

}  // namespace

std::string encode_standby(const StandbyNotice& standby) {
  nlohmann::json json{{"name", standby.name}, {"address", standby.address}, {"batch", standby.batch}};
  if (standby.hot) json["hot"] = *standby.hot;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

StandbyNotice decode_standby(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  try {
    StandbyNotice standby{json.at("name").get<std::string>(), json.at("address").get<std::string>(),
                          json.at("batch").get<std::uint64_t>()};
    if (json.contains("hot")) standby.hot = json.at("hot").get<bool>();
    return standby;
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

Presence::~Presence() {
  if (lease_) static_cast<void>(etcd_->revoke_lease(*lease_));
}

bool Presence::renew(Clock::time_point now) {
  if (lease_ && now - renewed_ < kRenewEvery) return true;
  if (!etcd_) etcd_ = open_(kUsualPatience);
  renewed_ = now;
  const auto kept = lease_ ? etcd_->keep_alive(*lease_) : etcd_->grant_lease(kTtl_s);
  if (!kept) return lease_.has_value();
  if (kept->ttl_s > 0) {
    lease_ = kept->id;
    return true;
  }
  lease_.reset();  // it has ended, and with it the key
  told_.reset();
  return false;
}

void Presence::tell(std::uint64_t batch, bool hot) {
  const Clock::time_point now = Clock::now();
  self_.batch = batch;
  self_.hot = hot;
  if (!renew(now) || told_ == self_ || now - wrote_ < kTellEvery) return;
  wrote_ = now;
  if (etcd_->transact({{}, {Put{keys_.standby(self_.name), encode_standby(self_), *lease_}}}))
    told_ = self_;
}

}  // namespace aliquot::ha
