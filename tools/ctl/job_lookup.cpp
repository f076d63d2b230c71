#include "tools/ctl/job_lookup.hpp"

#include <nlohmann/json.hpp>

#include "config/quantities.hpp"

namespace aliquot::ctl {
namespace {

Result<JobId> member(Session& session, JobId array, std::uint32_t index) {
  const auto answer = session.ask(Show{array, index});
  if (!answer) return tl::unexpected<Error>(answer.error());
  return JobId{answer->body["job"].get<std::uint64_t>()};
}

Result<JobId> find_one(Session& session, const JobName& name, const std::string& text) {
  if (name.indices.empty()) return name.job;
  if (count_of(name.indices) == 1) return member(session, name.job, name.indices.front().first);
  return fail(ErrorKind::invalid_argument, quote(text) + " names several jobs; name one of them");
}

}  // namespace

Result<JobId> find_job(Session& session, const std::string& text) {
  const auto name = parse_job_name(text);
  if (!name) return tl::unexpected<Error>(name.error());
  return find_one(session, *name, text);
}

Result<std::vector<JobId>> find_jobs(Session& session, const std::vector<std::string>& texts) {
  std::vector<JobId> ids;
  for (const std::string& text : texts) {
    const auto name = parse_job_name(text);
    if (!name) return tl::unexpected<Error>(name.error());
    if (name->indices.empty()) ids.push_back(name->job);
    if (count_of(name->indices) > kMostMembersAtOnce)
      return fail(ErrorKind::invalid_argument, quote(text) + " names more than " +
                                                   std::to_string(kMostMembersAtOnce) +
                                                   " members; name fewer of them at a time");
    for (const std::uint32_t index : indices_from(name->indices, 0)) {
      const auto id = member(session, name->job, index);
      if (!id) return tl::unexpected<Error>(id.error());
      ids.push_back(*id);
    }
  }
  return ids;
}

Result<JobTask> find_task(Session& session, const std::string& text) {
  const auto name = parse_task_name(text);
  if (!name) return tl::unexpected<Error>(name.error());
  const auto id = find_one(session, name->job, text);
  if (!id) return tl::unexpected<Error>(id.error());
  return JobTask{*id, name->task.value_or(0)};
}

}  // namespace aliquot::ctl
