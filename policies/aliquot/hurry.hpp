// Hurry: while somebody waits for room, those are to end sooner that a pause would cost most.
//
// The room that is waited for is that of others' memory, and who has run shortest will give its back
// soonest, if it gets the CPU. Paused instead, it would lose P for the sake of the little that is left of
// it, r; the long jobs beside it hardly notice what it takes from them. So each aims at a stretch that is
// sqrt(1 + P / r) times smaller than its crowd's. (The root was found on simulated workloads;
// docs/policy.md.)
#pragma once

#include <cmath>

#include "policies/aliquot/outlook.hpp"

namespace aliquot {

struct Hurry {
  double cost = 0;  // P, in seconds; 0: nobody waits

  // How many times smaller.
  [[nodiscard]] double of(const Outlook& job) const { return std::sqrt(1 + cost / job.rest); }

  // The same job, of which S is said to be reached where it comes to so much less than S.
  [[nodiscard]] Outlook hurried(Outlook job) const {
    if (cost > 0) {
      job.whole /= of(job);
      job.at_full = job.pred(job.stall);
    }
    return job;
  }
};

}  // namespace aliquot
