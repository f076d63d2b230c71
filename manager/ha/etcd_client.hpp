// A client of etcd over its JSON gateway (HTTP, with libcurl): transactions, leases, compaction.
//
// Every call has a deadline. There may be several endpoints: a call that cannot be made at one is made at
// the next, and later calls begin with the one that answered. So a call may be carried out more than once,
// and a call that failed may have been carried out: transactions must be such that this can be told.
//
// Connections are kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "manager/ha/etcd.hpp"

namespace aliquot::ha {

// The endpoint that is not to be asked now, since it would not answer soon. Any thread.
class BusyEndpoint {
 public:
  void set(std::size_t endpoint) { endpoint_ = endpoint; }
  void reset() { endpoint_ = kNone; }
  [[nodiscard]] bool is(std::size_t endpoint) const { return endpoint_ == endpoint; }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> endpoint_{kNone};
};

struct EtcdSettings {
  std::vector<std::string> endpoints;  // https://etcd1.example.org:2379
  std::string ca{};                    // files, PEM; empty: none
  std::string cert{};
  std::string key{};
  Duration patience = kUsualPatience;          // for a call at one endpoint
  std::shared_ptr<const BusyEndpoint> busy{};  // null: none is
  std::function<bool()> is_given_up{};         // asked about once a second; true: the call ends
};

class EtcdClient final : public Etcd {
 public:
  explicit EtcdClient(EtcdSettings settings);
  ~EtcdClient() override;

  [[nodiscard]] Result<TransactionAnswer> transact(const EtcdTransaction& transaction) override;
  [[nodiscard]] Result<LeaseAnswer> grant_lease(std::int64_t ttl_s) override;
  [[nodiscard]] Result<LeaseAnswer> keep_alive(std::int64_t lease) override;
  [[nodiscard]] Result<void> revoke_lease(std::int64_t lease) override;
  [[nodiscard]] Result<void> compact(std::int64_t revision) override;
  void wait(Duration span) override;
  // Of each endpoint, in their order.
  [[nodiscard]] std::vector<Result<MemberStatus>> statuses();
  [[nodiscard]] Result<std::size_t> count_members();

  // At this endpoint alone. Whether its member reads its own database now, for which no other is asked.
  [[nodiscard]] Result<void> try_read(std::size_t endpoint);
  // Shrinks the database file of its member to what is in use. Until then, which may be long after a call
  // that failed, the member answers nothing else.
  [[nodiscard]] Result<void> defragment(std::size_t endpoint);
  // Its member leads etcd, and hands this to another one.
  [[nodiscard]] Result<void> move_leadership(std::size_t endpoint, const std::string& to);

 private:
  struct Connections;
  // The body of the answer.
  [[nodiscard]] Result<std::string> call(const char* path, const std::string& body);
  [[nodiscard]] Result<std::string> call_at(std::size_t endpoint, const char* path,
                                            const std::string& body);

  EtcdSettings settings_;
  std::unique_ptr<Connections> connections_;
  std::size_t preferred_ = 0;
};

[[nodiscard]] OpenEtcd etcd_at(EtcdSettings settings);

}  // namespace aliquot::ha
