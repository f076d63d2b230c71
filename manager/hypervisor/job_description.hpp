// What a job is, in a file of its own in the spool: written before the first VM of the job is created,
// removed when the job has ended. If the store is lost, the jobs whose VMs still run are taken back from
// these files (manager/rebuild.hpp). Only the manager can read it, because it has the user's command.
#pragma once

#include <cstdint>
#include <string>

#include "manager/hypervisor/spool.hpp"
#include "monitor/record/submission.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct JobDescription {
  std::string cluster;
  JobId job;
  std::int64_t submitted_unix_us = 0;
  Shared<Submission> submission;
};

// Writes the file, unless the spool has it already.
[[nodiscard]] Result<void> describe_job(const Spool& spool, const JobDescription& job);

// ErrorKind::not_found: the spool has none.
[[nodiscard]] Result<JobDescription> read_description(const Spool& spool, JobId job);

}  // namespace aliquot
