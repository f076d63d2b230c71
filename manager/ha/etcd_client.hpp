// A client of etcd over its JSON gateway (HTTP, with libcurl): transactions, leases, compaction.
//
// Every call has a deadline. There may be several endpoints: a call that cannot be made at one is made at
// the next, and later calls begin with the one that answered. So a call may be carried out more than once,
// and a call that failed may have been carried out: transactions must be such that this can be told.
//
// One thread at a time; a thread that waits long has a client of its own. Connections are kept.
// Errors: unavailable, no endpoint answered in time, or etcd has no leader; refused, etcd understood and
// declined; unsupported, the answer is not understood.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "manager/ha/etcd_messages.hpp"
#include "policies/model/time.hpp"

namespace aliquot::ha {

struct EtcdSettings {
  std::vector<std::string> endpoints;  // https://etcd1.example.org:2379
  std::string ca{};                    // files, PEM; empty: none
  std::string cert{};
  std::string key{};
  Duration patience = seconds(1);  // for a call at one endpoint
};

class EtcdClient {
 public:
  explicit EtcdClient(EtcdSettings settings);
  EtcdClient(const EtcdClient&) = delete;
  EtcdClient& operator=(const EtcdClient&) = delete;
  ~EtcdClient();

  [[nodiscard]] Result<TransactionAnswer> transact(const EtcdTransaction& transaction);
  [[nodiscard]] Result<LeaseAnswer> grant_lease(std::int64_t ttl_s);
  [[nodiscard]] Result<LeaseAnswer> keep_alive(std::int64_t lease);
  [[nodiscard]] Result<void> revoke_lease(std::int64_t lease);
  // Forgets what keys were before this revision. One that is compacted already is no error.
  [[nodiscard]] Result<void> compact(std::int64_t revision);
  // Of the first endpoint that answers.
  [[nodiscard]] Result<MemberStatus> status();

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

}  // namespace aliquot::ha
