// A plan that is kept in a file, to be reviewed and carried out later: what is to change, and what that
// rests on. Nodes are named, so that the file can be read, and outlives a restart. Plain data; made and
// compared in manager/plan_saving.hpp.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "policies/model/job.hpp"

namespace aliquot {

struct SavedShare {
  std::string node;
  std::uint32_t tasks = 1;
  DeviceSet slots = 0;  // of a job that holds devices
  friend bool operator==(const SavedShare&, const SavedShare&) = default;
};

struct SavedChange {
  JobId job;
  std::vector<SavedShare> to;  // empty: it is paused
  Yield yield;
  friend bool operator==(const SavedChange&, const SavedChange&) = default;
};

// A job or a node as it was when the plan was made, in words that a person reads and that are compared.
struct SavedJobFacts {
  JobId job;
  std::string facts;
  friend bool operator==(const SavedJobFacts&, const SavedJobFacts&) = default;
};
struct SavedNodeFacts {
  std::string node;
  std::string facts;
  friend bool operator==(const SavedNodeFacts&, const SavedNodeFacts&) = default;
};

struct SavedPlan {
  std::string cluster;
  std::string made_at;  // ISO 8601
  std::string policy;
  std::vector<SavedChange> changes;   // in increasing job id
  std::vector<SavedJobFacts> jobs;    // that are changed
  std::vector<SavedNodeFacts> nodes;  // from which, or to which, they go
  friend bool operator==(const SavedPlan&, const SavedPlan&) = default;
};

namespace wire {

class Fields;

inline constexpr std::size_t kMostSavedRows = 20'000;

[[nodiscard]] nlohmann::json saved_plan_json(const SavedPlan& plan);
// A fault of the plan becomes one of `fields`, whose field `key` it is.
[[nodiscard]] SavedPlan read_saved_plan(Fields& fields, const char* key);

}  // namespace wire
}  // namespace aliquot
