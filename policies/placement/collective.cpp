#include "policies/placement/collective.hpp"

#include <algorithm>
#include <charconv>

#include "policies/dfrs/average_yield.hpp"
#include "policies/placement/auction.hpp"
#include "policies/placement/settle.hpp"
#include "policies/placement/starts.hpp"
#include "policies/placement/why.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

constexpr std::string_view kNote = "window=";

// What the window was halved to (PolicyMemory::note); the usual size where nothing is noted.
std::uint32_t noted_window(const PolicyMemory& memory, std::uint32_t usual) {
  std::string_view note = memory.note;
  if (!note.starts_with(kNote)) return usual;
  note.remove_prefix(kNote.size());
  std::uint32_t size = 0;
  const auto [end, error] = std::from_chars(note.data(), note.data() + note.size(), size);
  const bool sound = error == std::errc() && end == note.data() + note.size() && size >= 1;
  return sound ? std::min(size, usual) : usual;
}

PolicyMemory memory_of(std::uint32_t window, std::uint32_t usual) {
  PolicyMemory memory;
  if (window < usual) memory.note = std::string(kNote) + std::to_string(window);
  return memory;
}

// One collective decision over a draft.
class Round {
 public:
  Round(Draft& draft, const CollectiveSpec& spec, std::uint32_t most, const ip::Solver& solver)
      : draft_(draft),
        spec_(spec),
        starts_(draft),
        waiting_(by_priority(draft, spec)),
        window_(window_of(draft, starts_.free(), waiting_, spec, most)) {
    for (const std::size_t i : window_.entries)
      contiguous_.push_back(draft.job(i).demand.spread.contiguous);
    const bool auction = spec.kind == CollectiveSpec::Kind::aucsched;
    window_.instance.nodes_cost = !auction;
    settled_ = settle(window_, contiguous_, spec.effort, solver);
    if (auction) hold_auction(window_, contiguous_, spec.max_bids, settled_);
  }

  void start() {
    // Slices as they were picked one after the other; of whole devices one is as good as another.
    for (const std::uint32_t request : settled_.order) {
      if (is_slice(request) && !settled_.spots[request].empty())
        starts_.put(window_, settled_.spots[request]);
    }
    for (std::uint32_t request = 0; request < settled_.spots.size(); ++request) {
      if (!is_slice(request) && !settled_.spots[request].empty())
        starts_.put(window_, settled_.spots[request]);
    }
    for (const std::size_t i : window_.others) starts_.put_alone(i);
  }

  [[nodiscard]] bool finished() const { return settled_.finished; }
  [[nodiscard]] Plan plan() const { return starts_.plan(); }
  [[nodiscard]] const Window& window() const { return window_; }
  [[nodiscard]] const Settlement& settled() const { return settled_; }
  [[nodiscard]] bool behind_window(std::size_t entry) const {
    const auto among = [&](const std::vector<std::size_t>& in) {
      return std::find(in.begin(), in.end(), entry) != in.end();
    };
    return !among(window_.entries) && !among(window_.others);
  }

 private:
  [[nodiscard]] bool is_slice(std::uint32_t request) const {
    return window_.instance.requests[request].is_slice();
  }

  Draft& draft_;
  const CollectiveSpec& spec_;
  Starts starts_;
  std::vector<std::size_t> waiting_;
  Window window_;
  std::vector<bool> contiguous_;
  Settlement settled_;
};

}  // namespace

Plan Collective::decide(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  const std::uint32_t size = spec_.paper ? noted_window(view.memory, spec_.window) : spec_.window;
  if (!view.cause.tick) {
    Plan plan = draft.plan(fair_yields(draft));
    plan.memory = memory_of(size, spec_.window);
    return plan;
  }
  Round round(draft, spec_, size, solver_);
  const bool keep = round.finished() || !spec_.paper;
  if (keep) round.start();
  Plan plan = round.plan();
  const std::uint32_t doubled = size > spec_.window / 2 ? spec_.window : 2 * size;
  plan.memory = memory_of(keep ? doubled : std::max(1U, size / 2), spec_.window);
  return plan;
}

std::optional<ProvenGap> Collective::proven_gap(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  const std::uint32_t size = spec_.paper ? noted_window(view.memory, spec_.window) : spec_.window;
  const Round round(draft, spec_, size, solver_);
  const Settlement& settled = round.settled();
  ProvenGap proven;
  const double unit = 2.0 * round.window().instance.nodes;
  proven.incumbent = static_cast<double>(settled.incumbent) / unit;
  proven.bound = static_cast<double>(settled.bound) / unit;
  if (settled.bound > 0) {
    proven.gap =
        static_cast<double>(settled.bound - settled.incumbent) / static_cast<double>(settled.bound);
  }
  proven.jobs = static_cast<std::uint32_t>(round.window().entries.size());
  proven.classes = static_cast<std::uint32_t>(round.window().instance.classes.size());
  proven.work = settled.work;
  proven.finished = settled.finished;
  proven.solver = word(spec_.solver);
  return proven;
}

Explanation Collective::explain(const ClusterView& view, JobId id) const {
  Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_reason(draft, i)) return *plain;
  if (auto never = never_whole(draft, i)) return *never;
  Explanation why;
  if (!Starts(draft).room_for(i)) {
    why = no_room(draft, i);
  } else {
    Draft after = placing_draft(view);
    Round round(after, spec_, spec_.window, solver_);
    round.start();
    why.nodes = {};
    if (after.placed(i)) {
      why.reason = Reason::waiting_for_tick;
      why.text = "would start now: this policy starts jobs every " + text_of(spec_.interval);
    } else if (round.behind_window(i)) {
      why.reason = Reason::behind_in_queue;
      why.text = "stands behind the window: the first " + std::to_string(spec_.window) +
                 " jobs by priority are looked at";
    } else {
      why.reason = Reason::lower_priority;
      why.text =
          "there is room for it alone, but the jobs of the window that start instead of it are worth "
          "more together";
    }
  }
  why.retry_at = view.next_tick;
  return why;
}

}  // namespace aliquot
