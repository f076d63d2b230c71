#include "policies/batch/free_nodes.hpp"

#include <algorithm>

namespace aliquot {

namespace {
constexpr std::size_t kLargestBlock = 128;
}

void FreeNodes::Block::survey() {
  least = most = steps.front().free;
  for (const Step& step : steps) {
    least = std::min(least, step.free);
    most = std::max(most, step.free);
  }
}

FreeNodes::FreeNodes(Instant origin, std::int64_t free, std::vector<Change> changes) : blocks_(1) {
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  blocks_.front().steps.push_back({origin, free});
  for (auto change = changes.begin(); change != changes.end();) {
    const Instant at = change->at;
    std::int64_t next = free;
    for (; change != changes.end() && change->at == at; ++change) next += change->nodes;
    if (next == free || at == kNever) continue;
    free = next;
    if (at == origin) {
      blocks_.front().steps.front().free = free;
      continue;
    }
    if (blocks_.back().steps.size() >= kLargestBlock / 2) blocks_.emplace_back();
    blocks_.back().steps.push_back({at, free});
  }
  for (Block& block : blocks_) block.survey();
}

FreeNodes::Place FreeNodes::at(Instant instant) const {
  const auto block = std::upper_bound(blocks_.begin(), blocks_.end(), instant,
                                      [](Instant t, const Block& b) { return t < b.steps.front().at; }) -
                     1;
  const auto step = std::upper_bound(block->steps.begin(), block->steps.end(), instant,
                                     [](Instant t, const Step& s) { return t < s.at; }) -
                    1;
  return {static_cast<std::size_t>(block - blocks_.begin()),
          static_cast<std::size_t>(step - block->steps.begin())};
}

std::int64_t FreeNodes::free_at(Place place) const {
  const Block& block = blocks_[place.block];
  return block.steps[place.step].free + block.all;
}

FreeNodes::Place FreeNodes::cut(Instant instant) {
  Place place = at(instant);
  Block& block = blocks_[place.block];
  if (block.steps[place.step].at == instant) return place;
  ++place.step;
  block.steps.insert(block.steps.begin() + static_cast<std::ptrdiff_t>(place.step),
                     {instant, block.steps[place.step - 1].free});
  if (block.steps.size() <= kLargestBlock) return place;
  const std::size_t half = block.steps.size() / 2;
  Block second;
  second.all = block.all;
  second.steps.assign(block.steps.begin() + static_cast<std::ptrdiff_t>(half), block.steps.end());
  block.steps.resize(half);
  block.survey();
  second.survey();
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(place.block) + 1, std::move(second));
  if (place.step >= half) place = {place.block + 1, place.step - half};
  return place;
}

void FreeNodes::merge(Instant instant) {
  const Place place = at(instant);
  if (place.block == 0 && place.step == 0) return;
  const Place before = place.step > 0 ? Place{place.block, place.step - 1}
                                      : Place{place.block - 1, blocks_[place.block - 1].steps.size() - 1};
  if (free_at(before) != free_at(place)) return;
  Block& block = blocks_[place.block];
  block.steps.erase(block.steps.begin() + static_cast<std::ptrdiff_t>(place.step));
  if (!block.steps.empty()) return block.survey();
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(place.block));
}

void FreeNodes::add(Instant from, Instant to, std::int64_t nodes) {
  if (from >= to || nodes == 0) return;
  cut(from);
  if (to != kNever) cut(to);  // may split the block of `from`
  const Place first = at(from);
  for (std::size_t b = first.block; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    if (block.steps.front().at >= to) break;
    if (block.steps.front().at >= from && block.steps.back().at < to &&
        (b + 1 == blocks_.size() || blocks_[b + 1].steps.front().at <= to)) {
      block.all += nodes;
      continue;
    }
    for (Step& step : block.steps) {
      if (step.at >= from && step.at < to) step.free += nodes;
    }
    block.survey();
  }
  merge(from);
  if (to != kNever) merge(to);
}

std::int64_t FreeNodes::least(Instant from, Instant to) const {
  const Place first = at(from);
  std::int64_t least = free_at(first);
  for (std::size_t b = first.block; b < blocks_.size() && blocks_[b].steps.front().at < to; ++b) {
    const Block& block = blocks_[b];
    if (block.least + block.all >= least) continue;
    for (std::size_t s = b == first.block ? first.step : 0; s < block.steps.size(); ++s) {
      if (block.steps[s].at >= to) break;
      least = std::min(least, block.steps[s].free + block.all);
    }
  }
  return least;
}

template <class Skip, class Hit>
Instant FreeNodes::search(Instant from, Instant until, Skip&& skip, Hit&& hit) const {
  const Place first = at(from);
  for (std::size_t b = first.block; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    if (block.steps.front().at >= until) return kNever;
    if (skip(block)) continue;
    for (std::size_t s = b == first.block ? first.step : 0; s < block.steps.size(); ++s) {
      if (block.steps[s].at >= until) return kNever;
      if (hit(block.steps[s].free + block.all)) return std::max(from, block.steps[s].at);
    }
  }
  return kNever;
}

Instant FreeNodes::first_below(Instant from, std::int64_t nodes, Instant until) const {
  return search(
      from, until, [=](const Block& block) { return block.least + block.all >= nodes; },
      [=](std::int64_t free) { return free < nodes; });
}

Instant FreeNodes::first_at_least(Instant from, std::int64_t nodes, Instant until) const {
  return search(
      from, until, [=](const Block& block) { return block.most + block.all < nodes; },
      [=](std::int64_t free) { return free >= nodes; });
}

Instant FreeNodes::next_step(Instant after) const {
  const Place place = at(after);
  if (place.step + 1 < blocks_[place.block].steps.size()) {
    return blocks_[place.block].steps[place.step + 1].at;
  }
  return place.block + 1 < blocks_.size() ? blocks_[place.block + 1].steps.front().at : kNever;
}

std::size_t FreeNodes::steps() const {
  std::size_t count = 0;
  for (const Block& block : blocks_) count += block.steps.size();
  return count;
}

}  // namespace aliquot
