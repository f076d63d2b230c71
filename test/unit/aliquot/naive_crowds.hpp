// Stretch-aware shares the plain way: node by node, every level by bisection, all counted anew each time.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "policies/aliquot/outlook.hpp"
#include "policies/draft.hpp"

namespace aliquot::naive {

struct Crowd {
  std::vector<Share> jobs;  // the "node" of a share is the entry
  double spare = 0;
  bool done = false;
};

class Crowds {
 public:
  Crowds(const Draft& draft, const Outlooks& outlooks, Yield floor)
      : draft_(draft), outlooks_(outlooks), floors_(draft.size()), settled_(draft.size(), false) {
    for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
      if (draft.ledger(n).load > draft.node(n).capacity) crowds_.push_back(crowd_of(n));
    }
    set_floors(floor);
  }

  // The yields of all that are on crowded nodes, in millionths.
  std::vector<double> settle() {
    std::vector<double> yields(draft_.size(), 1e6);
    for (const Crowd& crowd : crowds_) {
      for (const Share& job : crowd.jobs) {
        const std::uint32_t i = job.node.raw;
        if (settled_[i] || !(outlooks_[i].stall > 0)) continue;
        give(i, std::max(guaranteed(i), std::min(floors_[i], 1e4)), yields);
      }
    }
    while (Crowd* const worst = find_worst()) {
      const double level = level_of(*worst);
      worst->done = true;
      for (const Share& job : worst->jobs) {
        if (!settled_[job.node.raw])
          give(job.node.raw, level > 0 ? share(job.node.raw, level) : 1e6, yields);
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
    return std::max(floors_[i], 1e6 * outlooks_[i].share(stretch));
  }

  [[nodiscard]] Crowd crowd_of(std::uint32_t n) const {
    Crowd crowd;
    crowd.spare = static_cast<double>(draft_.node(n).capacity.raw);
    for (std::uint32_t i = 0; i < draft_.size(); ++i) {
      for (const Share& share : draft_.placement(i)) {
        if (share.node.raw == n) crowd.jobs.push_back({{i}, share.units});
      }
    }
    return crowd;
  }

  void set_floors(Yield floor) {
    std::fill(floors_.begin(), floors_.end(), 2e6);
    for (const Crowd& crowd : crowds_) {
      double load = 0;
      for (const Share& job : crowd.jobs) load += need(job.node.raw) * job.units;
      const double least = crowd.spare / load * static_cast<double>(floor.raw);
      for (const Share& job : crowd.jobs) floors_[job.node.raw] = std::min(floors_[job.node.raw], least);
    }
    for (const Crowd& crowd : crowds_) {
      double sum = 0;
      for (const Share& job : crowd.jobs) {
        const double both = std::max(floors_[job.node.raw], guaranteed(job.node.raw));
        sum += need(job.node.raw) * both * job.units / 1e6;
      }
      if (sum <= crowd.spare) continue;
      for (const Share& job : crowd.jobs) floors_[job.node.raw] = 0;
    }
    for (std::uint32_t i = 0; i < draft_.size(); ++i) floors_[i] = std::max(floors_[i], guaranteed(i));
  }

  [[nodiscard]] bool fits(const Crowd& crowd, double stretch) const {
    double sum = 0;
    for (const Share& job : crowd.jobs) {
      if (!settled_[job.node.raw])
        sum += need(job.node.raw) * job.units * share(job.node.raw, stretch) / 1e6;
    }
    return sum <= crowd.spare * (1 + 1e-12);
  }
  [[nodiscard]] double level_of(const Crowd& crowd) const {
    double low = 0;
    double high = 1e12;
    if (fits(crowd, best_of(crowd))) return 0;
    for (int k = 0; k < 200; ++k) {
      const double middle = k < 40 ? std::sqrt(std::max(low, 1e-3) * high) : low + (high - low) / 2;
      (fits(crowd, middle) ? high : low) = middle;
    }
    return high;
  }
  // What its best job comes to at full speed: beyond, all would get all they need.
  [[nodiscard]] double best_of(const Crowd& crowd) const {
    double best = 1e12;
    for (const Share& job : crowd.jobs) {
      if (!settled_[job.node.raw]) best = std::min(best, outlooks_[job.node.raw].at_full);
    }
    return best;
  }

  Crowd* find_worst() {
    Crowd* worst = nullptr;
    double largest = -1;
    for (Crowd& crowd : crowds_) {
      if (crowd.done) continue;
      const double level = level_of(crowd);
      if (level > largest) worst = &crowd, largest = level;
    }
    return worst;
  }

  void give(std::uint32_t i, double yield, std::vector<double>& yields) {
    yields[i] = yield;
    settled_[i] = true;
    for (Crowd& crowd : crowds_) {
      for (const Share& job : crowd.jobs) {
        if (job.node.raw == i) crowd.spare -= need(i) * job.units * yield / 1e6;
      }
    }
  }

  const Draft& draft_;
  const Outlooks& outlooks_;
  std::vector<double> floors_;  // millionths
  std::vector<bool> settled_;
  std::vector<Crowd> crowds_;
};

}  // namespace aliquot::naive
