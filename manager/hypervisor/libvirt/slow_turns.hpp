// When a node is asked what costs more than reading the counters of its VMs from its kernel, and so not
// with each reading: what memory their guests use, which caps are in force, and, over the network, the
// counters themselves, for which libvirt asks each QEMU (docs/performance.md).
//
// Thread-safe. The caller says what time it is.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <set>

#include "policies/model/id.hpp"

namespace aliquot {

class SlowTurns {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kEvery{5000};  // as often as guests tell: domain_xml.cpp
  // A second and two, whatever the caller's clock does.
  static constexpr std::chrono::milliseconds kOften{900};
  static constexpr std::chrono::milliseconds kRemote{1900};

  // Guests and caps. If so, it counts as done.
  [[nodiscard]] bool is_due(NodeId node, Time now) {
    const std::lock_guard lock(mutex_);
    return takes_turn(guests_, node, now, often_.contains(node) ? kOften : kEvery);
  }
  // The counters of a node that is reached over the network, likewise. They are read every two seconds,
  // also where discovery would have them each second: it then costs such a node nothing.
  [[nodiscard]] bool counters_are_due(NodeId node, Time now) {
    const std::lock_guard lock(mutex_);
    return takes_turn(counters_, node, now, often_.contains(node) ? kOften : kRemote);
  }
  // A balloon has been set there: what its guest lacks is to be known at once, from now on.
  void turn_often(NodeId node) {
    const std::lock_guard lock(mutex_);
    often_.insert(node);
  }

 private:
  using Last = std::map<NodeId, Time>;
  static bool takes_turn(Last& last, NodeId node, Time now, std::chrono::milliseconds every) {
    const auto [turn, is_first] = last.try_emplace(node, now);
    if (!is_first && now - turn->second < every) return false;
    turn->second = now;
    return true;
  }

  std::mutex mutex_;
  Last guests_;
  Last counters_;
  std::set<NodeId> often_;
};

}  // namespace aliquot
