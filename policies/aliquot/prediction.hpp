// Stretch prediction: how many times longer than alone on the cluster a job will have taken in the end.
//
// A job with flow time f and virtual time v, and e seconds of a penalty still to serve, is expected to need
// r = max(30 s, v / 4) more seconds at full speed: the longer a job has run, the longer it will run, and
// nothing better is known without estimates. If it loses x seconds from now on and then runs at full speed,
// it ends at the stretch pred(x) = (f + x + r) / max(30 s, v + r). The other way round, share(S) is the
// part of its CPU need with which it ends at the stretch S. The constants were found by simulation
// (docs/policy.md). All times are seconds.
//
// With fair share a stretch counts times the weight of its job: a job of the weight 2 is taken to have
// half the run time alone, so it is twice as late, and the largest weighted stretch is what is minimised.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "policies/dfrs/objective.hpp"
#include "policies/dfrs/priority.hpp"

namespace aliquot {

// Of a job of a weight below 1, so much less. Rounds down.
template <class Amount>
[[nodiscard]] constexpr Amount part_of(Amount whole, Weight weight) {
  return weight.raw < kMillion ? Amount{multiply_divide(whole.raw, weight.raw, kMillion)} : whole;
}

struct Prediction {
  double flow_time = 0;      // f
  double virtual_time = 0;   // v
  double penalty = 0;        // e
  double remaining = 0;      // r
  double run_time = 0;       // max(30, v + r): alone on the cluster, as expected; over the weight
  double at_full_speed = 1;  // pred(e): the stretch if the job gets all it needs from now on
  Cpu need;                  // of a task
  Yield guaranteed;

  Prediction() = default;
  // `shortest`: a job is expected to run for that long at least; the 30 s above. `weight`: times which
  // every stretch of the job counts.
  Prediction(double f, double v, double e, double shortest, double weight = 1)
      : flow_time(f),
        virtual_time(v),
        penalty(e),
        remaining(std::max(shortest, v / 4)),
        run_time(std::max(shortest, v + remaining) / weight),
        at_full_speed(pred(e)) {}

  [[nodiscard]] double pred(double lost) const { return (flow_time + lost + remaining) / run_time; }

  // All that it needs where S can be met at full speed at best.
  [[nodiscard]] double share(double stretch) const {
    const double left = stretch * run_time - (flow_time + penalty);
    return left <= remaining ? 1 : remaining / left;
  }

  // A move or a resume begins a new penalty, which replaces the rest of an old one.
  void serve(double new_penalty) {
    penalty = new_penalty;
    at_full_speed = pred(penalty);
  }
};

[[nodiscard]] inline Duration from_seconds(double seconds) { return {std::llround(seconds * 1e6)}; }

// By entry of a draft.
using Predictions = std::span<const Prediction>;

// `penalty_until`: of a penalty that has been decided, but that the job does not know yet.
[[nodiscard]] inline Prediction predict(const Job& job, Instant now, Instant penalty_until,
                                        Duration shortest) {
  const Duration penalty = std::max(Duration{}, std::max(penalty_until, job.progress.stalled_until) - now);
  Prediction prediction(to_seconds(now - job.submitted), job.progress.at(now).to_seconds(),
                        to_seconds(penalty), to_seconds(shortest), factor_of(job.demand.weight));
  prediction.need = job.demand.need;
  prediction.guaranteed = floor_of(job.demand);
  return prediction;
}

// share(S) as a line of dfrs/objective.hpp, whose level is 1 / S: for packing. Microseconds.
[[nodiscard]] inline YieldLine prediction_line(const Job& job, Instant now, Duration shortest) {
  const Prediction prediction = predict(job, now, now, shortest);
  const auto micro = [](double seconds) { return static_cast<std::int64_t>(seconds * 1e6); };
  YieldLine line{micro(prediction.remaining), 0, micro(prediction.run_time), floor_of(job.demand)};
  line.bend = std::max<std::int64_t>(1, micro(prediction.flow_time + prediction.penalty));
  return line;
}
[[nodiscard]] inline PackingObjective level_is_inverse_prediction(Instant now, Duration shortest) {
  return {[=](const Job& job) { return prediction_line(job, now, shortest); }};
}

}  // namespace aliquot
