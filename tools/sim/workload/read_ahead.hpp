// Pieces of a long file, read and unpacked by a thread of their own while the caller works on those before.
//
// A bounded number of pieces waits. Errors come in their place, as the last piece. Where no thread is to be
// had, the caller reads for itself.
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

  // `read` is called by one thread at a time, and not any more once read() has said that this is the end.
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
