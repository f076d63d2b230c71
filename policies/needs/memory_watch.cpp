#include "policies/needs/memory_watch.hpp"

#include <algorithm>

namespace aliquot::needs {
namespace {

constexpr Memory kMemoryStep = mebibytes(4);
constexpr Memory kLeastLeft = mebibytes(32);
constexpr Memory kWorthwhile = mebibytes(16);  // less is not worth a balloon's work
constexpr Duration kMemoryPart = seconds(15);
constexpr Duration kMemoryWindow = seconds(60);
constexpr Duration kSilent = seconds(20);  // a guest tells every five seconds
constexpr Duration kShortestBackOff = seconds(60);
constexpr Duration kLongestBackOff = seconds(3'600);
constexpr Duration kLongEnough = seconds(180);  // a level that held so long was right

Memory used_of(const MemoryTold& told) { return told.given - told.usable; }

std::string in_mib(Memory memory) {
  return std::to_string((memory.raw + mebibytes(1).raw / 2) / mebibytes(1).raw) + " MiB";
}

}  // namespace

Memory margin_of(Memory used) { return std::max(Memory{used.raw / 4}, kLeastLeft); }

void MemoryWatch::observe(const MemoryTold& told) {
  const auto [entry, is_new] = windows_.try_emplace(told.task, Window{told, told.at});
  Window& window = entry->second;
  if (!is_new && (told.at < window.last.at || window.last.at + kSilent < told.at)) window = {told, told.at};
  window.last = told;
  if (window.parts.front().used.raw == 0 || told.at - window.parts.front().from >= kMemoryPart) {
    std::rotate(window.parts.begin(), window.parts.end() - 1, window.parts.end());
    window.parts.front() = {told.at, {}};
  }
  window.parts.front().used = std::max(window.parts.front().used, used_of(told));
}

Memory MemoryWatch::most_used(const Window& window) {
  return std::ranges::max_element(window.parts, {}, &Part::used)->used;
}

// None: some window is not full.
std::optional<Memory> MemoryWatch::used_in_windows(std::size_t tasks, Instant now) const {
  if (windows_.empty() || windows_.size() < tasks) return std::nullopt;
  Memory most;
  for (const auto& [task, window] : windows_) {
    if (window.last.at + kSilent < now || window.last.at - window.since < kMemoryWindow)
      return std::nullopt;
    most = std::max(most, most_used(window));
  }
  return most;
}

void MemoryWatch::avoid(Instant now) {
  if (lowered_at_ && now - *lowered_at_ >= kLongEnough) back_off_ = {};
  back_off_ = std::clamp(back_off_ + back_off_, kShortestBackOff, kLongestBackOff);
  not_before_ = now + back_off_;
  lowered_at_.reset();
}

std::optional<MemoryChange> MemoryWatch::decide(Memory in_force, std::size_t tasks, Instant now) {
  if (in_force < terms_.declared) {
    Memory used;
    bool is_tight = in_force < terms_.least;
    for (const auto& [task, window] : windows_) {
      used = std::max(used, used_of(window.last));
      is_tight = is_tight || window.last.usable.raw < margin_of(used_of(window.last)).raw / 2;
    }
    if (is_tight) {
      avoid(now);
      return MemoryChange{terms_.declared, used};
    }
  }
  const auto used = used_in_windows(tasks, now);
  if (!used || now < not_before_) return std::nullopt;
  const Memory enough = *used + margin_of(*used);
  const Memory rounded{(enough.raw + kMemoryStep.raw - 1) / kMemoryStep.raw * kMemoryStep.raw};
  const Memory target = std::max(rounded, terms_.least);
  const Memory hysteresis = std::max(Memory{terms_.declared.raw / 16}, kWorthwhile);
  if (target + hysteresis > in_force) return std::nullopt;
  lowered_at_ = now;
  return MemoryChange{target, *used};
}

std::string explain(const MemoryChange& change, const MemoryTerms& terms) {
  const std::string used = "a task of it uses " + in_mib(change.used) + " of the " +
                           in_mib(terms.declared) + " that it declares";
  return change.memory < terms.declared ? used : used + ", and may want more";
}

}  // namespace aliquot::needs
