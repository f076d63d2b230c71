#include "policies/placement/window_placement.hpp"

#include <algorithm>
#include <numeric>

#include "policies/placement/model/runs.hpp"
#include "policies/placement/solver/assignment.hpp"

namespace aliquot {

namespace {

void assign_nodes(const ip::Instance& instance, const ip::Answer& answer, WindowPlacement& placement) {
  const std::vector<ip::NodeAllocation> assigned = ip::assign(instance, answer, placement.left);
  for (const ip::NodeAllocation& a : assigned) {
    if (!placement.starts(a.request)) placement.order.push_back(a.request);
    placement.allocations[a.request].push_back(a);
  }
  ip::allocate(instance, assigned, placement.left);
}

// The contiguous requests that were chosen, by falling weight; one for which no run is left waits.
void assign_runs(const ip::Instance& instance, const ip::Answer& answer, WindowPlacement& placement) {
  for (const std::uint32_t request : by_weight(instance)) {
    const bool chosen = std::ranges::binary_search(answer.chosen, request, {}, &ip::Chosen::request);
    if (!chosen || !instance.requests[request].contiguous) continue;
    placement.allocations[request] =
        ip::shortest_run(instance.requests[request], ip::fits_of(instance, request, placement.left));
    ip::allocate(instance, placement.allocations[request], placement.left);
    placement.order.push_back(request);
  }
}

// The bound where free amounts were rounded: down, they hold less than there is.
ip::Value bound_of_ceiling(const Window& window, std::uint64_t effort, const ip::Solver& solver,
                           std::uint64_t& work) {
  ip::Instance ceiling = window.instance;
  ceiling.classes = window.ceiling;
  const ip::Answer answer = solver(ceiling, effort);
  work += answer.work;
  return answer.bound;
}

}  // namespace

std::vector<std::uint32_t> by_weight(const ip::Instance& instance) {
  std::vector<std::uint32_t> order(instance.requests.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return instance.requests[a].weight > instance.requests[b].weight;
  });
  return order;
}

WindowPlacement place_window(const Window& window, std::uint64_t effort, const ip::Solver& solver) {
  const ip::Instance& instance = window.instance;
  WindowPlacement placement;
  placement.allocations.resize(instance.requests.size());
  placement.left = window.nodes;
  const ip::Answer answer = solver(instance, effort);
  placement.bound = answer.bound;
  placement.work = answer.work;
  placement.finished = answer.finished;
  if (!window.ceiling.empty())
    placement.bound = std::max(placement.bound, bound_of_ceiling(window, effort, solver, placement.work));
  const bool needs_runs =
      std::any_of(answer.chosen.begin(), answer.chosen.end(),
                  [&](const ip::Chosen& chosen) { return instance.requests[chosen.request].contiguous; });
  if (!needs_runs) {
    assign_nodes(instance, answer, placement);
  } else {
    assign_runs(instance, answer, placement);
    ip::Instance others = instance;
    others.classes = ip::classes_of(placement.left);
    for (ip::Request& request : others.requests) {
      if (request.contiguous) request.units = 0;  // never fits
    }
    const ip::Answer second = solver(others, effort);
    placement.work += second.work;
    placement.finished = placement.finished && second.finished;
    assign_nodes(others, second, placement);
  }
  for (std::uint32_t r = 0; r < instance.requests.size(); ++r) {
    const auto nodes = static_cast<std::uint32_t>(placement.allocations[r].size());
    if (nodes > 0) placement.incumbent += ip::objective_value(instance, instance.requests[r], nodes);
  }
  return placement;
}

}  // namespace aliquot
