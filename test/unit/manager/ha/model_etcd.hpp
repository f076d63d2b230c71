// An etcd as its documentation describes it, on a model clock: keys with revisions, leases that end to the
// microsecond, transactions. And the way to it, which delays, loses and reorders calls and answers.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "manager/ha/etcd.hpp"
#include "test/unit/manager/ha/model_world.hpp"

namespace aliquot::ha::test {

class ModelEtcd {
 public:
  explicit ModelEtcd(const World& world) : world_(world) {}

  bool is_reached_well = false;  // nothing is lost on the way

  Result<TransactionAnswer> transact(const EtcdTransaction& asked) {
    end_leases();
    TransactionAnswer answer;
    answer.succeeded = std::ranges::all_of(asked.conditions, [this](const CreatedAt& condition) {
      return created(condition.key) == condition.revision;
    });
    const auto& todo = answer.succeeded ? asked.then : asked.otherwise;
    const bool writes =
        std::ranges::any_of(todo, [](const Operation& each) { return !std::holds_alternative<Get>(each); });
    for (const Operation& each : todo)
      if (const auto* put = std::get_if<Put>(&each);
          put && put->lease != 0 && !leases_.contains(put->lease))
        return fail(ErrorKind::not_found, "requested lease not found");
    if (writes) ++revision_;
    for (const Operation& each : todo) std::visit([&](const auto& one) { apply(one, answer); }, each);
    answer.revision = revision_;
    return answer;
  }
  Result<LeaseAnswer> grant(std::int64_t ttl_s) {
    end_leases();
    leases_[++last_lease_] = {world_.now() + seconds(ttl_s), ttl_s};
    return LeaseAnswer{last_lease_, ttl_s};
  }
  Result<LeaseAnswer> keep(std::int64_t id) {
    end_leases();
    const auto lease = leases_.find(id);
    if (lease == leases_.end()) return LeaseAnswer{id, 0};
    lease->second.end = world_.now() + seconds(lease->second.ttl_s);
    return LeaseAnswer{id, lease->second.ttl_s};
  }
  void revoke(std::int64_t id) {
    end_leases();
    if (leases_.erase(id) > 0) erase_keys_of(id);
  }
  // 0: there is no such key.
  [[nodiscard]] std::int64_t created(const std::string& key) {
    end_leases();
    const auto row = rows_.find(key);
    return row == rows_.end() ? 0 : row->second.created;
  }

 private:
  struct Row {
    std::string value;
    std::int64_t created = 0;
    std::int64_t modified = 0;
    std::int64_t lease = 0;
  };
  struct Lease {
    Duration end;
    std::int64_t ttl_s = 0;
  };
  void end_leases() {
    std::erase_if(leases_, [this](const auto& lease) {
      const bool has_ended = lease.second.end <= world_.now();
      if (has_ended) erase_keys_of(lease.first);
      return has_ended;
    });
  }
  void erase_keys_of(std::int64_t lease) {
    ++revision_;
    std::erase_if(rows_, [lease](const auto& row) { return row.second.lease == lease; });
  }
  auto end_of(const std::string& key, const std::string& end) {
    return end.empty() ? rows_.upper_bound(key) : rows_.lower_bound(end);
  }
  void apply(const Put& put, TransactionAnswer&) {
    Row& row = rows_[put.key];
    if (row.created == 0) row.created = revision_;
    row.value = put.value;
    row.modified = revision_;
    row.lease = put.lease;
  }
  void apply(const Erase& erase, TransactionAnswer&) {
    rows_.erase(rows_.lower_bound(erase.key), end_of(erase.key, erase.end));
  }
  void apply(const Get& get, TransactionAnswer& answer) {
    auto& found = answer.found.emplace_back();
    for (auto row = rows_.lower_bound(get.key); row != end_of(get.key, get.end); ++row)
      found.push_back(
          {row->first, get.keys_only ? "" : row->second.value, row->second.created, row->second.modified});
    if (get.newest_first) std::ranges::reverse(found);
    if (get.limit > 0 && found.size() > static_cast<std::size_t>(get.limit))
      found.resize(static_cast<std::size_t>(get.limit));
  }

  const World& world_;
  std::int64_t revision_ = 1;
  std::int64_t last_lease_ = 0;
  std::map<std::string, Row> rows_;
  std::map<std::int64_t, Lease> leases_;
};

// The way of one process to it. A call whose answer does not come in time may have been carried out, or be
// carried out later.
class WayToEtcd final : public Etcd {
 public:
  WayToEtcd(World& world, ModelEtcd& etcd, Process& process, Duration patience)
      : world_(world), etcd_(etcd), process_(process), patience_(patience) {}

  Result<TransactionAnswer> transact(const EtcdTransaction& transaction) override {
    return call([&etcd = etcd_, transaction] { return etcd.transact(transaction); });
  }
  Result<LeaseAnswer> grant_lease(std::int64_t ttl_s) override {
    return call([&etcd = etcd_, ttl_s] { return etcd.grant(ttl_s); });
  }
  Result<LeaseAnswer> keep_alive(std::int64_t lease) override {
    return call([&etcd = etcd_, lease] { return etcd.keep(lease); });
  }
  // Also called while a process ends, killed or not.
  Result<void> revoke_lease(std::int64_t lease) override {
    if (world_.is_killed() || is_cut_off()) return no_answer();
    etcd_.revoke(lease);
    return {};
  }
  Result<void> compact(std::int64_t) override { return {}; }
  void wait(Duration span) override { world_.sleep(span); }

 private:
  [[nodiscard]] bool is_cut_off() const { return process_.cut_off_until > world_.now(); }
  static tl::unexpected<Error> no_answer() { return fail(ErrorKind::unavailable, "etcd does not answer"); }
  [[nodiscard]] bool is_bad(std::uint64_t one_in) {
    return !etcd_.is_reached_well && world_.one_in(one_in);
  }
  template <class Do>
  auto call(Do work) -> decltype(work()) {
    const Duration way = is_bad(20) ? world_.between({}, Duration{2 * patience_.raw})
                                    : world_.between(Duration{200}, Duration{20'000});
    if (is_cut_off() || is_bad(60)) {
      world_.sleep(patience_);
      return no_answer();
    }
    if (way >= patience_) {
      world_.later(world_.now() + way, [work] { static_cast<void>(work()); });
      world_.sleep(patience_);
      return no_answer();
    }
    world_.sleep(way);
    auto answer = work();
    const Duration left = patience_ - way;
    const bool is_lost = is_cut_off() || is_bad(40);
    world_.sleep(is_lost      ? left
                 : is_bad(20) ? world_.between({}, left)
                              : world_.between(Duration{100}, Duration{10'000}));
    if (is_lost) return no_answer();
    return answer;
  }

  World& world_;
  ModelEtcd& etcd_;
  Process& process_;
  const Duration patience_;
};

}  // namespace aliquot::ha::test
