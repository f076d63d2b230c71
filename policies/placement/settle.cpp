#include "policies/placement/settle.hpp"

#include <algorithm>

#include "policies/placement/contiguity.hpp"

namespace aliquot {

namespace {

// Puts those of the chosen that ask for it on runs; the rest of the answer is void then.
void settle_runs(const ip::Instance& instance, const std::vector<std::uint32_t>& chosen,
                 Settlement& settled) {
  std::vector<std::uint32_t> order = chosen;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return instance.requests[a].weight > instance.requests[b].weight;
  });
  for (const std::uint32_t request : order) {
    settled.spots[request] = ip::shortest_run(instance, request, settled.left);
    ip::take_spots(instance, settled.spots[request], settled.left);
    settled.order.push_back(request);
  }
}

void settle_rest(const ip::Instance& instance, const ip::Answer& answer, Settlement& settled) {
  const std::vector<ip::Spot> spots = ip::assign(instance, answer, settled.left);
  for (const ip::Spot& spot : spots) {
    if (settled.spots[spot.request].empty()) settled.order.push_back(spot.request);
    settled.spots[spot.request].push_back(spot);
  }
  ip::take_spots(instance, spots, settled.left);
}

}  // namespace

Settlement settle(const Window& window, const std::vector<bool>& contiguous, std::uint64_t effort,
                  const ip::Solver& solver) {
  Settlement settled;
  settled.spots.resize(window.instance.requests.size());
  settled.left = window.cells;
  const ip::Answer answer = solver(window.instance, effort);
  settled.bound = answer.bound;
  settled.work = answer.work;
  if (!window.ceiling.empty()) {
    // What was rounded down could hold more than this bound says.
    ip::Instance above = window.instance;
    above.classes = window.ceiling;
    const ip::Answer highest = solver(above, effort);
    settled.bound = std::max(settled.bound, highest.bound);
    settled.work += highest.work;
  }
  settled.finished = answer.finished;
  std::vector<std::uint32_t> runs;
  for (const ip::Chosen& chosen : answer.chosen) {
    if (contiguous[chosen.request]) runs.push_back(chosen.request);
  }
  if (runs.empty()) {
    settle_rest(window.instance, answer, settled);
  } else {
    settle_runs(window.instance, runs, settled);
    ip::Instance rest = window.instance;
    rest.classes = ip::classes_of(settled.left);
    for (std::size_t r = 0; r < contiguous.size(); ++r) {
      if (contiguous[r]) rest.requests[r].units = 0;  // finds no room
    }
    const ip::Answer others = solver(rest, effort);
    settled.work += others.work;
    settled.finished = settled.finished && others.finished;
    settle_rest(rest, others, settled);
  }
  for (std::size_t r = 0; r < settled.spots.size(); ++r) {
    const auto nodes = static_cast<std::uint32_t>(settled.spots[r].size());
    if (nodes > 0) settled.incumbent += ip::value_of(window.instance, window.instance.requests[r], nodes);
  }
  return settled;
}

}  // namespace aliquot
