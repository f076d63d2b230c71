#include "policies/aliquot/jobs_at_issue.hpp"

#include <algorithm>

#include "policies/aliquot/policy_state.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kFewOfShape = 4;    // of which one fewer can be placed without a look at all jobs
constexpr std::size_t kLeastLeftOut = 100;  // fewer are looked at as quickly

// On the nodes that are up, if they were empty.
bool fits_when_empty(const ClusterView& view, const JobShape& shape) {
  const Cpu guaranteed = shape.need * std::max(shape.min_yield, Yield{1});
  const SlotsBeside slots(shape.memory, guaranteed, shape.tasks);
  std::int64_t missing = shape.tasks;
  for (const Node& node : view.nodes) {
    if (missing <= 0) break;
    if (node.usable()) missing -= slots.within(node.memory, node.capacity);
  }
  return missing <= 0;
}

}  // namespace

bool every_job_is_tried(const Cause& cause) {
  return cause.completed || cause.disturbed || !cause.arrived.empty();
}

std::optional<JobsAtIssue> JobsAtIssue::few(const ClusterView& view) {
  if (!view.index.kept() || view.index.alike().entries().size() < kLeastLeftOut) return std::nullopt;
  JobsAtIssue few;
  few.ids_.emplace();
  few.choose(view);
  if (view.index.alike().entries().size() - few.ids_->size() < kLeastLeftOut) return std::nullopt;
  few.add_placed_and_remembered(view);
  return few;
}

void JobsAtIssue::choose(const ClusterView& view) {
  const AlikeJobs& alike = view.index.alike();
  const std::uint32_t few = every_job_is_tried(view.cause) ? kFewOfShape : 0;
  for (const JobShape& shape : alike.shapes())
    alike_.push_back({fits_when_empty(view, shape), 0, {}, kNever});
  auto retry = view.memory.retries.begin();
  for (const AlikeJobs::Entry& job : alike.entries()) {
    Alike& its = alike_[job.shape];
    if (job.has_begun) {
      ids_->push_back(job.id);
      continue;
    }
    if (!its.fits) continue;
    while (retry != view.memory.retries.end() && retry->first < job.id) ++retry;
    const bool waits_for_instant = retry != view.memory.retries.end() && retry->first == job.id &&
                                   retry->second.not_before > view.now &&
                                   !std::ranges::binary_search(view.cause.arrived, job.id);
    if (!waits_for_instant || its.few < few) {
      its.few += waits_for_instant ? 1 : 0;
      ids_->push_back(job.id);
      continue;
    }
    if (!its.first_left_out) its.first_left_out = job.id;
    its.oldest_left_out = std::min(its.oldest_left_out, job.submitted);
    retries_.append(job.id, retry->second);
  }
}

void JobsAtIssue::add_placed_and_remembered(const ClusterView& view) {
  const std::vector<JobId>& placed = view.index.placed();
  ids_->insert(ids_->end(), placed.begin(), placed.end());
  const AliquotState memory = AliquotState::remembered(view);
  const auto add = [&](const auto& remembered) {
    for (const auto& entry : remembered)
      if (view.jobs.contains(entry.first)) ids_->push_back(entry.first);
  };
  add(memory.stalled_until);
  add(memory.displaced);
  std::ranges::sort(*ids_);
  ids_->erase(std::unique(ids_->begin(), ids_->end()), ids_->end());
}

bool JobsAtIssue::left_out_matter(const Draft& draft, bool paused) const {
  if (are_all() || retries_.empty() || !every_job_is_tried(draft.view().cause)) return false;
  if (paused) return true;
  std::vector<bool> is_refused(alike_.size());
  const AlikeJobs& alike = draft.view().index.alike();
  for (const AlikeJobs::Entry& job : alike.entries()) {
    if (job.has_begun || is_refused[job.shape]) continue;
    const Alike& its = alike_[job.shape];
    if (!its.first_left_out || *its.first_left_out <= job.id || job.submitted > its.oldest_left_out)
      continue;
    is_refused[job.shape] = !draft.placed(draft.index_of(job.id));
  }
  for (std::size_t shape = 0; shape < alike_.size(); ++shape)
    if (alike_[shape].first_left_out && !is_refused[shape]) return true;
  return false;
}

}  // namespace aliquot
