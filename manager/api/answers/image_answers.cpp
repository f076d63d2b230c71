#include "manager/api/answers/image_answers.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/wire/strict_json.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

constexpr std::size_t kJobsNamed = 100;

// A name may have had another content when a job was submitted.
using Booted = std::pair<std::string, std::string>;  // name and SHA-256
std::map<Booted, std::vector<JobId>> jobs_by_image(const CoreState& state) {
  std::map<Booted, std::vector<JobId>> jobs;
  for (const auto& [id, record] : state.records)
    if (const auto* boot = std::get_if<ImageBoot>(&record.submission->program))
      jobs[{boot->image, boot->image_sha256}].push_back(id);
  return jobs;
}

json row_of(const StoredImage& image, std::size_t jobs) {
  json row{{"image", image.name.text},
           {"format", std::string(word(image.format))},
           {"size_bytes", image.size.raw},
           {"disk_bytes", image.disk.raw},
           {"sha256", image.sha256},
           {"uid", image.owner},
           {"added_at", iso_time(image.added_unix_us)},
           {"jobs", jobs}};
  if (image.uefi) row["uefi"] = true;
  return row;
}

}  // namespace

std::vector<JobId> jobs_with(const CoreState& state, const StoredImage& image) {
  auto jobs = jobs_by_image(state);
  return std::move(jobs[{image.name.text, image.sha256}]);
}

Result<void> can_remove(const CoreState& state, const StoredImage& image, const Peer& peer) {
  if (!peer.is_operator && peer.uid != image.owner)
    return fail(ErrorKind::forbidden, "user id " + std::to_string(peer.uid) + " may not remove the image " +
                                          image.name.text + "; only its owner, user id " +
                                          std::to_string(image.owner) + ", or an operator may");
  const std::vector<JobId> jobs = jobs_with(state, image);
  if (jobs.empty()) return {};
  std::string named;
  for (std::size_t i = 0; i < std::min(jobs.size(), kJobsNamed); ++i)
    named += (i == 0 ? " " : ", ") + std::to_string(jobs[i].raw);
  if (jobs.size() > kJobsNamed) named += " and " + std::to_string(jobs.size() - kJobsNamed) + " more";
  return fail(ErrorKind::conflict, "the image " + image.name.text + " is used by " +
                                       (jobs.size() == 1 ? "job" : "jobs") + named +
                                       "; remove it when they have ended, or `aliquot cancel` them");
}

std::string image_list_answer(const CoreState& state, const std::vector<StoredImage>& images) {
  auto jobs = jobs_by_image(state);
  json rows = json::array();
  for (const StoredImage& image : images)
    rows.push_back(row_of(image, jobs[{image.name.text, image.sha256}].size()));
  return to_line({{"images", std::move(rows)}});
}

std::string image_show_answer(const CoreState& state, const StoredImage& image, const Sight& sight) {
  const std::vector<JobId> jobs = jobs_with(state, image);
  json row = row_of(image, jobs.size());
  json& named = row["used_by"] = json::array();
  for (const JobId job : jobs)
    if (named.size() < kJobsNamed && sight.of(state.records.at(job).submission->uid) == Sight::Part::whole)
      named.push_back(job.raw);
  return to_line(row);
}

std::string image_removed_answer(const ImageName& name) {
  return to_line({{"image", name.text}, {"done", "removed"}});
}

}  // namespace aliquot
