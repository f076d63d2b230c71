// How the model hypervisor behaves: the rescheduling penalty, how long actions take, which faults happen.
//
// By default every action succeeds at once. All chances are in parts per million and drawn by a
// counter-based generator from the seed, the operation and the task: the same seed gives the same faults,
// whatever else happens.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "monitor/record/action.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

inline constexpr std::size_t kActionKinds = std::variant_size_v<Action>;

// The manager cannot reach the node for a while; guests run on unless the node itself has died.
struct Outage {
  NodeId node;
  Instant from;
  Duration length;
  bool dies = false;         // its VMs are gone
  std::uint32_t number = 0;  // of the node's failures, if it was drawn (node_failures.hpp); 0: it was given
};

struct ModelOptions {
  // No progress for this long after a resume or a change of hosts (DFRS, IV-A). A first start is free.
  Duration penalty;
  std::optional<Duration> migration_penalty;  // after a change of hosts, if it is another
  // How much the tasks of a job wait for each other, in parts per million: while some of them stand still
  // after a migration, the others lose this part of their pace. By default all of it (DFRS, IV-A).
  std::uint32_t communication = 1'000'000;
  std::uint64_t seed = 0;
  // By ActionKind: an action takes its delay, and the time in which its task's memory goes through
  // `bandwidth` bytes a second (0: memory costs no time). Every transfer has its bandwidth for itself.
  std::array<Duration, kActionKinds> delay{};
  std::array<std::int64_t, kActionKinds> bandwidth{};
  Duration jitter;                                 // up to this much more, where there is a delay
  std::array<std::uint32_t, kActionKinds> fail{};  // by ActionKind: a clean failure, nothing was done
  std::uint32_t lost = 0;           // the outcome is lost: done or not, a timeout is reported
  Duration deadline = seconds(30);  // when a lost outcome is reported
  std::uint32_t crash = 0;          // a released VM dies some time later
  std::uint32_t doubled = 0;        // an outcome, or the end of a task, is reported once more
  std::uint32_t late = 0;           // the end of a task, or a success after its timeout, is reported late
  Duration late_by;                 // up to this much
  std::uint32_t deaf = 0;           // a task that is told to leave does not listen
  std::vector<Outage> outages;
  // Mean time from a node's repair to its next failure, and to its repair; mtbf 0: nodes do not fail.
  Duration mtbf;
  Duration mttr;
  std::optional<Duration> checkpoint;  // asked for by every job of a simulation
  bool network = false;                // likewise, by every job of several tasks
  // Each job is counted with this part of its memory at least: a node may owe what its own comes to
  // divided by it.
  std::int64_t memory_kept_ppm = kMillion;

  // How long an action takes that goes well, jitter aside. Rounded up.
  [[nodiscard]] constexpr Duration time_of(ActionKind kind, Memory memory) const {
    const auto what = static_cast<std::size_t>(kind);
    const std::int64_t rate = bandwidth[what];
    if (rate <= 0) return delay[what];
    const Int128 transfer = (Int128{memory.raw} * kMillion + rate - 1) / rate;
    return delay[what] + Duration{static_cast<std::int64_t>(transfer)};
  }
  // Without progress after this kind of restart.
  [[nodiscard]] constexpr Duration stall_after(ActionKind kind) const {
    return kind == ActionKind::migrate ? migration_penalty.value_or(penalty) : penalty;
  }
  // What a job of `tasks` loses, as time without progress of the whole: `moved` of its tasks stand still
  // for `stall`, for `together` of which none of the others does so already.
  [[nodiscard]] constexpr Duration loss(Duration stall, Duration together, std::uint32_t moved,
                                        std::uint32_t tasks) const {
    const Int128 waits = Int128{together.raw} * communication;
    const Int128 alone = Int128{stall.raw} * (kMillion - communication) * moved / std::max(tasks, 1U);
    return {static_cast<std::int64_t>((waits + alone) / kMillion)};
  }
  // Every action succeeds at once, and nothing ever breaks.
  [[nodiscard]] bool immediate() const {
    const auto none = [](const auto& amounts) {
      return std::ranges::all_of(
          amounts, [](const auto& amount) { return amount == std::remove_cvref_t<decltype(amount)>{}; });
    };
    return none(delay) && none(bandwidth) && none(fail) && lost == 0 && crash == 0 && doubled == 0 &&
           late == 0 && outages.empty() && mtbf.raw == 0;
  }
};

}  // namespace aliquot
