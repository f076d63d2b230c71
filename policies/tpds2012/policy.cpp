#include "policies/tpds2012/policy.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "policies/dfrs/estimated_stretch.hpp"
#include "policies/dfrs/fair_yields.hpp"
#include "policies/dfrs/level_yields.hpp"
#include "policies/dfrs/repack.hpp"
#include "policies/reasons.hpp"
#include "policies/tpds2012/mean_yield.hpp"

namespace aliquot {

namespace {

using Submit = Tpds2012Spec::Submit;
using Tick = Tpds2012Spec::Tick;
using Opt = Tpds2012Spec::Opt;
using Pin = Tpds2012Spec::Pin;

constexpr std::array<const char*, 5> kWords = {"Greedy", "GreedyP", "GreedyPM", "MCB8", ""};
constexpr std::int64_t kMostSeconds = kLongestPeriod.raw / kMillion;

// An option that sets one of the spec's choices to `value` and gives its seconds. Without `=`, the seconds
// are those of `without_value`, if there are any.
template <class Choice>
PolicyOption<Tpds2012Spec> choice_with_seconds(const char* key, const char* values, const char* group,
                                               Choice Tpds2012Spec::*choice, Choice value,
                                               Duration Tpds2012Spec::*field,
                                               std::optional<Duration> without_value) {
  return {{key, values, seconds_rule(1, kMostSeconds), seconds_text(kDefaultPeriod), group},
          [=](Tpds2012Spec& spec, std::optional<std::string_view> text) {
            const auto read = text ? whole_seconds(text, 1, kMostSeconds) : without_value;
            if (read) spec.*field = *read;
            spec.*choice = value;
            return read.has_value();
          },
          [=](const Tpds2012Spec& spec) {
            return spec.*choice == value ? std::optional(seconds_text(spec.*field)) : std::nullopt;
          }};
}

std::string conflict(const Tpds2012Spec& spec, std::string_view text) {
  if (spec.submit == Submit::wait && spec.tick == Tick::none)
    return "a policy that places nothing at a submission needs a period: write " +
           quoted(std::string(text) + "/per=600");
  if (spec.pin != Pin::none && !spec.packs())
    return "MINVT and MINFT pin jobs when all are packed anew, which this policy never does: leave them "
           "out, or add /per=600";
  return {};
}

PolicyGrammar<Tpds2012Spec> grammar(Submit submit) {
  using Spec = Tpds2012Spec;
  return {kWords[static_cast<std::size_t>(submit)],
          {submit},
          '/',
          {flag("*", &Spec::star),
           choice_with_seconds("/per", "[=T]", "period", &Spec::tick, Tick::yield, &Spec::period,
                               kDefaultPeriod),
           choice_with_seconds("/stretch-per", "[=T]", "period", &Spec::tick, Tick::stretch, &Spec::period,
                               kDefaultPeriod),
           choice<Spec, Opt>("/OPT", &Spec::opt, {{"MIN", Opt::min}, {"AVG", Opt::avg}, {"MAX", Opt::max}}),
           choice_with_seconds("/MINVT", "=s", "pin", &Spec::pin, Pin::virtual_time, &Spec::pin_below, {}),
           choice_with_seconds("/MINFT", "=s", "pin", &Spec::pin, Pin::flow_time, &Spec::pin_below, {})},
          conflict,
          [](Spec& spec) { return spec.tick == Tick::none ? nullptr : &spec.period; }};
}

}  // namespace

const PolicyGrammar<Tpds2012Spec>& grammar_of(Submit submit) {
  static const std::array grammars = {grammar(Submit::greedy), grammar(Submit::greedy_pause),
                                      grammar(Submit::greedy_move), grammar(Submit::pack),
                                      grammar(Submit::wait)};
  return grammars[static_cast<std::size_t>(submit)];
}

std::string to_string(const Tpds2012Spec& spec) { return grammar_of(spec.submit).print(spec); }

std::optional<Duration> Tpds2012Policy::period() const {
  if (spec_.tick == Tick::none) return std::nullopt;
  return spec_.period;
}

bool Tpds2012Policy::packs_now(const Cause& cause) const {
  if (cause.tick && spec_.tick != Tick::none) return true;
  if (spec_.submit != Submit::pack) return false;
  return !cause.arrived.empty() || cause.disturbed || (spec_.star && has_event(cause));
}

// Whether all jobs that wait or are paused are tried. A greedy policy with `*` does so at submissions too:
// pausing a large job for a small one leaves free capacity for others.
bool Tpds2012Policy::tries_all(const Cause& cause) const {
  if (cause.disturbed) return true;
  if (!spec_.star) return false;
  return cause.completed || (spec_.submit != Submit::wait && has_event(cause));
}

GreedyRules Tpds2012Policy::rules(const Cause& cause) const {
  const Preemption preemption = spec_.submit == Submit::greedy_pause  ? Preemption::pause
                                : spec_.submit == Submit::greedy_move ? Preemption::pause_or_move
                                                                      : Preemption::none;
  const bool backs_off = !spec_.star && spec_.tick == Tick::none;
  return {preemption, spec_.submit != Submit::wait, tries_all(cause), backs_off};
}

Duration Tpds2012Policy::horizon(const ClusterView& view) const {
  return time_to_next_event(view, spec_.tick == Tick::none ? kDefaultPeriod : spec_.period);
}

void Tpds2012Policy::pack_anew(Draft& draft) const {
  const ClusterView& view = draft.view();
  for (std::size_t i = 0; i < draft.size() && spec_.pin != Pin::none; ++i) {
    const Job& job = draft.job(i);
    const bool young = spec_.pin == Pin::virtual_time
                           ? job.progress.at(view.now) < spec_.pin_below * kFullYield
                           : view.now - job.submitted < spec_.pin_below;
    if (draft.placed(i) && young) draft.fix(i);
  }
  const bool for_stretch = spec_.tick == Tick::stretch;
  repack(draft, for_stretch ? estimated_stretch_objective(view.now, horizon(view)) : min_yield_objective());
}

Yields Tpds2012Policy::yields(const Draft& draft) const {
  const Duration ahead = horizon(draft.view());
  const PackingObjective stretch = estimated_stretch_objective(draft.view().now, ahead);
  const bool for_stretch = spec_.tick == Tick::stretch;
  switch (spec_.opt) {
    case Opt::usual:
      return for_stretch ? stretch_yields(draft, ahead) : fair_yields(draft);
    case Opt::min:
      return progressive_filling(draft, min_yield_objective());
    case Opt::avg:
      return maximize_mean_yield(draft,
                                 for_stretch ? common_level_yields(draft, stretch) : max_min_yields(draft));
    case Opt::max:
      return progressive_filling(draft, stretch);
  }
  return fair_yields(draft);
}

Plan Tpds2012Policy::decide(const ClusterView& view) const {
  Draft draft(view);
  if (packs_now(view.cause)) {
    pack_anew(draft);
  } else {
    place_greedily(draft, rules(view.cause));
  }
  Plan plan = draft.plan(yields(draft));
  back_off(draft, rules(view.cause), plan);
  return plan;
}

Explanation Tpds2012Policy::explain(const ClusterView& view, JobId id) const {
  const Draft draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_reason(draft, i)) return *plain;
  return greedy_reason(draft, i, spec_.tick != Tick::none);
}

}  // namespace aliquot
