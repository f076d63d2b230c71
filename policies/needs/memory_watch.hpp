// The memory that a job is counted with, learned from what its guests say that they use (docs/needs.md).
//
// It is lowered once a job has used less for a whole window: to the largest use and a margin, and never
// below a part of what is declared. All of it is back at once when a guest has used up half of the margin.
// So low a level is not tried again for a while: a minute, twice as long each time, at most an hour.
//
// Pure: without a clock, a log or randomness. Amounts are of the guest of one VM, in bytes. Holds some 150
// bytes for each VM, whatever is observed. One object for each job; copied as a value.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot::needs {

struct MemoryTerms {
  Memory declared;
  Memory least;  // at most `declared`: the job is never counted with less
  friend bool operator==(const MemoryTerms&, const MemoryTerms&) = default;
};

// What the guest of a VM has just told.
struct MemoryTold {
  std::uint32_t task = 0;
  Instant at;
  Memory given;   // that it had then
  Memory usable;  // of that, without swapping
};

struct MemoryChange {
  Memory memory;
  Memory used;  // by the VM that uses the most: over the window where it is lowered, else of late
};

// What a guest is to be left beyond what it uses.
[[nodiscard]] Memory margin_of(Memory used);

class MemoryWatch {
 public:
  explicit MemoryWatch(const MemoryTerms& terms) : terms_(terms) {}

  // In the order of time.
  void observe(const MemoryTold& told);
  // The VM of this task was restored, moved or started anew, or is gone.
  void forget(std::uint32_t task) { windows_.erase(task); }

  // Whether another amount should be in force, by all that was observed up to `now`; `tasks` of the job
  // run.
  [[nodiscard]] std::optional<MemoryChange> decide(Memory in_force, std::size_t tasks, Instant now);
  // What decide() said last could not be done: not again for a while.
  void undo(Instant now) { avoid(now); }
  [[nodiscard]] const MemoryTerms& terms() const { return terms_; }

 private:
  struct Part {
    Instant from;
    Memory used;  // the most
  };
  struct Window {
    MemoryTold last;
    Instant since;                // without a gap
    std::array<Part, 5> parts{};  // the newest first
  };
  [[nodiscard]] static Memory most_used(const Window& window);
  [[nodiscard]] std::optional<Memory> used_in_windows(std::size_t tasks, Instant now) const;
  void avoid(Instant now);

  MemoryTerms terms_;
  std::map<std::uint32_t, Window> windows_;  // by task
  std::optional<Instant> lowered_at_;
  Instant not_before_{INT64_MIN};
  Duration back_off_;
};

// "a task of it uses 60 MiB of the 160 MiB that it declares"
[[nodiscard]] std::string explain(const MemoryChange& change, const MemoryTerms& terms);

}  // namespace aliquot::needs
