#include "monitor/codec_event.hpp"

#include "monitor/codec_fields.hpp"
#include "monitor/codec_job.hpp"
#include "monitor/codec_view.hpp"

namespace aliquot {

using codec::Of;

constexpr codec::Tags<Event> kEvents{"configured",     "restarted",      "task_ended",   "cancelled",
                                     "outcome",        "inspected",      "node_changed", "foreign_move",
                                     "others_changed", "policy_changed", "mode_changed", "submitted",
                                     "hold_changed",   "timer_expired",  "woken",        "tick"};

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
}
template <class A>
static void fields(A& a, Of<A, HoldChanged>& v) {
  a("job", v.job);
  a("held", v.held);
}
template <class A>
static void fields(A& a, Of<A, TaskEnded>& v) {
  a("job", v.job);
  a("tasks", v.tasks);
  a("incarnation", v.incarnation);
  a.maybe("exit_code", v.exit_code);
  a.maybe("note", v.note);
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
}
template <class A>
static void fields(A& a, Of<A, NodeChanged>& v) {
  a("node", v.node);
  a("state", v.state);
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
}
template <class A>
static void fields(A& a, Of<A, ModeChanged>& v) {
  a("mode", v.mode);
}
template <class A>
static void fields(A& a, Of<A, Configured>& v) {
  a("nodes", v.nodes);
  a.maybe("device_models", v.device_models);
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
