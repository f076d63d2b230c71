// Reads and unpacks a long file on a thread of its own, ahead of the caller, with a bounded buffer of
// pieces. An error is returned as the last piece. If no thread can be created, the caller reads itself.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "policies/model/error.hpp"

namespace aliquot {

class ReadAhead {
 public:
  // Appends some bytes; false at the end.
  using Read = std::function<Result<bool>(std::string&)>;

  // `read` is called by one thread at a time, and not again after read() has returned false or an error.
  explicit ReadAhead(Read read);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();

  // As `read`.
  [[nodiscard]] Result<bool> read(std::string& out);

 private:
  struct Piece {
    std::string bytes;
    Result<bool> more = true;
  };
  void run();

  Read read_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> ready_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace aliquot
