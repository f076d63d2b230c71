#include "policies/placement/assign.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policies/placement/cells.hpp"

namespace aliquot::ip {

namespace {

struct Run {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  [[nodiscard]] std::uint32_t end() const { return first + count; }
};

// The nodes on which the same is free, as runs in increasing order.
struct Pool {
  Cell free;
  std::vector<Run> runs;

  void add(Run fresh) {
    auto at = std::lower_bound(runs.begin(), runs.end(), fresh.first,
                               [](const Run& run, std::uint32_t first) { return run.first < first; });
    if (at != runs.begin() && std::prev(at)->end() == fresh.first) {
      --at;
      at->count += fresh.count;
    } else {
      at = runs.insert(at, fresh);
    }
    const auto next = std::next(at);
    if (next == runs.end() || at->end() != next->first) return;
    at->count += next->count;
    runs.erase(next);
  }
};

// What one request has so far; empty: end == first.
struct Stretch {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  // Nodes between it and the run; 0 where there is nothing yet.
  [[nodiscard]] std::uint32_t away(const Run& run) const {
    if (end == first) return 0;
    if (run.first >= end) return run.first - end;
    return first >= run.end() ? first - run.end() : 0;
  }
  void include(const Run& run) {
    if (end == first) *this = {run.first, run.end()};
    first = std::min(first, run.first);
    end = std::max(end, run.end());
  }
};

// The run to take so many nodes from.
std::size_t best_run(const std::vector<Run>& runs, std::uint32_t nodes, const Stretch& has) {
  std::size_t best = 0;
  const auto rank = [&](const Run& run) {
    const bool enough = run.count >= nodes;
    const std::int64_t size = run.count;
    const std::uint32_t away = has.away(run);
    return std::tuple(enough ? 0 : 1, away == 0 ? 0 : 1, enough ? size : -size, away);
  };
  for (std::size_t r = 1; r < runs.size(); ++r) {
    if (rank(runs[r]) < rank(runs[best])) best = r;
  }
  return best;
}

class Assigner {
 public:
  explicit Assigner(const NodeCells& nodes) {
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      if (nodes[n]) pool(*nodes[n]).add({n, 1});
    }
  }

  // All takes of one request: what it leaves is given back only when it has all its nodes.
  void take(const Instance& instance, std::vector<Take>::const_iterator from,
            std::vector<Take>::const_iterator to, std::vector<Spot>& spots) {
    const Request& request = instance.requests[from->request];
    std::vector<std::pair<Cell, Run>> left;
    Stretch has;
    const auto begin = static_cast<std::ptrdiff_t>(spots.size());
    for (; from != to; ++from) {
      Cell after = from->from;
      ip::take(instance, request, from->units, from->device, after);
      std::vector<Run>& runs = pool(from->from).runs;
      for (std::uint32_t missing = from->nodes; missing > 0 && !runs.empty();) {
        const Run taken = cut(runs, missing, has);
        missing -= taken.count;
        has.include(taken);
        left.push_back({after, taken});
        for (std::uint32_t n = taken.first; n < taken.end(); ++n)
          spots.push_back({from->request, n, from->units, from->device});
      }
    }
    for (const auto& [free, run] : left) pool(free).add(run);
    std::sort(spots.begin() + begin, spots.end(),
              [](const Spot& a, const Spot& b) { return a.node < b.node; });
  }

 private:
  Pool& pool(const Cell& free) {
    const auto same =
        std::find_if(pools_.begin(), pools_.end(), [&](const Pool& p) { return p.free == free; });
    if (same != pools_.end()) return *same;
    pools_.push_back({free, {}});
    return pools_.back();
  }

  static Run cut(std::vector<Run>& runs, std::uint32_t nodes, const Stretch& has) {
    const std::size_t r = best_run(runs, nodes, has);
    Run& run = runs[r];
    Run taken{run.first, std::min(nodes, run.count)};
    // From the end that is nearer to what the request has.
    if (has.end > has.first && run.end() <= has.first) taken.first = run.end() - taken.count;
    if (taken.first == run.first) run.first += taken.count;
    run.count -= taken.count;
    if (run.count == 0) runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(r));
    return taken;
  }

  std::vector<Pool> pools_;
};

}  // namespace

std::vector<NodeClass> classes_of(const NodeCells& nodes) {
  std::vector<NodeClass> classes;
  for (const std::optional<Cell>& node : nodes) {
    if (!node) continue;
    // Neighbours are often alike: from the back.
    const auto same =
        std::find_if(classes.rbegin(), classes.rend(), [&](const NodeClass& c) { return c.free == *node; });
    if (same != classes.rend()) {
      ++same->count;
    } else {
      classes.push_back({*node, 1});
    }
  }
  return classes;
}

std::vector<Spot> assign(const Instance& instance, const Answer& answer, const NodeCells& nodes) {
  std::vector<Spot> spots;
  Assigner assigner(nodes);
  for (auto from = answer.takes.begin(); from != answer.takes.end();) {
    const auto to = std::find_if(from, answer.takes.end(),
                                 [&](const Take& take) { return take.request != from->request; });
    assigner.take(instance, from, to, spots);
    from = to;
  }
  return spots;
}

}  // namespace aliquot::ip
