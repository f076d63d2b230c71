// What the model knows will happen: entries in the order of their instants, those of one instant in the
// order in which they were entered.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "monitor/record/action.hpp"
#include "monitor/record/event.hpp"
#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot::model {

// What becomes of an action on one task. Decided when the action begins.
struct Fate {
  std::optional<Error> error;
  bool done = true;  // it takes effect, whatever is reported
  Duration took;
  friend bool operator==(const Fate&, const Fate&) = default;
};

struct ActionEnd {
  OpId op;
  JobId job;
  TaskRun tasks;
  Fate fate;
};
struct Crash {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
};
// A task that has been told to leave does so.
inline constexpr int kSignalled = 143;  // as a shell reports SIGTERM
struct Leave {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  int exit_code = 0;
};
struct OutageEdge {
  std::size_t outage = 0;  // its number in ModelOptions::outages
  bool begins = false;
};

// A reply that comes late, or a second time. One that was meant for a manager that has died since is lost.
struct LateReply {
  std::unique_ptr<Event> event;
  std::uint64_t manager = 0;
};

using Happening = std::variant<ActionEnd, Crash, Leave, OutageEdge, LateReply>;

class Agenda {
 public:
  using Key = std::pair<Instant, std::uint64_t>;  // when, and the number of the entry

  void enter(Instant at, Happening what) { entries_.emplace(Key(at, take_number()), std::move(what)); }
  // Completions (completions.hpp) have a queue of their own, and take their numbers here.
  [[nodiscard]] std::uint64_t take_number() { return next_++; }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  // The key of the first entry; none if there are no entries.
  [[nodiscard]] std::optional<Key> first() const {
    if (entries_.empty()) return std::nullopt;
    return entries_.begin()->first;
  }
  [[nodiscard]] Happening take_first() { return std::move(entries_.extract(entries_.begin()).mapped()); }

 private:
  std::map<Key, Happening> entries_;
  std::uint64_t next_ = 0;
};

}  // namespace aliquot::model
