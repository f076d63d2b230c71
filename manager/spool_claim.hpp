// Ensures that a spool belongs to one cluster and is used by one manager. Two files in the spool say so:
// `cluster.lock`, locked for the lifetime of a SpoolClaim and released by the kernel when the process ends
// in any way, and `cluster.id`, the identity of the cluster, which its store has too.
//
// Without them, a manager whose store was lost would number its jobs from 1 again and find the files of
// other jobs under these numbers; two clusters would remove each other's contents.
#pragma once

#include <string>

#include "manager/hypervisor/descriptor.hpp"
#include "manager/hypervisor/epoch_fence.hpp"
#include "manager/hypervisor/spool.hpp"
#include "policies/model/error.hpp"
#include "policies/model/id.hpp"

namespace aliquot {

class SpoolClaim {
 public:
  // Locks the spool, whose directory must exist. An Error of kind conflict names the manager that holds it.
  // `with_others`: together with managers of the cluster of which etcd lets one lead, but with no other.
  [[nodiscard]] static Result<SpoolClaim> take(Spool spool, bool with_others = false);

  // May the store of this cluster be used with the spool? Changes nothing. An empty `cluster` is a store
  // that was never used: it gets an unused spool only. A spool without an id, which an earlier version
  // left, suits every store that was used.
  [[nodiscard]] Result<void> admit(const std::string& cluster) const;

  // Writes the id of the cluster, unless the spool has it already; with other managers also the epoch of
  // this one, from which on earlier ones are refused. admit() has succeeded.
  [[nodiscard]] Result<void> mark(const std::string& cluster, std::uint64_t epoch);
  // Of the epoch; null: there are no other managers.
  [[nodiscard]] std::shared_ptr<const EpochFence> fence() const { return fence_; }

  // The cluster to which the spool belongs; empty: it has no id.
  [[nodiscard]] Result<std::string> owner() const;

 private:
  SpoolClaim(Spool spool, Descriptor lock, bool with_others)
      : spool_(std::move(spool)), lock_(std::move(lock)), with_others_(with_others) {}

  Spool spool_;
  Descriptor lock_;
  bool with_others_;
  std::shared_ptr<const EpochFence> fence_;
};

// The highest number of a job of which the spool has a directory; 0: there is none.
[[nodiscard]] JobId newest_job_in(const Spool& spool);

}  // namespace aliquot
