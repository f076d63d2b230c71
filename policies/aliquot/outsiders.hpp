// Jobs that stand nowhere, and what they were refused.
#pragma once

#include <algorithm>
#include <memory_resource>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

// Who was refused already: whoever asks for as much memory and guaranteed CPU on as many nodes, with no
// better claim, is refused too, as long as nothing is freed.
class Refusals {
 public:
  struct Refusal {
    Memory memory;
    Cpu guaranteed;
    std::uint32_t tasks;
    double claim;
    [[nodiscard]] static Refusal of(const Demand& demand, double claim) {
      return {demand.memory, guaranteed_cpu(demand), demand.tasks, claim};
    }
    // Is the other one asking for as much or more?
    [[nodiscard]] bool covers(const Refusal& other) const {
      return memory <= other.memory && tasks <= other.tasks && claim >= other.claim &&
             guaranteed <= other.guaranteed;
    }
  };

  // What is asked for now is refused for sure.
  [[nodiscard]] bool covers(const Refusal& asked) const {
    return std::any_of(known_.begin(), known_.end(),
                       [&](const Refusal& known) { return known.covers(asked); });
  }
  void add(const Refusal& asked) {
    std::erase_if(known_, [&](const Refusal& known) { return asked.covers(known); });
    known_.push_back(asked);
  }
  void forget() { known_.clear(); }

 private:
  std::vector<Refusal> known_;  // none covers another
};

// The other way round: whoever asks for no more than one that was seen to fit fits too, as long as nothing
// changes.
class Fitting {
 public:
  [[nodiscard]] bool covers(const Refusals::Refusal& asked) const {
    return std::any_of(known_.begin(), known_.end(),
                       [&](const Refusals::Refusal& known) { return asked.covers(known); });
  }
  void add(const Refusals::Refusal& asked) {
    std::erase_if(known_, [&](const Refusals::Refusal& known) { return known.covers(asked); });
    known_.push_back(asked);
  }

 private:
  std::vector<Refusals::Refusal> known_;  // none covers another
};

// Who stands nowhere and may be placed, gathered while a draft reads its view: a job itself is far away in
// memory.
struct Outsider {
  std::uint32_t entry;
  bool waits;
  Refusals::Refusal asked;
};
using Outsiders = std::pmr::vector<Outsider>;

[[nodiscard]] inline Outsider outsider(std::uint32_t entry, const Job& job) {
  return {entry, job.phase == Phase::waiting, Refusals::Refusal::of(job.demand, 0)};
}

}  // namespace aliquot
