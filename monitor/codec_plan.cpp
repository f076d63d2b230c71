#include "monitor/codec_plan.hpp"

#include "monitor/codec_job.hpp"
#include "monitor/codec_text.hpp"
#include "monitor/codec_view.hpp"

namespace aliquot {

using codec::Of;

template <class A>
static void fields(A& a, Of<A, Change>& v) {
  a("job", v.job);
  a.maybe("placement", v.placement);
  a("yield", v.yield);
  a.maybe("devices", v.devices);
}
template <class A>
static void fields(A& a, Of<A, Plan>& v) {
  a("changes", v.changes);
  a("memory", v.memory);
  a.maybe("wake_at", v.wake_at);
}
template <class A>
static void fields(A& a, Of<A, Violation>& v) {
  a("law", v.law);
  a("text", v.text);
}
template <class A>
static void fields(A& a, Of<A, Decision>& v) {
  a("policy", v.policy);
  a.maybe("cause", v.cause);
  a("plan", v.plan);
  a("adopted", v.adopted);
  a.maybe("violations", v.violations);
  a.maybe("nanoseconds", v.nanoseconds);
}
template <class A>
static void fields(A& a, Of<A, NodeCount>& v) {
  a("what", v.what);
  a("nodes", v.nodes);
}
template <class A>
static void fields(A& a, Of<A, Explanation>& v) {
  a("reason", v.reason);
  a("text", v.text);
  a.maybe("nodes", v.nodes);
  a.maybe("tightest", v.tightest);
  a.maybe("held_by", v.held_by);
  a.maybe("retry_at", v.retry_at);
}

void to_json(nlohmann::json& out, const Change& change) { codec::write_fields(out, change); }
void from_json(const nlohmann::json& in, Change& change) { codec::read_fields(in, change); }
void to_json(nlohmann::json& out, const Plan& plan) { codec::write_fields(out, plan); }
void from_json(const nlohmann::json& in, Plan& plan) { codec::read_fields(in, plan); }
void to_json(nlohmann::json& out, const Violation& violation) { codec::write_fields(out, violation); }
void from_json(const nlohmann::json& in, Violation& violation) { codec::read_fields(in, violation); }
void to_json(nlohmann::json& out, const Decision& decision) { codec::write_fields(out, decision); }
void from_json(const nlohmann::json& in, Decision& decision) { codec::read_fields(in, decision); }
void to_json(nlohmann::json& out, const NodeCount& count) { codec::write_fields(out, count); }
void from_json(const nlohmann::json& in, NodeCount& count) { codec::read_fields(in, count); }
void to_json(nlohmann::json& out, const Explanation& explanation) { codec::write_fields(out, explanation); }
void from_json(const nlohmann::json& in, Explanation& explanation) { codec::read_fields(in, explanation); }

ALIQUOT_CODEC(Change);
ALIQUOT_CODEC(Plan);
ALIQUOT_CODEC(Violation);
ALIQUOT_CODEC(Decision);
ALIQUOT_CODEC(Explanation);

}  // namespace aliquot
