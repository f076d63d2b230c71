// A cache of what does not fit: whatever asks for as much memory and guaranteed CPU on as many nodes as a
// request that was refused is refused, too, as long as nothing is freed. It saves most searches on a full
// cluster, where thousands of jobs ask for a place in one decision.
#pragma once

#include <algorithm>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

struct Request {
  Memory memory;   // of a task
  Cpu guaranteed;  // of a task
  std::uint32_t tasks;
  double threshold;  // the larger, the more running jobs may be paused for it; 0: none

  [[nodiscard]] static Request of(const Demand& demand, double threshold = 0) {
    return {demand.memory, guaranteed_cpu(demand), demand.tasks, threshold};
  }
  // Is refused for certain if this one is refused?
  [[nodiscard]] bool is_at_most(const Request& other) const {
    return memory <= other.memory && guaranteed <= other.guaranteed && tasks <= other.tasks &&
           threshold >= other.threshold;
  }
};

class Refusals {
 public:
  [[nodiscard]] bool cover(const Request& request) const {
    return std::ranges::any_of(refused_, [&](const Request& known) { return known.is_at_most(request); });
  }
  void add(const Request& request) {
    std::erase_if(refused_, [&](const Request& known) { return request.is_at_most(known); });
    refused_.push_back(request);
  }
  void clear() { refused_.clear(); }

 private:
  std::vector<Request> refused_;  // none covers another
};

}  // namespace aliquot
