#include "policies/evolving/fit_policy.hpp"

#include <algorithm>
#include <utility>

#include "policies/batch/queue.hpp"
#include "policies/dfrs/fair_yields.hpp"
#include "policies/evolving/rest.hpp"
#include "policies/reasons.hpp"

namespace aliquot::evolving {
namespace {

// "/expand=2", "/expand=inf".
PolicyOption<FitSpec> expand_option() {
  return {{"/expand", "=L", "a whole number from 1 to " + std::to_string(kHighestExpandLimit) + ", or inf",
           "2"},
          [](FitSpec& spec, std::optional<std::string_view> value) {
            const bool is_unlimited = value == "inf";
            const auto limit = whole_number(value.value_or(""), 1, kHighestExpandLimit);
            spec.expand = limit;
            return is_unlimited || limit;
          },
          [](const FitSpec& spec) {
            return std::optional(spec.expand ? std::to_string(*spec.expand) : std::string("inf"));
          }};
}

// Without expansion there is nothing to take back.
std::string conflict(const FitSpec& spec, std::string_view) {
  return spec.compact && spec.expand == 1 ? "/compact needs an expand limit, such as /expand=inf" : "";
}

bool any_idle(const Draft& draft) {
  for (std::size_t n = 0; n < draft.nodes(); ++n)
    if (idle(draft, n)) return true;
  return false;
}

std::int64_t usable_nodes(const ClusterView& view) {
  return std::ranges::count_if(view.nodes, &Node::usable);
}

// On so many the tasks of the job can stand.
std::int64_t suitable_nodes(const ClusterView& view, const Demand& demand) {
  return std::ranges::count_if(view.nodes,
                               [&](const Node& node) { return node.usable() && suits(node, demand); });
}

// What is in use from now on: by the jobs of the draft, then by those that are scheduled.
class Schedule {
 public:
  // Requires: a usable node.
  Schedule(const Draft& draft, const FitRule& rule)
      : draft_(draft), rule_(rule), resources_(usable_nodes(draft.view())) {
    const Yields yields = fair_yields(draft);
    for (std::size_t i = 0; i < draft.size(); ++i)
      if (draft.placed(i)) hold(i, yields[i]);
  }

  // Fits the job beside all that is in use (Algorithm 1). When it starts; kNever: beyond all time.
  Instant add(std::size_t i) {
    const ClusterView& view = draft_.view();
    const Job& job = draft_.job(i);
    const EvolutionProfile all = rest_of(view, job, kFullYield, suitable_nodes(view, job.demand));
    const auto scheduled = fit(all, resources_, rule_, view.now);
    if (!scheduled) return kNever;
    resources_.occupy(*scheduled);
    return scheduled->start;
  }

 private:
  // A job that runs has its steps when its virtual time comes to them: nothing is left to choose. Tasks
  // beyond the first of a node, or on nodes that take nothing new, use none of the nodes counted.
  void hold(std::size_t i, Yield yield) {
    const ClusterView& view = draft_.view();
    const Job& job = draft_.job(i);
    const auto here = std::ranges::count_if(
        draft_.placement(i), [&](const Share& share) { return draft_.node(share.node.raw).usable(); });
    const std::int64_t uncounted = std::int64_t{job.demand.tasks} - here;
    const EvolutionProfile rest = rest_of(view, job, yield, suitable_nodes(view, job.demand) + uncounted);
    Instant from = view.now;
    for (const ProfileStep& step : rest.steps()) {
      const std::int64_t nodes = std::max(step.nodes - uncounted, std::min<std::int64_t>(here, 1));
      if (nodes > 0) resources_.occupy({from, *EvolutionProfile::of({{step.duration, nodes}})});
      from = from + step.duration;
    }
  }

  const Draft& draft_;
  const FitRule rule_;
  ResourceProfile resources_;
};

// The idle nodes that suit the job, at most one for each task.
void keep_for(const Draft& draft, const Demand& demand, std::vector<bool>& kept) {
  std::uint32_t missing = demand.tasks;
  for (std::size_t n = 0; n < draft.nodes() && missing > 0; ++n) {
    if (kept[n] || !idle(draft, n) || !suits(draft.node(n), demand)) continue;
    kept[n] = true;
    --missing;
  }
}

struct Started {
  bool any = false;
  std::optional<Instant> next;  // when the next job is to start, if one is
};

// Starts the jobs whose start is now.
Started start_due(Draft& draft, const FitRule& rule) {
  Schedule schedule(draft, rule);
  std::vector<bool> kept(draft.nodes());
  Started started;
  Instant next = kNever;
  for (const std::size_t i : fifo_queue(draft)) {
    const Demand& demand = draft.job(i).demand;
    if (const Instant start = schedule.add(i); start > draft.view().now) {
      next = std::min(next, start);
    } else if (Placement nodes = whole_nodes(draft, demand, kept); !nodes.empty()) {
      draft.place(i, std::move(nodes));
      started.any = true;
    } else {
      keep_for(draft, demand, kept);
    }
  }
  if (next < kNever) started.next = next;
  return started;
}

}  // namespace

const PolicyGrammar<FitSpec>& fit_grammar() {
  static const PolicyGrammar<FitSpec> grammar{
      "FIT", {}, '/', {expand_option(), flag("/compact", &FitSpec::compact)}, conflict};
  return grammar;
}

Plan Fit::decide(const ClusterView& view) const {
  Draft draft(view);
  Started started;
  // Once it runs, a job has its steps when they are due, not when they were fitted: the others are
  // scheduled beside that. Without expansion both are the same.
  do {
    started = any_idle(draft) ? start_due(draft, spec_.rule()) : Started{};
  } while (started.any && spec_.expand != 1);
  Plan plan = draft.plan(fair_yields(draft));
  // Where no node is idle, nothing can start before something ends or shrinks.
  if (any_idle(draft)) plan.wake_at = started.next;
  return plan;
}

Explanation Fit::explain(const ClusterView& view, JobId id) const {
  const Draft draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_batch_reason(draft, i)) return *plain;
  Explanation why = busy_reason(draft, i);
  Schedule schedule(draft, spec_.rule());
  for (const std::size_t other : fifo_queue(draft)) {
    const Instant start = schedule.add(other);
    if (other != i) continue;
    if (start > view.now && !whole_nodes(draft, draft.job(i).demand).empty()) {
      why.reason = Reason::reserved;
      why.text += "; the nodes of all its steps beside those of earlier jobs are not free yet";
    }
    if (start == kNever) return why;
    why.retry_at = start;
    why.text += "; it is scheduled to start in " + text_of(start - view.now);
    return why;
  }
  return why;
}

}  // namespace aliquot::evolving
