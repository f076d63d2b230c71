#include "manager/knowledge_keeper.hpp"

#include <algorithm>
#include <utility>

#include "manager/api/answers/knowledge_answers.hpp"
#include "manager/api/wire/message_text.hpp"

namespace aliquot {
namespace {

using moldable::KnowledgeBase;
using moldable::KnownRun;

KnownRun run_of(const JobOutcome& outcome) {
  const Submission& job = *outcome.submission;
  return {job.problem->application,
          job.problem->size,
          job.problem->iterations,
          job.demand.tasks,
          std::max(Duration{1}, time_for(outcome.virtual_time, kFullYield)),
          job.guest_memory};
}

KnowledgeBase read(const std::string& kept, const KnowledgeKeeper::Parts& parts) {
  if (kept.empty()) return KnowledgeBase(parts.entries);
  auto base = KnowledgeBase::import_csv(kept, parts.entries);
  if (base) return std::move(*base);
  parts.warn("knowledge_set_aside why=\"what the store has kept of moldable jobs cannot be read: " +
             base.error().message + "; it is learned anew\"");
  return KnowledgeBase(parts.entries);
}

}  // namespace

KnowledgeKeeper::KnowledgeKeeper(Parts parts, const std::string& kept)
    : parts_(std::move(parts)), base_(read(kept, parts_)) {
  for (const auto& [id, job] : parts_.state.view.jobs)
    if (const auto record = parts_.state.records.find(id);
        record != parts_.state.records.end() && job.demand.tasks != record->second.submission->demand.tasks)
      resized_.insert(id);
}

void KnowledgeKeeper::on_step(const Step& step, const ClusterView& /*after*/) {
  for (const Event& event : step.events)
    if (const auto* changed = std::get_if<TasksChanged>(&event)) resized_.insert(changed->job);
}

bool KnowledgeKeeper::teaches(const JobOutcome& outcome) const {
  const Submission& job = *outcome.submission;
  const bool one_number = job.profile.empty() && outcome.tasks_ever == 0 && !resized_.contains(outcome.job);
  return job.problem && !job.array && outcome.result == JobResult::completed && outcome.started &&
         one_number;
}

void KnowledgeKeeper::on_durable(const Step& step) {
  bool has_learned = false;
  for (const JobOutcome& outcome : step.ended) {
    if (teaches(outcome)) {
      const auto lesson = base_.learn(run_of(outcome));
      has_learned = has_learned || (lesson && *lesson != KnowledgeBase::Lesson::not_better);
    }
    resized_.erase(outcome.job);
  }
  if (has_learned) keep();
}

Result<std::string> KnowledgeKeeper::on(const KnowledgeList& /*request*/) const {
  return knowledge_list_answer(base_, parts_.entries);
}

Result<std::string> KnowledgeKeeper::on(const KnowledgeExport& /*request*/) const {
  return knowledge_export_answer(base_);
}

Result<std::string> KnowledgeKeeper::on(const KnowledgeImport& request) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(request.csv, '\n'));
  if (lines > parts_.entries + 1)
    return fail(ErrorKind::too_large, "the text has more than " + std::to_string(parts_.entries) +
                                          " entries (molding.entries); import fewer of them");
  const auto read = KnowledgeBase::import_csv(request.csv, parts_.entries);
  if (!read) return tl::unexpected<Error>(read.error());
  std::size_t taken = 0;
  for (const KnownRun& run : read->list()) {
    const auto lesson = base_.learn(run);
    taken += lesson && *lesson != KnowledgeBase::Lesson::not_better ? 1 : 0;
  }
  keep();
  return knowledge_imported_answer(taken, read->size() - taken);
}

Result<std::string> KnowledgeKeeper::on(const KnowledgeForget& request) {
  const std::size_t forgotten = base_.forget(request.application, request.problem_size);
  if (forgotten == 0)
    return fail(ErrorKind::not_found,
                "nothing is known of the application " + wire::in_quotes(request.application) +
                    (request.problem_size ? " with problem size " + std::to_string(*request.problem_size)
                                          : std::string()) +
                    "; `aliquot knowledge list` has what is");
  keep();
  return knowledge_forgotten_answer(forgotten);
}

}  // namespace aliquot
