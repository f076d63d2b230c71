// The progress of a campaign on standard error: a bar on a terminal, else a plain line every minute or
// tenth. Not safe to call from two threads at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace aliquot {

class CampaignProgress {
 public:
  // `skipped` of the `total` were done by an earlier run.
  CampaignProgress(std::size_t total, std::size_t skipped);

  void done();
  // A line of its own; the bar is drawn again below it.
  void say(const std::string& line);
  // Removes the bar.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void show_bar(Clock::time_point now);
  [[nodiscard]] std::string time_left(Clock::time_point now) const;

  const std::size_t total_;
  const std::size_t skipped_;
  std::size_t done_;
  const bool terminal_;
  const Clock::time_point start_;
  Clock::time_point shown_;
  std::size_t said_tenths_;
};

}  // namespace aliquot
