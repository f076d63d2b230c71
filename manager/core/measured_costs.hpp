// What actions have been seen to cost on this cluster: what a live manager's policies go by.
//
// A job that is paused and resumed stands still while it is saved, while it is restored and until it is
// released; one that is moved, at most while it migrates. The mean of each kind follows what is measured,
// an eighth of the way at a time; whole microseconds, so that a replay learns the same. Until a kind has
// been seen it is taken to cost what small machines do, rather more than less: a policy that takes an
// action for too cheap is worse off than one that takes it for too dear (seen: docs/policy.md).
#pragma once

#include <optional>

#include "policies/model/action.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

struct MeasuredCosts {
  std::optional<Duration> save, restore, release, migrate;
  friend bool operator==(const MeasuredCosts&, const MeasuredCosts&) = default;

  // An action of this kind went well and took so long; the guest's stall after it counts as its own.
  constexpr void take(ActionKind kind, Duration took) {
    if (kind == ActionKind::save) follow(save, took);
    if (kind == ActionKind::restore) follow(restore, took);
    if (kind == ActionKind::release) follow(release, took);
    if (kind == ActionKind::migrate) follow(migrate, took);
  }
  [[nodiscard]] constexpr ActionCosts costs() const {
    const Duration resume =
        save.value_or(seconds(5)) + restore.value_or(seconds(4)) + release.value_or(seconds(1));
    return {resume, migrate.value_or(seconds(5))};
  }

 private:
  static constexpr void follow(std::optional<Duration>& mean, Duration took) {
    mean = mean ? Duration{mean->raw + (took.raw - mean->raw) / 8} : took;
  }
};

}  // namespace aliquot
