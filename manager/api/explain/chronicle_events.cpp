// What the chronicle notes of events that no decision has made: actions that failed, what other programs
// did, another need.
#include <utility>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/explain/cause_words.hpp"
#include "manager/api/explain/chronicle_step.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {
namespace {

using Texts = std::vector<std::pair<JobId, std::string>>;

// Declared or learned: of CPU, or of the memory that the job is counted with.
struct NewNeed {
  JobId job;
  std::optional<Cpu> need;
  std::optional<Memory> memory;
  std::string why;
};
bool is_in_force(const NewNeed& changed, const Job& job) {
  return changed.need.value_or(job.demand.need) == job.demand.need &&
         changed.memory.value_or(job.demand.memory) == job.demand.memory;
}
std::vector<NewNeed> new_needs(const Step& step) {
  std::vector<NewNeed> all;
  for (const Event& event : step.events) {
    if (const auto* changed = std::get_if<NeedChanged>(&event))
      all.push_back({changed->job, changed->need, {}, changed->why});
    if (const auto* learned = std::get_if<NeedLearned>(&event))
      all.push_back({learned->job, learned->need, {}, learned->why});
    if (const auto* learned = std::get_if<MemoryLearned>(&event))
      all.push_back({learned->job, {}, learned->memory, learned->why});
  }
  return all;
}

// What is to become of the numbers of tasks, and what has.
template <class Removes>
Texts size_words(const Step& step, const CoreState& state, Removes removes) {
  const auto leaves = [&](JobId job, std::uint32_t task) {
    const auto record = state.records.find(job);
    return record != state.records.end() && task < record->second.vms.size() &&
           record->second.vms[task].leaving != Leaving::no;
  };
  Texts texts;
  for (const Event& event : step.events) {
    if (const auto* changed = std::get_if<TasksChanged>(&event))
      texts.emplace_back(changed->job, tasks_changed_words(*changed, step.now));
    if (const auto* refused = std::get_if<AnnouncementRefused>(&event))
      texts.emplace_back(refused->job, announcement_refused_words(*refused, step.now));
    if (const auto* added = std::get_if<TasksAdded>(&event))
      texts.emplace_back(added->job, tasks_added_words(state.view, *added));
    if (const auto* ended = std::get_if<TaskEnded>(&event); ended && leaves(ended->job, ended->tasks.first))
      texts.emplace_back(ended->job, "task " + std::to_string(ended->tasks.first) + " has left");
    if (const auto* outcome = std::get_if<Outcome>(&event);
        outcome && removes(*outcome) && leaves(outcome->job, outcome->tasks.first))
      texts.emplace_back(outcome->job, "task " + std::to_string(outcome->tasks.first) +
                                           " did not leave within its grace, and was removed");
  }
  return texts;
}

}  // namespace

void Chronicle::note_failures(Now& now) {
  for (const Event& event : now.step.events) {
    const auto* outcome = std::get_if<Outcome>(&event);
    if (outcome == nullptr) continue;
    const auto issued = issued_.find(outcome->op);
    if (outcome->error) {
      const auto known = known_.find(outcome->job);
      ChronicleEntry entry;
      entry.job = outcome->job;
      entry.turn = Turn::failed;
      entry.cause = outcome->error->message;
      if (known != known_.end()) {
        entry.decision = known->second.decision;
        entry.before = entry.after = known->second.standing;
      }
      entry.text = std::string(issued == issued_.end() ? "an action" : word(issued->second.kind)) +
                   " of task " + std::to_string(outcome->tasks.first) + " failed";
      now.entries.push_back(std::move(entry));
    }
    if (issued == issued_.end()) continue;
    if (issued->second.open <= outcome->tasks.count)
      issued_.erase(issued);
    else
      issued->second.open -= outcome->tasks.count;
  }
}

void Chronicle::note_foreign(Now& now, JobId job, std::string text) {
  ChronicleEntry entry;
  entry.job = job;
  entry.turn = Turn::foreign;
  entry.text = std::move(text);
  if (const auto known = known_.find(job); known != known_.end()) {
    entry.decision = known->second.decision;
    entry.before = entry.after = known->second.standing;
  }
  now.entries.push_back(std::move(entry));
}

// What another program did to VMs, and where a moved VM was found if the plan could not follow it.
void Chronicle::note_foreign(Now& now) {
  for (const Event& event : now.step.events) {
    const auto* found = std::get_if<Inspected>(&event);
    const auto record = found ? now.state.records.find(found->job) : now.state.records.end();
    if (record == now.state.records.end() || found->task >= record->second.vms.size()) continue;
    const Vm& vm = record->second.vms[found->task];
    const bool is_here = found->fact == VmFact::running || found->fact == VmFact::paused;
    const bool is_lost = vm.missing && found->fact == VmFact::absent;
    if ((!is_here && !is_lost) || moved_.erase(found->job) == 0) continue;
    if (is_lost)
      note_foreign(now, found->job, record->second.note);
    else if (vm.node != vm.wanted)
      note_foreign(now, found->job,
                   "task " + std::to_string(found->task) + " is on " +
                       wire::node_name(now.state.view, vm.node) +
                       ", where it does not fit: the plan in force wants it on " +
                       wire::node_name(now.state.view, vm.wanted));
  }
  for (const Event& event : now.step.events) {
    const auto* foreign = std::get_if<ForeignMove>(&event);
    if (foreign == nullptr || !now.state.records.contains(foreign->job)) continue;
    note_foreign(now, foreign->job, foreign->what);
    if (foreign->act == ForeignAct::moved_away || foreign->act == ForeignAct::moved_here ||
        foreign->act == ForeignAct::saved)
      moved_.insert(foreign->job);
  }
}

// Where nothing else has happened to the job, the entry also tells which yield the CPU that it has is now.
void Chronicle::note_needs(Now& now) {
  for (const NewNeed& changed : new_needs(now.step)) {
    const auto job = now.state.view.jobs.find(changed.job);
    if (job == now.state.view.jobs.end() || !is_in_force(changed, job->second)) continue;
    const bool alone =
        !now.changed(changed.job) && job->second.placement == known_[changed.job].standing.placement;
    note_event(now, Turn::need, job->second, alone, changed.why);
  }
}

// `alone`: nothing else has happened to the job, so where it stands now comes of the event.
void Chronicle::note_event(Now& now, Turn turn, const Job& job, bool alone, std::string text) {
  Standing& known = known_[job.id].standing;
  ChronicleEntry entry;
  entry.job = job.id;
  entry.turn = turn;
  entry.before = alone ? std::exchange(known, standing_of(job)) : known;
  entry.after = known;
  entry.text = std::move(text);
  now.entries.push_back(std::move(entry));
}

void Chronicle::note_sizes(Now& now) {
  const auto removes = [this](const Outcome& outcome) {
    const auto issued = issued_.find(outcome.op);
    return !outcome.error && issued != issued_.end() && issued->second.kind == ActionKind::destroy;
  };
  for (auto& [id, text] : size_words(now.step, now.state, removes))
    if (const auto job = now.state.view.jobs.find(id); job != now.state.view.jobs.end())
      note_event(now, Turn::tasks, job->second, !now.changed(id), std::move(text));
}

}  // namespace aliquot
