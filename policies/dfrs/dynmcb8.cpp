#include "policies/dfrs/dynmcb8.hpp"

#include <array>
#include <memory_resource>
#include <utility>

#include "policies/dfrs/bins.hpp"
#include "policies/dfrs/estimated_stretch.hpp"
#include "policies/dfrs/fair_yields.hpp"
#include "policies/dfrs/greedy_placement.hpp"
#include "policies/dfrs/repack.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

using Variant = DynMcb8Spec::Variant;

constexpr std::array<const char*, 4> kWords = {"DYNMCB8", "DYNMCB8-PER", "DYNMCB8-ASAP-PER",
                                               "DYNMCB8-STRETCH-PER"};

PolicyOption<DynMcb8Spec> period_suffix() {
  const std::int64_t most = kLongestPeriod.raw / kMillion;
  return {{kPeriodSuffix, "", seconds_rule(1, most), seconds_text(kDefaultPeriod)},
          [most](DynMcb8Spec& spec, std::optional<std::string_view> value) {
            spec.period = whole_seconds(value, 1, most);
            return spec.period.has_value();
          },
          [](const DynMcb8Spec& spec) { return std::optional(seconds_text(*spec.period)); }};
}

PolicyGrammar<DynMcb8Spec> grammar(Variant variant) {
  PolicyGrammar<DynMcb8Spec> grammar{kWords[static_cast<std::size_t>(variant)], {variant}};
  if (variant != Variant::at_every_event) {
    grammar.defaults.period = kDefaultPeriod;
    grammar.options.push_back(period_suffix());
    grammar.period = [](DynMcb8Spec& spec) { return &*spec.period; };
  }
  // The exact packing proves yields, and STRETCH packs for another level.
  if (variant != Variant::stretch_periodic) grammar.options.push_back(flag("+exact", &DynMcb8Spec::exact));
  grammar.options.push_back(flag("+match", &DynMcb8Spec::match));
  return grammar;
}

constexpr std::size_t kBytesEach = 512;  // that a decision needs at most for a job or a node

}  // namespace

const PolicyGrammar<DynMcb8Spec>& grammar_of(Variant variant) {
  static const std::array grammars = {grammar(Variant::at_every_event), grammar(Variant::periodic),
                                      grammar(Variant::asap_periodic), grammar(Variant::stretch_periodic)};
  return grammars[static_cast<std::size_t>(variant)];
}

std::string to_string(const DynMcb8Spec& spec) { return grammar_of(spec.variant).print(spec); }

Duration DynMcb8::horizon(const ClusterView& view) const { return time_to_next_event(view, *spec_.period); }

PackingObjective DynMcb8::objective(const ClusterView& view) const {
  return for_stretch() ? estimated_stretch_objective(view.now, horizon(view)) : min_yield_objective();
}

Plan DynMcb8::plan(const Draft& draft) const {
  return draft.plan(for_stretch() ? stretch_yields(draft, horizon(draft.view())) : fair_yields(draft));
}

void DynMcb8::place_arrived(Draft& draft) const {
  for (JobId id : draft.view().cause.arrived) {
    if (!draft.view().jobs.contains(id)) continue;
    const std::size_t i = draft.index_of(id);
    if (draft.candidate(i)) place_greedily(draft, i);
  }
}

Plan DynMcb8::decide(const ClusterView& view) const {
  // One block, large enough: the allocator then keeps its pages from decision to decision.
  std::pmr::monotonic_buffer_resource memory(kBytesEach * (view.jobs.size() + view.nodes.size() + 1));
  if (view.cause.tick || spec_.variant == DynMcb8Spec::Variant::at_every_event) {
    Draft draft(view, Draft::Start::only_fixed, &memory);
    repack(draft, objective(view), {spec_.match, spec_.exact});
    return plan(draft);
  }
  // All jobs that stand have all they need, and none has arrived.
  if (!for_stretch() && view.cause.arrived.empty() && view.index.kept() && view.index.all_served())
    return {};
  Draft draft(view, Draft::Start::as_in_force, &memory);
  if (spec_.variant == DynMcb8Spec::Variant::asap_periodic) place_arrived(draft);
  return plan(draft);
}

Explanation DynMcb8::explain(const ClusterView& view, JobId id) const {
  Draft draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_reason(draft, i)) return *plain;

  Explanation why;
  Draft packed(view, Draft::Start::only_fixed);
  repack(packed, objective(view), {spec_.match});
  if (packed.placed(i)) {
    why.reason = spec_.period ? Reason::waiting_for_tick : Reason::lower_priority;
    why.text = "asks for " + tasks_text(draft.job(i).demand) + "; packed anew now, it would be placed";
    why.text += spec_.period ? ": this policy places at its period of " + text_of(*spec_.period)
                             : ", and will be at the next event";
  } else {
    // It is left out although only fixed jobs must stay: either these are in the way, or jobs of higher
    // priority are.
    const Draft only_fixed(view, Draft::Start::only_fixed);
    if (!Bins(only_fixed).fits(draft.job(i).demand)) {
      why = capacity_reason(only_fixed, i);
    } else {
      why.reason = Reason::lower_priority;
      why.tightest = "memory";
      why.text = "asks for " + tasks_text(draft.job(i).demand) +
                 "; packed out in favour of jobs of higher priority: its priority grows while it waits";
      why.held_by = largest_holders(packed, i, [&](std::size_t j) {
        return (packed.job(j).demand.memory * packed.job(j).demand.tasks).raw;
      });
    }
  }
  if (spec_.period) why.retry_at = view.next_tick;
  return why;
}

}  // namespace aliquot
