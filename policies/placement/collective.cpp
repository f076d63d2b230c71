#include "policies/placement/collective.hpp"

#include <algorithm>

#include "policies/dfrs/fair_yields.hpp"
#include "policies/placement/allocation.hpp"
#include "policies/placement/auction/auction.hpp"
#include "policies/placement/explanations.hpp"
#include "policies/placement/window_state.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

// The usual window, or with /paper the one to which it has been halved.
std::uint32_t window_size(const PolicyMemory& memory, const CollectiveSpec& spec) {
  const auto* const halved = spec.paper ? memory.state_as<WindowState>() : nullptr;
  return halved ? std::min(halved->window(), spec.window) : spec.window;
}

// One collective decision over a draft.
class CollectiveDecision {
 public:
  CollectiveDecision(Draft& draft, const CollectiveSpec& spec, std::uint32_t window_size,
                     const ip::Solver& solver)
      : allocation_(draft),
        window_(
            window_of(draft, allocation_.free_devices_now(), by_priority(draft, spec), spec, window_size)) {
    const bool auction = spec.kind == CollectiveSpec::Kind::aucsched;
    window_.instance.nodes_cost = !auction;
    placement_ = place_window(window_, spec.effort, solver);
    if (auction) run_auction(window_, spec.max_bids, placement_);
  }

  void carry_out() {
    // Slices in the order in which their devices were chosen; whole devices are interchangeable.
    for (const std::uint32_t request : placement_.order) {
      if (window_.instance.requests[request].is_slice()) start(request);
    }
    for (std::uint32_t request = 0; request < placement_.allocations.size(); ++request) {
      if (!window_.instance.requests[request].is_slice()) start(request);
    }
    for (const std::size_t i : window_.others) allocation_.place_alone(i);
  }

  [[nodiscard]] Plan plan() const { return allocation_.plan(); }
  [[nodiscard]] const Window& window() const { return window_; }
  [[nodiscard]] const WindowPlacement& placement() const { return placement_; }

 private:
  void start(std::uint32_t request) {
    if (placement_.starts(request)) allocation_.place(window_, placement_.allocations[request]);
  }

  Allocation allocation_;
  Window window_;
  WindowPlacement placement_;
};

}  // namespace

Plan Collective::decide(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  const std::uint32_t size = window_size(view.memory, spec_);
  if (!view.cause.tick) {
    Plan plan = draft.plan(fair_yields(draft));
    plan.memory.state = view.memory.state;
    return plan;
  }
  CollectiveDecision decision(draft, spec_, size, solver_);
  const bool keep = decision.placement().finished || !spec_.paper;
  if (keep) decision.carry_out();
  Plan plan = decision.plan();
  const std::uint32_t doubled = size > spec_.window / 2 ? spec_.window : 2 * size;
  plan.memory.state = WindowState::after_look(draft, keep ? doubled : std::max(1U, size / 2), spec_.window);
  return plan;
}

std::optional<ProvenGap> Collective::proven_gap(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  const std::uint32_t size = window_size(view.memory, spec_);
  const CollectiveDecision decision(draft, spec_, size, solver_);
  const ip::Instance& instance = decision.window().instance;
  const WindowPlacement& placement = decision.placement();
  ProvenGap proven;
  const double unit = 2.0 * instance.nodes;
  proven.incumbent = static_cast<double>(placement.incumbent) / unit;
  proven.bound = static_cast<double>(placement.bound) / unit;
  if (placement.bound > 0) {
    proven.gap =
        static_cast<double>(placement.bound - placement.incumbent) / static_cast<double>(placement.bound);
  }
  proven.jobs = static_cast<std::uint32_t>(instance.requests.size());
  proven.classes = static_cast<std::uint32_t>(instance.classes.size());
  proven.work = placement.work;
  proven.finished = placement.finished;
  proven.solver = word(spec_.solver);
  return proven;
}

Explanation Collective::explain(const ClusterView& view, JobId id) const {
  Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_whole_reason(draft, i)) return *plain;
  const std::vector<std::size_t> order = by_priority(draft, spec_);
  const bool in_window = std::ranges::find(order, i) - order.begin() < spec_.window;
  return interval_reason(
      draft, i, "this policy starts jobs", spec_.interval,
      in_window
          ? explained(
                Reason::lower_priority,
                "there is room for it alone, but when this policy last looked, jobs that are worth more "
                "together had it")
          : explained(Reason::behind_in_queue, "stands behind the window: the first " +
                                                   std::to_string(spec_.window) +
                                                   " jobs by priority are looked at"));
}

}  // namespace aliquot
