// Which jobs wait for which: an index beside the records, so that the end of a job costs what waits for it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policies/model/id.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

struct Deferred {
  using Name = std::pair<std::uint32_t, std::string>;  // the uid of a job's user, and the job's name

  // A job that others may wait for has started (it has not ended), or has ended.
  struct News {
    JobId job;
    bool has_ended = false;
    bool completed = false;
    Name name;
    std::optional<std::uint32_t> member{};  // of array `job`: the one with this index will not be made
  };

  std::map<JobId, std::set<JobId>> dependents;  // by the job that they wait for
  std::map<Name, std::set<JobId>> named;        // all jobs that have a name and have not ended
  std::set<std::pair<Instant, JobId>> begins;   // when jobs that wait for a time may start
  std::vector<News> news;                       // what the jobs that wait have not been told yet
};

}  // namespace aliquot
