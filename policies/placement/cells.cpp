#include "policies/placement/cells.hpp"

#include <algorithm>
#include <functional>

namespace aliquot::ip {

namespace {

bool suits(const Kind& kind, std::size_t d, const Request& request) {
  return d < kind.size() && (request.model == kAny || kind[d] == request.model);
}

// Of whole devices: the model that it leaves the fewest of.
std::optional<Pick> pick_whole(const Kind& kind, const Cell& free, const Request& request,
                               std::uint16_t devices) {
  std::optional<Pick> best;
  for (std::size_t d = 0; d < kind.size() && d < kKindModels; ++d) {
    if (free.devices[d] < devices || !suits(kind, d, request)) continue;
    if (!best || free.devices[d] < free.devices[*best]) best = static_cast<Pick>(d);
  }
  return best;
}

}  // namespace

std::optional<Pick> pick(const Kind& kind, const Cell& free, const Request& request) {
  if (request.devices == 0) return Pick{0};
  if (!request.is_slice()) return pick_whole(kind, free, request, request.devices);
  std::optional<Pick> best;
  for (const std::uint16_t cut : free.cuts) {
    if (cut_parts(cut) >= request.parts && suits(kind, cut_model(cut), request) &&
        (!best || cut_parts(cut) < cut_parts(*best)))
      best = cut;
  }
  if (best) return best;
  const auto whole = pick_whole(kind, free, request, 1);
  return whole ? std::optional(make_cut(*whole, kWholeDevice)) : std::nullopt;
}

bool has(const Cell& free, const Request& request, Pick pick) {
  if (request.devices == 0) return true;
  if (!request.is_slice()) return free.devices[pick] >= request.devices;
  if (std::find(free.cuts.begin(), free.cuts.end(), pick) != free.cuts.end()) return true;
  return cut_parts(pick) == kWholeDevice && free.devices[cut_model(pick)] > 0;
}

void take(const Instance& instance, const Request& request, std::uint32_t units, Pick pick, Cell& free) {
  free.cpu -= units * request.cpu;
  free.memory -= units * request.memory;
  if (!request.is_slice()) {
    free.devices[pick] = static_cast<std::uint16_t>(free.devices[pick] - request.devices);
    return;
  }
  const std::uint16_t model = cut_model(pick);
  const auto rest = static_cast<std::uint16_t>(cut_parts(pick) - request.parts);
  const std::uint16_t left = rest >= instance.least_slice ? make_cut(model, rest) : std::uint16_t{0};
  const auto cut = std::find(free.cuts.begin(), free.cuts.end(), pick);
  if (cut != free.cuts.end()) {
    *cut = left;
  } else {
    --free.devices[model];
    if (left > free.cuts.back()) free.cuts.back() = left;
  }
  std::sort(free.cuts.begin(), free.cuts.end(), std::greater<>());
}

}  // namespace aliquot::ip
