// From the wish to the deeds that are safe now: a pure function of the cluster, called again after every
// event until nothing is left to do.
//
// Order: free first (destroy, save, lower a cap), then move, then grow (create, restore, release, raise a
// cap). Memory and CPU are promised against what is physically charged, both ends of a move included, so
// no interleaving of outcomes can overfill a node. Moves that wait for each other in a circle are broken
// by saving the smallest of them; it is restored where it was to go.
#pragma once

#include <vector>

#include "manager/core/blocked_moves.hpp"
#include "policies/scratch.hpp"

namespace aliquot {

// What one diff leaves to the next, so that a round costs what it changes. It changes no result.
struct DiffStorage {
  std::vector<Cluster::Unsettled> jobs;
  Promises promised;
  BlockedMoves moves;
  std::vector<Action> actions;  // memory, as the rest
  Promises landed;
  Scratch scratch;
};

[[nodiscard]] std::vector<Action> diff(const Cluster& cluster, DiffStorage& storage);

}  // namespace aliquot
