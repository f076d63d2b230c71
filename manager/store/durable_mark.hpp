// The number of the newest durable step, in a small file beside the database: `<store>.durable`.
//
// SQLite stops reading its write-ahead log at the first frame whose checksum is wrong, which is right after
// a power failure and silent: one flipped bit in the log would drop all later steps, though they were
// acknowledged. The mark is written after the commit and before the acknowledgement, so it never names a
// step that is not durable. It is flushed once a second at most: a power failure may leave it behind the
// database, by a second at most, and never ahead of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

[[nodiscard]] std::string durable_mark_of(const std::string& store);

class DurableMark {
 public:
  // Of `store`, for the steps of this cluster. The file is made at its full size, so that a full disk does
  // not stop later writes.
  [[nodiscard]] static Result<DurableMark> open(const std::string& store, const std::string& cluster,
                                                std::uint64_t step);
  DurableMark(DurableMark&& other) noexcept;
  DurableMark& operator=(DurableMark&&) = delete;
  // Flushes.
  ~DurableMark();

  // All steps up to this one are durable. A failure is ignored: the mark then says less than it could.
  void note(std::uint64_t step);

  // What the file says. No value: there is none, or it is unreadable. Of a store in use it must be read
  // before the store is.
  struct Said {
    std::string cluster;
    std::uint64_t step = 0;
  };
  [[nodiscard]] static std::optional<Said> read(const std::string& store);

 private:
  DurableMark(int fd, std::string cluster) : fd_(fd), cluster_(std::move(cluster)) {}
  [[nodiscard]] bool write(std::uint64_t step, unsigned slot) const;

  int fd_;
  std::string cluster_;
  unsigned slot_ = 0;  // to be written next: a write that is cut off leaves the other one
  std::chrono::steady_clock::time_point flushed_;
};

// Refuses a store that ends before a step that was durable once; `last` is its newest step. The mark of
// another cluster says nothing.
[[nodiscard]] Result<void> check_durable_mark(const std::string& store,
                                              const std::optional<DurableMark::Said>& mark,
                                              const std::string& cluster, std::uint64_t last);

}  // namespace aliquot
