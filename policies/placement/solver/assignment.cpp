#include "policies/placement/solver/assignment.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policies/placement/model/devices.hpp"

namespace aliquot::ip {

namespace {

// Neighbouring nodes.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  [[nodiscard]] std::uint32_t end() const { return first + count; }
};

// The nodes of a class, as runs in increasing order.
struct ClassNodes {
  FreeResources free;
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

// From the first to the last node that a request has so far; empty: none.
struct Extent {
  std::uint32_t first = 0;
  std::uint32_t end = 0;

  [[nodiscard]] bool empty() const { return first == end; }
  // Nodes between it and the run; 0 also if it is empty.
  [[nodiscard]] std::uint32_t distance(const Run& run) const {
    if (empty()) return 0;
    if (run.first >= end) return run.first - end;
    return first >= run.end() ? first - run.end() : 0;
  }
  void include(const Run& run) {
    if (empty()) *this = {run.first, run.end()};
    first = std::min(first, run.first);
    end = std::max(end, run.end());
  }
};

std::vector<Run>::iterator best_run(std::vector<Run>& runs, std::uint32_t nodes, const Extent& extent) {
  const auto rank = [&](const Run& run) {
    const bool long_enough = run.count >= nodes;
    const std::int64_t length = run.count;
    const std::uint32_t distance = extent.distance(run);
    return std::tuple(!long_enough, distance > 0, long_enough ? length : -length, distance);
  };
  return std::min_element(runs.begin(), runs.end(),
                          [&](const Run& a, const Run& b) { return rank(a) < rank(b); });
}

// Takes at most so many nodes out of the runs.
Run take_run(std::vector<Run>& runs, std::uint32_t nodes, const Extent& extent) {
  const auto run = best_run(runs, nodes, extent);
  Run taken{run->first, std::min(nodes, run->count)};
  // From the end that is nearer to the request's other nodes.
  if (!extent.empty() && run->end() <= extent.first) taken.first = run->end() - taken.count;
  if (taken.first == run->first) run->first += taken.count;
  run->count -= taken.count;
  if (run->count == 0) runs.erase(run);
  return taken;
}

class Assigner {
 public:
  explicit Assigner(const NodeResources& nodes) {
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      if (nodes[n]) nodes_of(*nodes[n]).add({n, 1});
    }
  }

  using Allocations = std::vector<ClassAllocation>::const_iterator;

  // All allocations of one request: its nodes join their new classes only when it has all of them.
  void assign(const Instance& instance, Allocations from, Allocations to,
              std::vector<NodeAllocation>& assigned) {
    std::vector<std::pair<FreeResources, Run>> changed;
    Extent extent;
    const auto begin = static_cast<std::ptrdiff_t>(assigned.size());
    for (; from != to; ++from) {
      FreeResources after = from->from;
      allocate(instance, instance.requests[from->request], from->units, from->device, after);
      std::vector<Run>& runs = nodes_of(from->from).runs;
      for (std::uint32_t missing = from->nodes; missing > 0 && !runs.empty();) {
        const Run taken = take_run(runs, missing, extent);
        missing -= taken.count;
        extent.include(taken);
        changed.push_back({after, taken});
        for (std::uint32_t n = taken.first; n < taken.end(); ++n)
          assigned.push_back({from->request, n, from->units, from->device});
      }
    }
    for (const auto& [free, run] : changed) nodes_of(free).add(run);
    std::sort(assigned.begin() + begin, assigned.end(),
              [](const NodeAllocation& a, const NodeAllocation& b) { return a.node < b.node; });
  }

 private:
  ClassNodes& nodes_of(const FreeResources& free) {
    const auto same =
        std::find_if(classes_.begin(), classes_.end(), [&](const ClassNodes& c) { return c.free == free; });
    return same != classes_.end() ? *same : classes_.emplace_back(ClassNodes{free, {}});
  }

  std::vector<ClassNodes> classes_;
};

}  // namespace

std::vector<NodeAllocation> assign(const Instance& instance, const Answer& answer,
                                   const NodeResources& nodes) {
  std::vector<NodeAllocation> assigned;
  Assigner assigner(nodes);
  for (auto from = answer.allocations.begin(); from != answer.allocations.end();) {
    const auto to = std::find_if(from, answer.allocations.end(),
                                 [&](const ClassAllocation& a) { return a.request != from->request; });
    assigner.assign(instance, from, to, assigned);
    from = to;
  }
  return assigned;
}

}  // namespace aliquot::ip
