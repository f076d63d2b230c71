// How far a campaign is, for somebody who waits: a bar on a terminal, else a plain line now and then.
//
// Writes to standard error; not to be called by two threads at once.
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
  // A sentence of its own line, which the bar makes room for.
  void say(const std::string& line);
  // Takes the bar away.
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
