#include "tools/sim/picture/run_story.hpp"

#include <algorithm>
#include <string_view>

namespace aliquot {
namespace {

// Longer, or one more if something has changed.
void append(std::vector<Span>& spans, const Span& span) {
  if (span.from >= span.to) return;
  if (!spans.empty()) {
    Span& last = spans.back();
    if (last.state == span.state && last.yield == span.yield && last.placement == span.placement) {
      last.to = span.to;
      return;
    }
  }
  spans.push_back(span);
}

}  // namespace

void RunStory::take(Instant now, const std::vector<JobEvent>& events) {
  for (const JobEvent& event : events) {
    const auto [found, fresh] = open_.try_emplace(event.job.raw);
    Open& open = found->second;
    if (fresh) {
      open.story = stories_.size();
      stories_.push_back({event.job, {}});
      open.now.from = now;
    }
    close(open, now);
    if (std::string_view(event.what) == "ended")
      open_.erase(found);
    else
      open_again(open, now, event);
  }
}

void RunStory::close(Open& open, Instant now) {
  std::vector<Span>& spans = stories_[open.story].spans;
  Span span = open.now;
  if (span.placed()) {
    const Instant moves = std::clamp(open.stalled_until, span.from, now);
    span.state = BarState::stalled;
    span.to = moves;
    append(spans, span);
    span.state = BarState::running;
    span.from = moves;
  }
  span.to = now;
  append(spans, span);
}

void RunStory::open_again(Open& open, Instant now, const JobEvent& event) {
  const std::string_view what = event.what;
  open.now.from = now;
  open.stalled_until = now + event.stall;
  open.now.yield = event.yield;
  if (event.placement.empty()) {
    if (what == "paused") open.now.state = BarState::paused;
    if (what == "withdrawn" || what == "submitted") open.now.state = BarState::waiting;
    open.now.yield = {};
    open.now.placement = 0;
    return;
  }
  open.now.state = BarState::running;
  if (placements_[open.now.placement] == event.placement) return;
  open.now.placement = static_cast<std::uint32_t>(placements_.size());
  placements_.push_back(event.placement);
}

std::vector<JobStory> RunStory::finished() {
  for (const auto& [job, open] : open_) stories_[open.story].spans.clear();
  std::erase_if(stories_, [](const JobStory& story) { return story.spans.empty(); });
  return std::move(stories_);
}

}  // namespace aliquot
