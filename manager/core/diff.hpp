// From the plan in force to the actions that are safe now. A plan says where every job is to be; diff()
// says what may be done about it at this moment, and is called again in every step until nothing is left
// to do. A pure function of the cluster.
//
// Order: first what frees capacity (destroy, save, lower a cap), then live migrations, then what needs
// capacity (create, restore, release, raise a cap). Every action is checked against the ledger, where
// both ends of a migration are charged, so no order of outcomes can overfill a node. Migrations that wait
// for each other in a cycle are broken: the one with the least memory is saved, and restored where it was
// to go.
#pragma once

#include <vector>

#include "manager/core/migrations.hpp"

namespace aliquot {

// What one diff leaves to the next: memory that is used again, and moves that were blocked. It changes no
// result.
struct DiffStorage {
  std::vector<PendingJob> jobs;
  ReservedCapacity reserved;
  ReservedCapacity reserved_for_cycles;
  BlockedMoves moves;
  std::vector<Action> actions;
};

[[nodiscard]] std::vector<Action> diff(const Cluster& cluster, DiffStorage& storage);

}  // namespace aliquot
