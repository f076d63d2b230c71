#include "manager/hypervisor/job_description.hpp"

#include <nlohmann/json.hpp>

#include "manager/hypervisor/files.hpp"
#include "monitor/codec.hpp"

namespace aliquot {
namespace {

using nlohmann::json;

// A command line may have 128 KiB, each list of its data 64 KiB, and JSON may make six bytes of one.
constexpr std::size_t kLongest = std::size_t{2} << 20;

}  // namespace

Result<void> describe_job(const Spool& spool, const JobDescription& job) {
  const std::string path = spool.description(job.job);
  if (file_exists(path)) return {};
  return write_atomically(path, [&](const Writer& write) {
    const json head{
        {"cluster", job.cluster}, {"job", job.job.raw}, {"submitted_unix_us", job.submitted_unix_us}};
    return write(head.dump() + "\n" + encode(*job.submission) + "\n");
  });
}

Result<JobDescription> read_description(const Spool& spool, JobId id) {
  const std::string path = spool.description(id);
  if (!file_exists(path)) return fail(ErrorKind::not_found, "there is no " + path);
  const auto text = read_head(path, kLongest);
  if (!text) return tl::unexpected<Error>(text.error());
  const std::size_t end = text->find('\n');
  const json head = json::parse(text->substr(0, end), nullptr, false);
  const auto damaged = [&](const std::string& why) {
    return fail(ErrorKind::refused, path + " cannot be read: " + why + "; its job cannot be taken back");
  };
  if (end == std::string::npos || !head.is_object()) return damaged("it does not begin as it should");
  auto submission = decode<Submission>(std::string_view(*text).substr(end + 1));
  if (!submission) return damaged(submission.error().message);
  JobDescription job;
  job.submission = std::move(*submission);
  try {
    job.cluster = head.at("cluster").get<std::string>();
    job.job = {head.at("job").get<std::uint64_t>()};
    job.submitted_unix_us = head.at("submitted_unix_us").get<std::int64_t>();
  } catch (const json::exception& fault) {
    return damaged(fault.what());
  }
  if (job.job != id) return damaged("it describes job " + std::to_string(job.job.raw));
  return job;
}

}  // namespace aliquot
