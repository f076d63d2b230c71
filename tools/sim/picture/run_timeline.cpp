#include "tools/sim/picture/run_timeline.hpp"

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

void RunTimeline::take(Instant now, const std::vector<JobEvent>& events) {
  for (const JobEvent& event : events) {
    const auto [found, fresh] = open_.try_emplace(event.job.raw);
    Open& open = found->second;
    if (fresh) {
      open.timeline = timelines_.size();
      timelines_.push_back({event.job, {}});
      open.now.from = now;
    }
    close(open, now);
    if (std::string_view(event.what) == "ended")
      open_.erase(found);
    else
      open_again(open, now, event);
  }
}

void RunTimeline::close(Open& open, Instant now) {
  std::vector<Span>& spans = timelines_[open.timeline].spans;
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

void RunTimeline::open_again(Open& open, Instant now, const JobEvent& event) {
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

std::vector<JobTimeline> RunTimeline::finished() {
  for (const auto& [job, open] : open_) timelines_[open.timeline].spans.clear();
  std::erase_if(timelines_, [](const JobTimeline& timeline) { return timeline.spans.empty(); });
  return std::move(timelines_);
}

}  // namespace aliquot
