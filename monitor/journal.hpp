// The JSONL journal: every step as one line (codec_step.hpp), appended to a file for people and tools. An
// export, not the truth: that is the store.
//
// A thread of its own writes, so that a slow disk delays nobody; what waits for it is bounded. A live
// manager drops steps when the bound is reached or the disk fails, and counts them (their numbers are
// missing in the file, status() says how many and why); a simulator waits. Each line is handed to the
// kernel by itself, so a reader never waits for more than the line being written. Rotation is logrotate's
// business: rename, then reopen() (the daemon's SIGHUP).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "monitor/observer.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

class Journal : public Observer {
 public:
  enum class WhenFull : std::uint8_t { drop, wait };
  // Events, changes, actions and ended jobs waiting to be written; about 200 bytes each.
  static constexpr std::size_t kMaxItems = 500'000;

  [[nodiscard]] static Result<std::unique_ptr<Journal>> open(const std::string& path, WhenFull when_full,
                                                             std::size_t max_items = kMaxItems);
  // Writes what is waiting, then closes.
  ~Journal() override;

  void on_step(const Step& step, const ClusterView& after) override;
  // From the next line on into a file newly opened under the journal's name.
  void reopen();
  // Waits until everything so far is written or lost.
  void flush();

  struct Status {
    std::uint64_t written = 0;  // steps
    std::uint64_t lost = 0;
    std::string trouble;  // of the last attempt; empty: it went well
  };
  [[nodiscard]] Status status() const;

 private:
  Journal(std::string path, int fd, WhenFull when_full, std::size_t max_items);
  void run();
  // An empty string, or what went wrong.
  [[nodiscard]] std::string write_line(const Step& step);
  [[nodiscard]] std::string open_again();

  const std::string path_;
  const WhenFull when_full_;
  const std::size_t max_items_;

  mutable std::mutex mutex_;
  std::condition_variable work_;  // for the thread
  std::condition_variable room_;  // for on_step and flush
  std::deque<Step> queue_;
  std::size_t items_ = 0;  // in queue_ and in the step being written
  bool reopen_ = false;
  bool stopping_ = false;
  Status status_;

  int fd_;             // the thread's only
  bool torn_ = false;  // the file ends in a part of a line; the thread's only
  std::thread thread_;
};

}  // namespace aliquot
