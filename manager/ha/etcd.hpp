// What the managers use of an etcd. A call may be carried out more than once, and one that failed may have
// been carried out: transactions must be such that this can be told.
//
// One thread at a time; a thread that waits long has an Etcd of its own. Errors: unavailable, etcd did not
// answer in time, or has no leader; not_found, a lease has ended; refused, it understood and declined;
// unsupported, its answer is not understood.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "manager/ha/etcd_messages.hpp"
#include "policies/model/time.hpp"

namespace aliquot::ha {

class Etcd {
 public:
  Etcd() = default;
  Etcd(const Etcd&) = delete;
  Etcd& operator=(const Etcd&) = delete;
  virtual ~Etcd() = default;

  [[nodiscard]] virtual Result<TransactionAnswer> transact(const EtcdTransaction& transaction) = 0;
  [[nodiscard]] virtual Result<LeaseAnswer> grant_lease(std::int64_t ttl_s) = 0;
  [[nodiscard]] virtual Result<LeaseAnswer> keep_alive(std::int64_t lease) = 0;
  [[nodiscard]] virtual Result<void> revoke_lease(std::int64_t lease) = 0;
  // Forgets what keys were before this revision. One that is compacted already is no error.
  [[nodiscard]] virtual Result<void> compact(std::int64_t revision) = 0;
  // Before a call is made again.
  virtual void wait(Duration span) = 0;
};

// One more for a thread; a call waits at most so long for one member of etcd.
using OpenEtcd = std::function<std::unique_ptr<Etcd>(Duration patience)>;
inline constexpr Duration kUsualPatience = seconds(1);

}  // namespace aliquot::ha
