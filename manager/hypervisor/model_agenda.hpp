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
struct WorkDone {  // a job has done all its work, unless something has changed since this was entered
  JobId job;
  std::uint64_t version = 0;
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

using Happening = std::variant<Landing, WorkDone, Crash, OutageEdge>;

// By instant, then by order of entry.
using Agenda = std::map<std::pair<Instant, std::uint64_t>, Happening>;

}  // namespace aliquot::model
