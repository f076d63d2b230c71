// The journal: every step as one line of JSON (codec_step.hpp), appended to a file for people and tools. It
// is an export; the store is the authoritative record.
//
// A separate thread writes, so a slow disk delays nothing, and the number of waiting steps is bounded. When
// the bound is reached or the disk fails, a live manager drops steps and counts them (their numbers are
// missing in the file, status() gives the count and the reason); a simulator waits. Each line is one
// write(), so a reader never sees more than one incomplete line. For rotation, rename the file and call
// reopen() (SIGHUP to the daemon).
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
  // Writes the waiting steps, then closes the file.
  ~Journal() override;

  void on_durable(const Step& step) override;
  // Opens the path anew for the lines from the next one on.
  void reopen();
  // Waits until every step so far is written or dropped.
  void flush();

  struct Status {
    std::uint64_t written = 0;  // steps
    std::uint64_t lost = 0;
    std::string trouble;  // error of the last attempt; empty: success
  };
  [[nodiscard]] Status status() const;

 private:
  Journal(std::string path, int fd, WhenFull when_full, std::size_t max_items);
  void run();
  // An empty string, or the error.
  [[nodiscard]] std::string write_line(const Step& step);
  [[nodiscard]] std::string open_again();

  const std::string path_;
  const WhenFull when_full_;
  const std::size_t max_items_;

  mutable std::mutex mutex_;
  std::condition_variable work_;  // for the thread
  std::condition_variable room_;  // for on_durable and flush
  std::deque<Step> queue_;
  std::size_t items_ = 0;  // in queue_ and in the step being written
  bool reopen_ = false;
  bool stopping_ = false;
  Status status_;

  int fd_;             // used by the thread only
  bool torn_ = false;  // the file ends in an incomplete line; used by the thread only
  std::thread thread_;
};

}  // namespace aliquot
