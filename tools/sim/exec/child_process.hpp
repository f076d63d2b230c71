// A program of the user's own, started by the shell, that answers one line for each line it is given.
//
// Its standard input and output are pipes of ours; its standard error stays ours. Whatever goes wrong (it
// cannot be started, ends, says nothing in time, says too much) is an Error of kind invalid_argument that
// says what happened; after one it is not asked again. The destructor closes its input, gives it a second
// to end by itself and then ends its process group. Not for several threads.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot {

class ChildProcess {
 public:
  static Result<std::unique_ptr<ChildProcess>> start(const std::string& command);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  // Writes the line and a newline, and returns the next line of at most `longest` bytes, without its end.
  [[nodiscard]] Result<std::string> ask(std::string_view line, std::chrono::milliseconds within,
                                        std::size_t longest);

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  ChildProcess(pid_t pid, int to, int from) : pid_(pid), to_(to), from_(from) {}
  // Waits until the pipes are ready, moves some bytes; false in time.
  [[nodiscard]] Result<void> move_bytes(std::string_view& unsent, Deadline deadline, std::size_t longest);
  [[nodiscard]] Result<void> send_some(std::string_view& unsent);
  [[nodiscard]] Result<void> receive_some(std::size_t longest);
  [[nodiscard]] std::string how_it_ended();
  [[nodiscard]] bool ended_within(std::chrono::milliseconds patience);

  pid_t pid_;
  int to_;
  int from_;
  std::string heard_;  // and not yet handed on
  int status_ = 0;
  bool reaped_ = false;
};

}  // namespace aliquot
