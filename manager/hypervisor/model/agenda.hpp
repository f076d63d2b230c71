// What the model knows will happen: entries in order of time, those of one instant in order of entry.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "policies/model/action.hpp"
#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot::model {

// What becomes of an action for one task: decided when it begins.
struct Fate {
  std::optional<Error> error;
  bool done = true;  // whatever is reported: does it take effect?
  Duration took;
  friend bool operator==(const Fate&, const Fate&) = default;
};

struct Landing {  // an action ends
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
struct OutageEdge {
  std::size_t outage = 0;
  bool begins = false;
};

using Happening = std::variant<Landing, Crash, OutageEdge>;

// By instant, then by order of entry.
using Agenda = std::map<std::pair<Instant, std::uint64_t>, Happening>;

// A job has done all its work, unless something has changed since this was entered. They have a heap of
// their own: there are many, and most are superseded.
struct WorkDone {
  Instant at;
  std::uint64_t sequence = 0;
  JobId job;
  std::uint64_t version = 0;

  // The heap's top is the earliest.
  friend bool operator<(const WorkDone& a, const WorkDone& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
};

}  // namespace aliquot::model
