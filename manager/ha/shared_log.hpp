// The log of a cluster's store in etcd: batches of changes (manager/store/replication.hpp), and a copy of
// the store from which the log goes on. The leader writes, all read.
//
// What is written is written only while its writer leads: each transaction asks for the create revision of
// the leader's key. A batch or copy that is too long for a transaction is written in pieces, which count
// only when the last key is there. The log is cut where a newer copy begins.
//
// One thread at a time, each with an object of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manager/ha/etcd.hpp"
#include "manager/ha/keys.hpp"
#include "manager/ha/leader_lease.hpp"
#include "manager/store/replica.hpp"
#include "manager/store/replication.hpp"

namespace aliquot::ha {

// What etcd has, at one revision.
struct LogView {
  std::optional<LeaderNotice> leader;
  std::int64_t epoch = 0;  // of the leader
  std::uint64_t base = 0;  // the newest batch in the copy of the store
  bool has_base = false;
  std::uint64_t newest = 0;       // batch; 0: there is none
  std::vector<ChangeBatch> next;  // after the one that was asked for, a few
  // Nothing was ever written here.
  [[nodiscard]] bool is_empty() const { return newest == 0 && !has_base; }
};

class SharedLog {
 public:
  // `may_write` is asked before a call that failed is made again; false: its error is returned.
  SharedLog(
      const OpenEtcd& etcd, Keys keys, std::function<bool()> may_write = [] { return false; })
      : etcd_(etcd(kUsualPatience)), keys_(std::move(keys)), may_write_(std::move(may_write)) {}

  [[nodiscard]] Result<LogView> read(std::uint64_t after);
  // How many batches are not in the copy of the store.
  [[nodiscard]] Result<std::uint64_t> length();
  [[nodiscard]] Result<StoreCopy> read_base();

  // All for the leader; `condition` is the leadership's. ErrorKind::not_leader: another one leads. Durable
  // when they return. To append the same batch again is no error.
  [[nodiscard]] Result<void> append(const CreatedAt& condition, const ChangeBatch& batch);
  // Replaces the earlier copy, and removes the batches that it has.
  [[nodiscard]] Result<void> write_base(const CreatedAt& condition, const StoreCopy& copy);

 private:
  [[nodiscard]] Result<TransactionAnswer> insist(const EtcdTransaction& transaction);
  [[nodiscard]] Result<std::string> read_parts(const std::function<std::string(std::size_t)>& key,
                                               std::size_t count);
  [[nodiscard]] Result<void> write_parts(const CreatedAt& condition,
                                         const std::function<std::string(std::size_t)>& key,
                                         const std::string& bytes);
  [[nodiscard]] Result<ChangeBatch> decode(const KeyValue& row);

  std::unique_ptr<Etcd> etcd_;
  Keys keys_;
  std::function<bool()> may_write_;
};

}  // namespace aliquot::ha
