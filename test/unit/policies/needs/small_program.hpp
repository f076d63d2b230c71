// A program in a VM of one or more vCPUs under a quota, millisecond by millisecond: what a watch of its
// need sees of it.
//
// Each thread alternates between work and sleep; a sleep takes as long however slow the work was. The quota
// is one for all threads, for every 100 ms, as the cgroups of Linux have it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "policies/needs/need_watch.hpp"

namespace aliquot::needs {

// Work and sleep of a thread, one after the other; without sleep it works always.
struct Cycle {
  std::int64_t work_ms = 1;
  std::int64_t sleep_ms = 0;
};

class SmallProgram {
 public:
  explicit SmallProgram(Cycle cycle, std::uint32_t threads = 1, std::uint32_t vcpus = 1)
      : vcpus_(vcpus), threads_(threads) {
    set_cycle(cycle);
  }

  void set_cycle(Cycle cycle) {
    cycle_ = cycle;
    for (Thread& thread : threads_) thread = {cycle.work_ms, 0};
  }

  // Runs for so long under this cap.
  Observation run(Instant from, Duration span, Cpu cap) {
    std::int64_t ran = 0;
    std::int64_t held = 0;
    for (std::int64_t ms = 0; ms < span.raw / 1000; ++ms) {
      if (now_ms_++ % kPeriod == 0) quota_ = std::min<double>(quota_, 0) + cap_ms(cap);
      for (Thread& thread : threads_) step(thread, ran, held);
    }
    const Cpu used{ran * 1000 * kMillion / span.raw};
    return {0, from, from + span, used, cap, Duration{held * 1000}, Duration{held * 1000}, vcpus_};
  }

 private:
  static constexpr std::int64_t kPeriod = 100;
  struct Thread {
    std::int64_t work = 0;
    std::int64_t sleep = 0;
  };
  static double cap_ms(Cpu cap) { return static_cast<double>(cap.raw) * kPeriod / 1e6; }

  void step(Thread& thread, std::int64_t& ran, std::int64_t& held) {
    if (thread.work == 0 && thread.sleep == 0) thread = {cycle_.work_ms, cycle_.sleep_ms};
    if (thread.work == 0) {
      --thread.sleep;
    } else if (quota_ >= 1) {
      quota_ -= 1;
      ++ran;
      if (--thread.work == 0) thread.sleep = cycle_.sleep_ms;
    } else {
      ++held;
    }
  }

  std::uint32_t vcpus_;
  std::vector<Thread> threads_;
  Cycle cycle_;
  double quota_ = 0;
  std::int64_t now_ms_ = 0;
};

// A job with one such VM, its watch, and the need that follows from it, second by second.
struct WatchedJob {
  SmallProgram program;
  NeedTerms terms;
  NeedWatch watch{terms};
  Cpu need = terms.declared;
  Yield yield = kFullYield;
  Instant now{};
  std::vector<NeedChange> changes{};
  std::vector<Instant> changed_at{};

  // `observe` may change what is seen of each second.
  void live(std::int64_t for_s, const std::function<void(Observation&)>& observe = {}) {
    for (std::int64_t s = 0; s < for_s; ++s) {
      Observation seen = program.run(now, seconds(1), need * yield);
      if (observe) observe(seen);
      now = seen.to;
      watch.observe(seen);
      if (const auto change = watch.decide(need, yield, now)) {
        changes.push_back(*change);
        changed_at.push_back(now);
        need = change->need;
      }
    }
  }
};

[[nodiscard]] inline Cpu percent(std::int64_t of_a_core) { return {of_a_core * kMillion / 100}; }

}  // namespace aliquot::needs
