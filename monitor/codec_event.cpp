#include "monitor/codec_event.hpp"

#include "monitor/codec_accounts.hpp"
#include "monitor/codec_fields.hpp"
#include "monitor/codec_job.hpp"
#include "monitor/codec_step.hpp"
#include "monitor/codec_view.hpp"

namespace aliquot {

using codec::Of;

constexpr codec::Tags<Event> kEvents{"configured",
                                     "restarted",
                                     "task_ended",
                                     "cancelled",
                                     "outcome",
                                     "inspected",
                                     "node_changed",
                                     "node_fenced",
                                     "power_changed",
                                     "service_changed",
                                     "displaced",
                                     "foreign_move",
                                     "others_changed",
                                     "policy_changed",
                                     "mode_changed",
                                     "submitted",
                                     "hold_changed",
                                     "need_changed",
                                     "tasks_changed",
                                     "tasks_added",
                                     "timer_expired",
                                     "woken",
                                     "tick",
                                     "announcement_refused",
                                     "need_learned",
                                     "memory_learned",
                                     "drain_reported",
                                     "plan_applied",
                                     "weights_changed",
                                     "accounts_changed",
                                     "core_hours_served",
                                     "drain_announced",
                                     "window_changed",
                                     "message_changed",
                                     "move_terms_changed"};

template <class A>
static void fields(A& a, Of<A, Submitted>& v) {
  a("job", v.job);
  a("submission", v.submission);
}
template <class A>
static void fields(A& a, Of<A, Cancelled>& v) {
  a("job", v.job);
  a("result", v.result);
  a.maybe("why", v.why);
  a.maybe("indices", v.indices);
}
template <class A>
static void fields(A& a, Of<A, HoldChanged>& v) {
  a("job", v.job);
  a("held", v.held);
}
template <class A>
static void fields(A& a, Of<A, NeedChanged>& v) {
  a("job", v.job);
  a("need", v.need);
  a.maybe("why", v.why);
}
template <class A>
static void fields(A& a, Of<A, NeedLearned>& v) {
  a("job", v.job);
  a("need", v.need);
  a("used", v.used);
  a("confidence", v.confidence);
  a.maybe("why", v.why);
}
template <class A>
static void fields(A& a, Of<A, MemoryLearned>& v) {
  a("job", v.job);
  a("memory", v.memory);
  a("used", v.used);
  a.maybe("why", v.why);
}
template <class A>
static void fields(A& a, Of<A, UserWeight>& v) {
  a("account", v.account);
  a("uid", v.uid);
  a("weight", v.weight);
}
static void to_json(nlohmann::json& out, const UserWeight& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, UserWeight& its) { codec::read_fields(in, its); }
template <class A>
static void fields(A& a, Of<A, WeightsChanged>& v) {
  a("weights", v.weights);
}
template <class A>
static void fields(A& a, Of<A, AccountsChanged>& v) {
  a("accounts", v.accounts);
}
template <class A>
static void fields(A& a, Of<A, CoreHoursServed>& v) {
  a("reached", v.reached);
}
template <class A>
static void fields(A& a, Of<A, GuestAnnouncement>& v) {
  a("task", v.task);
  a("incarnation", v.incarnation);
  a("number", v.number);
}
template <class A>
static void fields(A& a, Of<A, TasksChanged>& v) {
  a("job", v.job);
  a("tasks", v.tasks);
  a("at", v.at);
  a.maybe("why", v.why);
  a.maybe("step", v.step);
  a.maybe("is_due", v.is_due);
  a.maybe("guest", v.guest);
}
template <class A>
static void fields(A& a, Of<A, TasksAdded>& v) {
  a("job", v.job);
  a("more", v.more);
}
template <class A>
static void fields(A& a, Of<A, AnnouncementRefused>& v) {
  a("job", v.job);
  a("guest", v.guest);
  a("tasks", v.tasks);
  a("at", v.at);
  a.maybe("why", v.why);
}
template <class A>
static void fields(A& a, Of<A, TaskEnded>& v) {
  a("job", v.job);
  a("tasks", v.tasks);
  a("incarnation", v.incarnation);
  a.maybe("exit_code", v.exit_code);
  a.maybe("note", v.note);
  a.maybe("oom_kills", v.oom_kills);
}
template <class A>
static void fields(A& a, Of<A, Outcome>& v) {
  a("op", v.op);
  a("job", v.job);
  a("tasks", v.tasks);
  a.maybe("error", v.error);
  a("took", v.took);
  a.maybe("stall", v.stall);
}
template <class A>
static void fields(A& a, Of<A, Inspected>& v) {
  a("job", v.job);
  a("task", v.task);
  a("incarnation", v.incarnation);
  a("fact", v.fact);
  a.maybe("node", v.node);
  a.maybe("exit_code", v.exit_code);
  a.maybe("oom_kills", v.oom_kills);
}
template <class A>
static void fields(A& a, Of<A, NodeChanged>& v) {
  a("node", v.node);
  a("state", v.state);
  a.maybe("why", v.why);
  a.maybe("silent_since", v.silent_since);
  a.maybe("cleared", v.cleared);
}
template <class A>
static void fields(A& a, Of<A, Drain>& v) {
  a("mode", v.mode);
  a.maybe("deadline", v.deadline);
  a("since", v.since);
  a.maybe("by", v.by);
  a.maybe("then", v.then);
  a.maybe("progress", v.progress);
  a.maybe("window", v.window);
}
template <class A>
static void fields(A& a, Of<A, MaintenanceWindow>& v) {
  a("name", v.name);
  a("nodes", v.nodes);
  a("from", v.from);
  a("to", v.to);
  a("lead", v.lead);
  a("mode", v.mode);
  a.maybe("then", v.then);
  a.maybe("by", v.by);
  a.maybe("begun", v.begun);
}
template <class A>
static void fields(A& a, Of<A, DrainReported>& v) {
  a("node", v.node);
  a("progress", v.progress);
  a.maybe("took", v.took);
  a.maybe("left", v.left);
}
template <class A>
static void fields(A& a, Of<A, PlanApplied>& v) {
  a("changes", v.changes);
  a.maybe("by", v.by);
}
void to_json(nlohmann::json& out, const GuestAnnouncement& said) { codec::write_fields(out, said); }
void from_json(const nlohmann::json& in, GuestAnnouncement& said) { codec::read_fields(in, said); }
void to_json(nlohmann::json& out, const Drain& drain) { codec::write_fields(out, drain); }
void from_json(const nlohmann::json& in, Drain& drain) { codec::read_fields(in, drain); }
void to_json(nlohmann::json& out, const MaintenanceWindow& window) { codec::write_fields(out, window); }
void from_json(const nlohmann::json& in, MaintenanceWindow& window) { codec::read_fields(in, window); }

template <class A>
static void fields(A& a, Of<A, NodeFenced>& v) {
  a("node", v.node);
  a("by", v.by);
  a.maybe("why", v.why);
}
template <class A>
static void fields(A& a, Of<A, PowerChanged>& v) {
  a("node", v.node);
  a("power", v.power);
  a.maybe("why", v.why);
}
template <class A>
static void fields(A& a, Of<A, ServiceChanged>& v) {
  a("node", v.node);
  a("service", v.service);
  a.maybe("drain", v.drain);
  a.maybe("window", v.window);
  a.maybe("is_due", v.is_due);
}
template <class A>
static void fields(A& a, Of<A, DrainAnnounced>& v) {
  a("node", v.node);
  a.maybe("drain", v.drain);
}
template <class A>
static void fields(A& a, Of<A, WindowChanged>& v) {
  a("window", v.window);
  a("stage", v.stage);
  a.maybe("why", v.why);
  a.maybe("is_due", v.is_due);
}
template <class A>
static void fields(A& a, Of<A, MessageChanged>& v) {
  a("text", v.text);
  a("by", v.by);
}
template <class A>
static void fields(A& a, Of<A, MoveTermsChanged>& v) {
  a.maybe("at_a_time", v.terms.at_a_time);
  a.maybe("cool_down", v.terms.cool_down);
}
template <class A>
static void fields(A& a, Of<A, Displaced>& v) {
  a("job", v.job);
  a.maybe("anew", v.anew);
  a.maybe("why", v.why);
}
template <class A>
static void fields(A& a, Of<A, ForeignMove>& v) {
  a("job", v.job);
  a("task", v.task);
  a("node", v.node);
  a.maybe("what", v.what);
  a.maybe("act", v.act);
}
template <class A>
static void fields(A& a, Of<A, OthersChanged>& v) {
  a("node", v.node);
  a("others", v.others);
}
template <class A>
static void fields(A& a, Of<A, PolicyChanged>& v) {
  a("spec", v.spec);
  a.maybe("by", v.by);
}
template <class A>
static void fields(A& a, Of<A, ModeChanged>& v) {
  a("mode", v.mode);
  a.maybe("by", v.by);
}
template <class A>
static void fields(A& a, Of<A, NodeRenamed>& v) {
  a("from", v.from);
  a("to", v.to);
}
static void to_json(nlohmann::json& out, const NodeRenamed& renamed) { codec::write_fields(out, renamed); }
static void from_json(const nlohmann::json& in, NodeRenamed& renamed) { codec::read_fields(in, renamed); }
template <class A>
static void fields(A& a, Of<A, Configured>& v) {
  a("nodes", v.nodes);
  a.maybe("device_models", v.device_models);
  a.maybe("renamed", v.renamed);
}
template <class A>
static void fields(A& a, Of<A, Restarted>& v) {
  a("epoch", v.epoch);
}
template <class A>
static void fields(A&, Of<A, Tick>&) {}
template <class A>
static void fields(A&, Of<A, Woken>&) {}
template <class A>
static void fields(A&, Of<A, TimerExpired>&) {}

void to_json(nlohmann::json& out, const Event& event) {
  codec::write_variant(out, event, "event", kEvents);
}
void from_json(const nlohmann::json& in, Event& event) { codec::read_variant(in, event, "event", kEvents); }

std::string_view word(const Event& event) { return kEvents[event.index()]; }

ALIQUOT_CODEC(Event);

}  // namespace aliquot
