// Moves a site between the store of one manager alone and the log of several managers in etcd, while no
// manager runs: `aliquot db to-etcd` and `from-etcd`.
//
// Nothing is removed before what takes its place was read back and found sound. ErrorKind::conflict: a
// manager uses the store, leads or stands by; or what is to be written is there already.
#pragma once

#include <cstdint>
#include <string>

#include "manager/ha/leader_lease.hpp"
#include "policies/model/error.hpp"

namespace aliquot::ha {

struct MovedSite {
  std::string cluster;  // its identity
  std::uint64_t last_step = 0;
};

// The log begins with a copy of the store.
[[nodiscard]] Result<MovedSite> move_to_etcd(const std::string& store, const LeaderLease::Parts& etcd);
// The store gets what it lacks of the log, which is then removed. A store of a manager that did not follow
// has of ended jobs the newest only.
[[nodiscard]] Result<MovedSite> move_from_etcd(const std::string& store, const LeaderLease::Parts& etcd);

}  // namespace aliquot::ha
