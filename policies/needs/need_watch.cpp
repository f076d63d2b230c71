#include "policies/needs/need_watch.hpp"

#include <algorithm>
#include <cstdlib>

namespace aliquot::needs {
namespace {

constexpr Cpu kLeastNeed{10'000};
constexpr Cpu kLeastStep{20'000};
constexpr Duration kProbe = seconds(6);
// Of a job that does not run meanwhile, or whose change the core does not make.
constexpr Duration kLongestProbe = seconds(60);
constexpr Duration kFirstBackoff = seconds(60);
constexpr Duration kLongestBackoff = seconds(3600);
// A level that has held for so long was worth it, even if the job wants more now.
constexpr Duration kHeld = seconds(180);
// A VM of which nothing was observed for longer than the others does not run.
constexpr Duration kStale = seconds(25);
constexpr double kConfidenceHalf_s = 30;

Cpu with_headroom(Cpu need) { return {need.raw + need.raw / 10}; }
// A change below it is not made.
Cpu hysteresis(Cpu need) { return std::max(Cpu{need.raw / 10}, kLeastStep); }

// The larger; none if either is not known.
std::optional<Cpu> larger(std::optional<Cpu> a, std::optional<Cpu> b) {
  return a && b ? std::optional(std::max(*a, *b)) : std::nullopt;
}

}  // namespace

void NeedWatch::Backoff::extend(Instant now) {
  length = length.raw == 0 ? kFirstBackoff : std::min(length * 2, kLongestBackoff);
  until = now + length;
}

void NeedWatch::observe(const Observation& seen) {
  if (seen.task >= windows_.size()) windows_.resize(seen.task + 1);
  windows_[seen.task].observe(seen);
}

void NeedWatch::forget() {
  for (UseWindow& window : windows_) window.clear();
}

NeedWatch::Use NeedWatch::look(Cpu need_in_force) const {
  Use use{{}, {}, false, Cpu{}, Cpu{}, false, Cpu{}};
  for (const UseWindow& window : windows_)
    if (window.latest()) use.at = std::max(use.at, window.latest()->at);
  for (const UseWindow& window : windows_) {
    const auto& latest = window.latest();
    if (!latest || latest->at + kStale < use.at) continue;
    const UseWindow::Whole whole = window.whole();
    use.used = std::max(use.used, latest->used);
    // The cap of a lower yield may still have been in force.
    const bool had_it_all = latest->allowed.raw >= need_in_force.raw - need_in_force.raw / 20;
    use.throttled = use.throttled || (latest->throttled && had_it_all);
    use.latest_need = larger(use.latest_need, latest->need);
    use.need = larger(use.need, whole.need);
    use.throttled_in_window = use.throttled_in_window || whole.throttled;
    use.used_in_a_part = larger(use.used_in_a_part, window.used_in_a_part());
  }
  if (use.at.raw == 0) use.need = use.latest_need = use.used_in_a_part = std::nullopt;
  return use;
}

// Confidence is counted anew when the estimate has left the tenth around what it was. A part of the window
// tells of more use; only the whole of it tells of less.
void NeedWatch::follow(const Use& use, Instant now) {
  if (!use.need) return;
  const std::int64_t away = std::abs(use.need->raw - steady_.raw);
  if (!estimate_ || away > std::max(steady_.raw / 10, kLeastNeed.raw)) {
    steady_since_ = now - (estimate_ && *use.need > steady_ ? kPart : kWindow);
    steady_ = *use.need;
  }
  estimate_ = use.need;
}

std::optional<NeedEstimate> NeedWatch::estimate(Instant now) const {
  if (!estimate_) return std::nullopt;
  const double steady_s = to_seconds(std::max(Duration{}, now - steady_since_));
  return NeedEstimate{*estimate_, steady_s / (steady_s + kConfidenceHalf_s), steady_since_};
}

NeedChange NeedWatch::change(Cpu need, ChangeKind kind, const Use& use, Instant now) const {
  const auto known = estimate(now);
  return {need, kind, use.used, known ? known->confidence : 0};
}

std::optional<NeedChange> NeedWatch::decide(Cpu need_in_force, Yield yield_in_force, Instant now,
                                            bool may_probe) {
  const Use use = look(need_in_force);
  if (probe_) return conclude_probe(use, need_in_force, now);
  if (use.at.raw == 0 || use.at + kStale < now) return std::nullopt;
  follow(use, now);
  if (terms_.mode == NeedMode::declared) return std::nullopt;
  if (auto raised = raise(use, need_in_force, yield_in_force, now)) return raised;
  const bool at_full_yield = yield_in_force >= kFullYield;
  if (may_probe && at_full_yield)
    if (auto probed = probe(use, need_in_force, now)) return probed;
  return lower(use, need_in_force, yield_in_force, now);
}

// Back to the declared need at once, if the whole of a lower one throttles the job. At a lower yield it may
// be throttled for want of CPU alone: then its need is what it would use if it never waited, beyond what is
// declared if the mode allows it.
std::optional<NeedChange> NeedWatch::raise(const Use& use, Cpu need, Yield yield, Instant now) {
  Cpu wanted = need;
  if (yield >= kFullYield) {
    if (use.throttled) wanted = std::max(need, terms_.declared);
  } else {
    const Cpu limit = terms_.mode == NeedMode::learned_up ? terms_.most : terms_.declared;
    const Cpu known = use.latest_need.value_or(terms_.declared);
    if (known > need + hysteresis(need)) wanted = std::min(with_headroom(known), limit);
  }
  if (wanted <= need) return std::nullopt;
  avoid(need, now);
  return change(wanted, ChangeKind::wants_more, use, now);
}

// This need was too low.
void NeedWatch::avoid(Cpu need, Instant now) {
  if (!lowered_at_ && now < floored_.until) return;  // it was raised a little, and then again
  if (lowered_at_ && now - *lowered_at_ >= kHeld) floor_ = {}, floored_ = {};
  floor_ = std::min(std::max(need * 2, floor_ * 2), terms_.most);
  floored_.extend(now);
  lowered_at_.reset();
}

// A need is lowered to what the job has used over whole windows, and only if it was free to use more, or is
// known to be starved.
std::optional<NeedChange> NeedWatch::lower(const Use& use, Cpu need, Yield yield, Instant now) {
  if (!use.need || !use.latest_need) return std::nullopt;
  if (use.throttled_in_window && yield >= kFullYield) return std::nullopt;
  Cpu target = std::max({with_headroom(*use.need), terms_.guaranteed, kLeastNeed});
  if (now < floored_.until) target = std::max(target, floor_);
  if (*use.latest_need > target || target + hysteresis(need) >= need) return std::nullopt;
  if (need > terms_.declared && probe_kept_at_ && now - *probe_kept_at_ < kHeld) no_probe_.extend(now);
  lowered_at_ = now;
  NeedChange lowered = change(target, ChangeKind::uses_less, use, now);
  lowered.used = *use.need;
  return lowered;
}

std::optional<NeedChange> NeedWatch::probe(const Use& use, Cpu need, Instant now) {
  const bool possible =
      terms_.mode == NeedMode::learned_up && need >= terms_.declared && need < terms_.most;
  if (!possible || !use.throttled || now < no_probe_.until) return std::nullopt;
  probe_ = {need, std::min(need * 2, terms_.most), now};
  forget();  // only what it uses from now on tells
  return change(probe_->tried, ChangeKind::probed, use, now);
}

// Kept if the job uses more. If there was no CPU to give it, it cannot.
std::optional<NeedChange> NeedWatch::conclude_probe(const Use& use, Cpu need, Instant now) {
  const Probe probe = *probe_;
  const bool is_late = now - probe.began >= kLongestProbe;
  if (!is_late && (now - probe.began < kProbe || !use.used_in_a_part)) return std::nullopt;
  probe_.reset();
  const bool is_made = need == probe.tried;
  if (is_made && use.used_in_a_part && *use.used_in_a_part > with_headroom(probe.before)) {
    probe_kept_at_ = now;
    return change(need, ChangeKind::probe_kept, use, now);
  }
  no_probe_.extend(now);
  return change(is_made ? probe.before : need, ChangeKind::probe_undone, use, now);
}

}  // namespace aliquot::needs
