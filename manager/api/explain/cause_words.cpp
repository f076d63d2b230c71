#include "manager/api/explain/cause_words.hpp"

#include <algorithm>
#include <cstdio>

#include "config/quantities.hpp"
#include "manager/core/state.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostNamed = 3;

std::string node_words(const ClusterView& view, NodeId node) {
  return "node " +
         (node.raw < view.nodes.size() ? view.nodes[node.raw].name : "number " + std::to_string(node.raw));
}

void add(std::string& all, const std::string& clause) {
  if (clause.empty()) return;
  if (!all.empty()) all += ", ";
  all += clause;
}

std::string because(const std::string& why) { return why.empty() ? "" : ": " + why; }

std::string count_words(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// To the second.
std::string say_seconds(Duration time) {
  return std::to_string((time.raw + seconds(1).raw / 2) / seconds(1).raw) + " s";
}

std::string later_words(Instant at, Instant now) { return at > now ? " in " + say_seconds(at - now) : ""; }

// The text for events that disturb the cluster; empty for other events.
struct Disturbance {
  const ClusterView& view;
  std::string operator()(const NodeChanged& e) const {
    return node_words(view, e.node) + " became " + std::string(word(e.state)) + because(e.why);
  }
  std::string operator()(const NodeFenced& e) const {
    return node_words(view, e.node) + " was confirmed down by " + e.by + because(e.why);
  }
  std::string operator()(const PowerChanged& e) const {
    constexpr const char* what[] = {" was switched on", " is being switched off", " was switched off",
                                    " is being switched on"};
    return node_words(view, e.node) + what[static_cast<std::size_t>(e.power)] + because(e.why);
  }
  std::string operator()(const ServiceChanged& e) const {
    constexpr const char* what[] = {" was put into service", " is to be drained", " was removed"};
    const std::string& window = e.drain ? e.drain->window : e.window;
    return node_words(view, e.node) + what[static_cast<std::size_t>(e.service)] +
           (window.empty() ? "" : " (maintenance window " + window + ")");
  }
  std::string operator()(const DrainAnnounced& e) const {
    if (!e.drain) return "the drain that was announced of " + node_words(view, e.node) + " is withdrawn";
    return node_words(view, e.node) + " is to be drained" + later_words(e.drain->since, view.now);
  }
  std::string operator()(const WindowChanged& e) const {
    const std::string which = "maintenance window " + e.window.name;
    if (e.stage == WindowStage::over) return which + " is over" + because(e.why);
    const std::string nodes = count_words(e.window.nodes.size(), "node");
    if (e.stage == WindowStage::begun) return which + " is prepared: " + nodes + " to be emptied";
    return which + " is planned for " + nodes + ": it starts" + later_words(e.window.from, view.now);
  }
  std::string operator()(const MessageChanged& e) const {
    return "uid " + std::to_string(e.by) +
           (e.text.empty() ? " has cleared the message of the day" : " has set a message of the day");
  }
  std::string operator()(const MoveTermsChanged&) const {
    return "how many VMs are moved at a time, and how long they stay then, has changed";
  }
  std::string operator()(const Displaced& e) const {
    return "job " + std::to_string(e.job.raw) + (e.anew ? " was sent back" : " was taken off its nodes") +
           because(e.why);
  }
  std::string operator()(const ForeignMove& e) const {
    return "another program touched job " + std::to_string(e.job.raw) + because(e.what);
  }
  std::string operator()(const DrainReported& e) const {
    const std::string after = " after " + say_seconds(e.took);
    if (e.progress == DrainProgress::emptied) return node_words(view, e.node) + " is empty" + after;
    return node_words(view, e.node) + " is not empty" + after + ", its deadline has passed" +
           because(e.left);
  }
  std::string operator()(const PlanApplied& e) const {
    return "uid " + std::to_string(e.by) + " has applied a saved plan";
  }
  std::string operator()(const OthersChanged& e) const {
    return "other VMs on " + node_words(view, e.node) + " hold another share of it";
  }
  std::string operator()(const PolicyChanged& e) const { return "the policy became " + e.spec; }
  std::string operator()(const ModeChanged& e) const {
    return "the mode became " + std::string(word(e.mode));
  }
  std::string operator()(const Configured&) const { return "the nodes were configured"; }
  std::string operator()(const Restarted&) const { return "the manager was restarted"; }
  std::string operator()(const HoldChanged& e) const {
    return "job " + std::to_string(e.job.raw) + (e.held ? " was held" : " was released");
  }
  std::string operator()(const NeedChanged& e) const {
    return "a task of job " + std::to_string(e.job.raw) + " needs " + say_cores(e.need);
  }
  std::string operator()(const NeedLearned& e) const {
    return "a task of job " + std::to_string(e.job.raw) + " was found to need " + say_cores(e.need);
  }
  std::string operator()(const MemoryLearned& e) const {
    return "a task of job " + std::to_string(e.job.raw) + " is counted with " + print_memory(e.memory) +
           " of memory";
  }
  std::string operator()(const WeightsChanged&) const { return "the weights of users were changed"; }
  std::string operator()(const AccountsChanged&) const { return "accounts or their limits were changed"; }
  std::string operator()(const CoreHoursServed&) const {
    return "what accounts have been served of their core-hours has changed";
  }
  std::string operator()(const TasksChanged& e) const {
    return "job " + std::to_string(e.job.raw) + " " + tasks_changed_words(e, view.now);
  }
  std::string operator()(const TasksAdded& e) const {
    return "job " + std::to_string(e.job.raw) + " " + tasks_added_words(view, e);
  }
  std::string operator()(const Outcome& e) const {
    return e.error ? "an action on job " + std::to_string(e.job.raw) + " failed" : "";
  }
  template <class E>
  std::string operator()(const E&) const {
    return "";
  }
};

std::string completed_words(const Step& step) {
  std::vector<JobId> jobs;
  for (const JobOutcome& outcome : step.ended) jobs.push_back(outcome.job);
  if (jobs.size() == 1)
    return jobs_words(jobs) + " ended (" + std::string(word(step.ended.front().result)) + ")";
  if (!jobs.empty()) return jobs_words(jobs) + " ended";
  for (const Event& event : step.events) {
    if (const auto* ended = std::get_if<TaskEnded>(&event)) jobs.push_back(ended->job);
    if (const auto* cancelled = std::get_if<Cancelled>(&event)) jobs.push_back(cancelled->job);
  }
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  return jobs.empty() ? "something ended" : "tasks of " + jobs_words(jobs) + " ended";
}

// No decision follows from it.
bool is_only_told(const Event& event) {
  return std::holds_alternative<DrainReported>(event) || std::holds_alternative<DrainAnnounced>(event) ||
         std::holds_alternative<WindowChanged>(event) || std::holds_alternative<MessageChanged>(event) ||
         std::holds_alternative<MoveTermsChanged>(event);
}

std::string disturbed_words(const Step& step, const ClusterView& view) {
  std::string all;
  std::size_t named = 0;
  for (const Event& event : step.events) {
    if (is_only_told(event)) continue;
    std::string clause = std::visit(Disturbance{view}, event);
    if (clause.empty() || all.find(clause) != std::string::npos) continue;
    if (++named > kMostNamed) return all + " and more";
    add(all, clause);
  }
  return all.empty() ? "what stands was disturbed" : all;
}

struct OfJob {
  const ClusterView& view;
  JobId job;
  std::string operator()(const NodeChanged& e) const { return Disturbance{view}(e); }
  std::string operator()(const NodeFenced& e) const { return Disturbance{view}(e); }
  std::string operator()(const OthersChanged& e) const { return Disturbance{view}(e); }
  std::string operator()(const Displaced& e) const { return e.job == job ? e.why : ""; }
  std::string operator()(const Restarted& e) const { return Disturbance{view}(e); }
  std::string operator()(const HoldChanged& e) const { return e.job == job ? Disturbance{view}(e) : ""; }
  std::string operator()(const NeedChanged& e) const { return e.job == job ? e.why : Disturbance{view}(e); }
  std::string operator()(const NeedLearned& e) const { return e.job == job ? e.why : Disturbance{view}(e); }
  std::string operator()(const MemoryLearned& e) const {
    return e.job == job ? e.why : Disturbance{view}(e);
  }
  std::string operator()(const TasksChanged& e) const {
    return e.job == job ? "it " + tasks_changed_words(e, view.now) : "";
  }
  std::string operator()(const TasksAdded& e) const {
    return e.job == job ? "it " + tasks_added_words(view, e) : Disturbance{view}(e);
  }
  std::string operator()(const AnnouncementRefused& e) const {
    return e.job == job ? announcement_refused_words(e, view.now) : "";
  }
  std::string operator()(const ForeignMove& e) const { return e.job == job ? Disturbance{view}(e) : ""; }
  std::string operator()(const Outcome& e) const {
    if (e.job != job) return "";
    return e.error ? Disturbance{view}(e) : "an action on it was done";
  }
  std::string operator()(const Submitted& e) const { return e.job == job ? "it was submitted" : ""; }
  std::string operator()(const Cancelled& e) const {
    return e.job == job ? "it was ended" + because(e.why) : "";
  }
  std::string operator()(const TaskEnded& e) const {
    return e.job == job ? "its task " + std::to_string(e.tasks.first) + " ended" + because(e.note) : "";
  }
  std::string operator()(const Inspected& e) const {
    if (e.job != job) return "";
    return "its task " + std::to_string(e.task) + " was found " + std::string(word(e.fact));
  }
  template <class E>
  std::string operator()(const E&) const {
    return "";
  }
};

}  // namespace

std::string tasks_changed_words(const TasksChanged& event, Instant now) {
  return "is to have " + count_words(event.tasks, "task") + later_words(event.at, now) + because(event.why);
}

std::string announcement_refused_words(const AnnouncementRefused& event, Instant now) {
  return "its task " + std::to_string(event.guest.task) + " announced " + count_words(event.tasks, "task") +
         later_words(event.at, now) + ", which was refused" + because(event.why);
}

std::string tasks_added_words(const ClusterView& view, const TasksAdded& event) {
  std::uint64_t more = 0;
  std::string places;
  for (const Share& share : event.more) {
    more += share.units;
    places += (places.empty() ? "" : ", ") + node_words(view, share.node);
  }
  return "gets " + count_words(more, "more task") + ", on " + places;
}

std::string rerun_words(const JobRecord& record) {
  const std::uint32_t most = record.submission->requeue.value_or(0);
  const std::string count = "rerun " + std::to_string(record.reruns);
  return record.reruns > most ? count : count + " of " + std::to_string(most);
}

std::string jobs_words(const std::vector<JobId>& jobs) {
  std::string text = jobs.size() == 1 ? "job " : "jobs ";
  const std::size_t named = jobs.size() <= kMostNamed + 1 ? jobs.size() : kMostNamed;
  for (std::size_t i = 0; i < named; ++i) {
    if (i > 0) text += i + 1 == jobs.size() ? " and " : ", ";
    text += std::to_string(jobs[i].raw);
  }
  return named < jobs.size() ? text + " and " + std::to_string(jobs.size() - named) + " more" : text;
}

std::string cause_words(const Step& step, const ClusterView& view) {
  const Cause cause = step.decision ? step.decision->cause : Cause{};
  std::string all;
  for (const Event& event : step.events)
    if (std::holds_alternative<PlanApplied>(event)) return disturbance_words(view, event);
  if (!cause.arrived.empty()) add(all, jobs_words(cause.arrived) + " arrived");
  if (cause.completed) add(all, completed_words(step));
  if (cause.disturbed) add(all, disturbed_words(step, view));
  if (cause.tick) add(all, "the period was over");
  if (cause.woken) add(all, "the policy had asked to be woken");
  return all.empty() ? "what stands was looked at again" : all;
}

std::string disturbance_words(const ClusterView& view, const Event& event) {
  return std::visit(Disturbance{view}, event);
}

std::string seconds_words(Duration time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", to_seconds(time));
  return text;
}

std::string event_words(const Step& step, const ClusterView& view, JobId job) {
  std::string last;
  for (const Event& event : step.events)
    if (std::string clause = std::visit(OfJob{view, job}, event); !clause.empty()) last = std::move(clause);
  return last;
}

}  // namespace aliquot
