// The measured costs of actions on this cluster, by which the policies of a live manager weigh pauses and
// migrations.
//
// A job that is paused and resumed makes no progress while it is saved, while it is restored and until it
// is released; a job that is migrated, at most while it migrates. Each mean is an exponential moving
// average with weight 1/8, in whole microseconds, so that a replay computes the same. Until a kind of
// action has been measured, a default of small machines is used, rather too high than too low: a policy
// that takes actions for too cheap does worse than one that takes them for too dear (docs/policy.md).
#pragma once

#include <optional>

#include "monitor/record/action.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// A cap that changes by less than a fiftieth is not felt, and is a call to the hypervisor for each VM.
inline constexpr Yield kLeastChange{kMillion / 50};

struct MeasuredCosts {
  std::optional<Duration> save, restore, release, migrate;
  friend bool operator==(const MeasuredCosts&, const MeasuredCosts&) = default;

  // An action of this kind succeeded and took this long, including the stall of the guest after it.
  constexpr void take(ActionKind kind, Duration took) {
    if (kind == ActionKind::save) follow(save, took);
    if (kind == ActionKind::restore) follow(restore, took);
    if (kind == ActionKind::release) follow(release, took);
    if (kind == ActionKind::migrate) follow(migrate, took);
  }
  [[nodiscard]] constexpr ActionCosts costs() const {
    const Duration resume =
        save.value_or(seconds(5)) + restore.value_or(seconds(4)) + release.value_or(seconds(1));
    return {resume, migrate.value_or(seconds(5)), kLeastChange};
  }

 private:
  static constexpr void follow(std::optional<Duration>& mean, Duration took) {
    mean = mean ? Duration{mean->raw + (took.raw - mean->raw) / 8} : took;
  }
};

}  // namespace aliquot
