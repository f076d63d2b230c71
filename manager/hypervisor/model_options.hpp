// How the model hypervisor behaves: the rescheduling penalty, how long actions take, what goes wrong.
//
// By default every action succeeds at once. All chances are in parts per million and drawn by a
// counter-based generator from the seed, the operation and the task: the same seed gives the same faults
// whatever else happens.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "policies/model/action.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

inline constexpr std::size_t kActionKinds = std::variant_size_v<Action>;

// The manager cannot reach the node for a while; guests run on unless the node itself has died.
struct Outage {
  NodeId node;
  Instant from;
  Duration length;
  bool dies = false;  // its VMs are gone
};

struct ModelOptions {
  // No progress for this long after a resume or a change of hosts (DFRS, IV-A). A first start is free.
  Duration penalty;
  std::uint64_t seed = 0;
  std::array<Duration, kActionKinds> delay{};      // by ActionKind
  Duration jitter;                                 // up to this much more, where there is a delay
  std::array<std::uint32_t, kActionKinds> fail{};  // by ActionKind: a clean failure, nothing was done
  std::uint32_t lost = 0;           // the outcome is lost: done or not, a timeout is reported
  Duration deadline = seconds(30);  // when a lost outcome is reported
  std::uint32_t crash = 0;          // a released VM dies some time later
  std::vector<Outage> outages;

  // Every action succeeds at once, and nothing ever breaks.
  [[nodiscard]] bool calm() const {
    const auto none = [](const auto& amounts) {
      return std::ranges::all_of(
          amounts, [](const auto& amount) { return amount == std::remove_cvref_t<decltype(amount)>{}; });
    };
    return none(delay) && none(fail) && lost == 0 && crash == 0 && outages.empty();
  }
};

}  // namespace aliquot
