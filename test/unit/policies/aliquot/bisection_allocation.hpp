// A reference implementation of share allocation by predicted stretch: node by node, every level found by
// bisection, everything added up anew each time. It is exact to a few millionths.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "policies/aliquot/stretch_level.hpp"
#include "policies/draft.hpp"

namespace aliquot::reference {

struct ContendedNode {
  std::vector<Share> jobs;  // the "node" of a share is the entry
  double spare = 0;
  bool done = false;
};

class BisectionAllocation {
 public:
  BisectionAllocation(const Draft& draft, Predictions predictions, Yield floor)
      : draft_(draft), predictions_(predictions), floors_(draft.size()), filled_(draft.size(), false) {
    for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
      if (draft.ledger(n).load > draft.node(n).capacity) nodes_.push_back(node_of(n));
    }
    set_floors(floor);
  }

  // The yields of the jobs on contended nodes, in millionths.
  std::vector<double> allocate() {
    std::vector<double> yields(draft_.size(), 1e6);
    for (const ContendedNode& node : nodes_) {
      for (const Share& job : node.jobs) {
        const std::uint32_t i = job.node.raw;
        if (filled_[i] || !(predictions_[i].penalty > 0)) continue;
        set(i, std::max(guaranteed(i), std::min(floors_[i], 1e4)), yields);
      }
    }
    while (ContendedNode* const worst = find_worst()) {
      const double level = level_of(*worst);
      worst->done = true;
      for (const Share& job : worst->jobs) {
        if (!filled_[job.node.raw]) set(job.node.raw, level > 0 ? share(job.node.raw, level) : 1e6, yields);
      }
    }
    return yields;
  }

 private:
  [[nodiscard]] double need(std::uint32_t i) const {
    return static_cast<double>(draft_.job(i).demand.need.raw);
  }
  [[nodiscard]] double guaranteed(std::uint32_t i) const {
    return static_cast<double>(floor_of(draft_.job(i).demand).raw);
  }
  [[nodiscard]] double share(std::uint32_t i, double stretch) const {
    return std::max(floors_[i], 1e6 * predictions_[i].share(stretch));
  }

  [[nodiscard]] ContendedNode node_of(std::uint32_t n) const {
    ContendedNode node;
    node.spare = static_cast<double>(draft_.node(n).capacity.raw);
    for (std::uint32_t i = 0; i < draft_.size(); ++i) {
      for (const Share& share : draft_.placement(i)) {
        if (share.node.raw == n) node.jobs.push_back({{i}, share.units});
      }
    }
    return node;
  }

  void set_floors(Yield floor) {
    std::fill(floors_.begin(), floors_.end(), 2e6);
    for (const ContendedNode& node : nodes_) {
      double load = 0;
      for (const Share& job : node.jobs) load += need(job.node.raw) * job.units;
      const double least = node.spare / load * static_cast<double>(floor.raw);
      for (const Share& job : node.jobs) floors_[job.node.raw] = std::min(floors_[job.node.raw], least);
    }
    for (const ContendedNode& node : nodes_) {
      double sum = 0;
      for (const Share& job : node.jobs) {
        const double both = std::max(floors_[job.node.raw], guaranteed(job.node.raw));
        sum += need(job.node.raw) * both * job.units / 1e6;
      }
      if (sum <= node.spare) continue;
      for (const Share& job : node.jobs) floors_[job.node.raw] = 0;
    }
    for (std::uint32_t i = 0; i < draft_.size(); ++i) floors_[i] = std::max(floors_[i], guaranteed(i));
  }

  [[nodiscard]] bool fits(const ContendedNode& node, double stretch) const {
    double sum = 0;
    for (const Share& job : node.jobs) {
      if (!filled_[job.node.raw])
        sum += need(job.node.raw) * job.units * share(job.node.raw, stretch) / 1e6;
    }
    return sum <= node.spare * (1 + 1e-12);
  }
  [[nodiscard]] double level_of(const ContendedNode& node) const {
    double low = 0;
    double high = 1e12;
    if (fits(node, best_of(node))) return 0;
    for (int k = 0; k < 200; ++k) {
      const double middle = k < 40 ? std::sqrt(std::max(low, 1e-3) * high) : low + (high - low) / 2;
      (fits(node, middle) ? high : low) = middle;
    }
    return high;
  }
  // The stretch of its best job at full speed: below it all jobs would get all that they need.
  [[nodiscard]] double best_of(const ContendedNode& node) const {
    double best = 1e12;
    for (const Share& job : node.jobs) {
      if (!filled_[job.node.raw]) best = std::min(best, predictions_[job.node.raw].at_full_speed);
    }
    return best;
  }

  ContendedNode* find_worst() {
    ContendedNode* worst = nullptr;
    double largest = -1;
    for (ContendedNode& node : nodes_) {
      if (node.done) continue;
      const double level = level_of(node);
      if (level > largest) worst = &node, largest = level;
    }
    return worst;
  }

  void set(std::uint32_t i, double yield, std::vector<double>& yields) {
    yields[i] = yield;
    filled_[i] = true;
    for (ContendedNode& node : nodes_) {
      for (const Share& job : node.jobs) {
        if (job.node.raw == i) node.spare -= need(i) * job.units * yield / 1e6;
      }
    }
  }

  const Draft& draft_;
  const Predictions predictions_;
  std::vector<double> floors_;  // millionths
  std::vector<bool> filled_;
  std::vector<ContendedNode> nodes_;
};

}  // namespace aliquot::reference
