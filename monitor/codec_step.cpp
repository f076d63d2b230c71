#include "monitor/codec_step.hpp"

#include "monitor/codec_event.hpp"
#include "monitor/codec_fields.hpp"
#include "monitor/codec_job.hpp"
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
  a.maybe("memory", v.memory);
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

// A number: the node of all tasks; a list: one for each.
static void to_json(nlohmann::json& out, const TaskNodes& nodes) {
  if (nodes.is_one())
    codec::write(out, nodes[0]);
  else
    codec::write(out, nodes.each());
}
static void from_json(const nlohmann::json& in, TaskNodes& nodes) {
  std::vector<NodeId> each(1);
  if (in.is_array())
    codec::read(in, each);
  else
    codec::read(in, each[0]);
  nodes = each.empty() ? NodeId{} : each.front();
  for (std::uint32_t k = 1; k < each.size(); ++k) nodes.append(k, each[k], each.size());
  if (in.is_array() && nodes.is_one())
    codec::broken("a list of nodes that do not differ; a number says it");
}

namespace {

// The names are those of monitor/record/action.hpp.
codec::Tags<Action> words_of_actions() {
  codec::Tags<Action> tags;
  for (std::size_t i = 0; i < tags.size(); ++i) tags[i] = word(static_cast<ActionKind>(i));
  return tags;
}

template <class A>
void head_fields(A& a, Of<A, ActionHead>& v) {
  a("op", v.op);
  a("job", v.job);
  a("tasks", v.tasks);
}

// What was read must fit the run it belongs to.
template <class A>
void nodes_field(A& a, const char* key, const TaskRun& tasks, Of<A, TaskNodes>& nodes) {
  a(key, nodes);
  if (!nodes.is_one() && nodes.each().size() != tasks.count)
    codec::broken(std::string("'") + key + "' has not one node for each task");
}

}  // namespace

template <class A>
static void fields(A& a, Of<A, Create>& v) {
  head_fields(a, v);
  nodes_field(a, "node", v.tasks, v.nodes);
  a("yield", v.yield);
}
template <class A>
static void fields(A& a, Of<A, Restore>& v) {
  head_fields(a, v);
  nodes_field(a, "node", v.tasks, v.nodes);
  a("yield", v.yield);
  a.maybe("checkpoint", v.checkpoint);
}
template <class A>
static void fields(A& a, Of<A, Release>& v) {
  head_fields(a, v);
}
template <class A>
static void fields(A& a, Of<A, Cap>& v) {
  head_fields(a, v);
  a("yield", v.yield);
}
template <class A>
static void fields(A& a, Of<A, Suspend>& v) {
  head_fields(a, v);
}
template <class A>
static void fields(A& a, Of<A, Save>& v) {
  head_fields(a, v);
  nodes_field(a, "node", v.tasks, v.nodes);
}
template <class A>
static void fields(A& a, Of<A, Migrate>& v) {
  head_fields(a, v);
  nodes_field(a, "from", v.tasks, v.from);
  nodes_field(a, "to", v.tasks, v.to);
}
template <class A>
static void fields(A& a, Of<A, Abort>& v) {
  head_fields(a, v);
  a("target", v.target);
}
template <class A>
static void fields(A& a, Of<A, Destroy>& v) {
  head_fields(a, v);
  nodes_field(a, "node", v.tasks, v.nodes);
  a.maybe("leaves", v.leaves);
}
template <class A>
static void fields(A& a, Of<A, Checkpoint>& v) {
  head_fields(a, v);
  a("number", v.number);
  a.maybe("keep", v.keep);
  a.maybe("is_part", v.is_part);
}

template <class A>
static void fields(A& a, Of<A, Notify>& v) {
  head_fields(a, v);
  a.maybe("warns", v.warns);
}

void to_json(nlohmann::json& out, const Action& action) {
  codec::write_variant(out, action, "action", words_of_actions());
}
void from_json(const nlohmann::json& in, Action& action) {
  codec::read_variant(in, action, "action", words_of_actions());
}

ALIQUOT_CODEC(Action);

template <class A>
static void fields(A& a, Of<A, Standing>& v) {
  a("phase", v.phase);
  a.maybe("yield", v.yield);
  a.maybe("placement", v.placement);
}
template <class A>
static void fields(A& a, Of<A, ChronicleEntry>& v) {
  a.maybe("job", v.job);
  a("turn", v.turn);
  // The step of the decision: `decision` names the policy in the lines of the log.
  a.maybe("by", v.decision);
  a.maybe("cause", v.cause);
  a("before", v.before);
  a("after", v.after);
  a.maybe("reason", v.reason);
  a.maybe("text", v.text);
  a.maybe("for", v.for_jobs);
}

void to_json(nlohmann::json& out, const Standing& standing) { codec::write_fields(out, standing); }
void from_json(const nlohmann::json& in, Standing& standing) { codec::read_fields(in, standing); }
void to_json(nlohmann::json& out, const ChronicleEntry& entry) { codec::write_fields(out, entry); }
void from_json(const nlohmann::json& in, ChronicleEntry& entry) { codec::read_fields(in, entry); }

ALIQUOT_CODEC(Standing);
ALIQUOT_CODEC(ChronicleEntry);

template <class A>
static void fields(A& a, Of<A, DevicesHeld>& v) {
  a("node", v.node);
  a("slots", v.slots);
}
template <class A>
static void fields(A& a, Of<A, JobOutcome>& v) {
  a("job", v.job);
  a("submission", v.submission);
  a("result", v.result);
  a.maybe("exit_code", v.exit_code);
  a.maybe("note", v.note);
  a("submitted", v.submitted);
  a.maybe("started", v.started);
  a("ended", v.ended);
  a("virtual_time", v.virtual_time);
  a.maybe("preemptions", v.preemptions);
  a.maybe("migrations", v.migrations);
  a.maybe("preempted", v.preempted);
  a.maybe("migrated", v.migrated);
  a.maybe("devices", v.devices);
  a.maybe("reruns", v.reruns);
  a.maybe("tasks_ever", v.tasks_ever);
}
template <class A>
static void fields(A& a, Of<A, Step>& v) {
  a("step", v.number);
  a("now", v.now);
  a.maybe("events", v.events);
  a.maybe("decision", v.decision);
  a.maybe("actions", v.actions);
  a.maybe("ended", v.ended);
  a.maybe("chronicle", v.chronicle);
}

void to_json(nlohmann::json& out, const DevicesHeld& held) { codec::write_fields(out, held); }
void from_json(const nlohmann::json& in, DevicesHeld& held) { codec::read_fields(in, held); }
void to_json(nlohmann::json& out, const JobOutcome& outcome) { codec::write_fields(out, outcome); }
void from_json(const nlohmann::json& in, JobOutcome& outcome) { codec::read_fields(in, outcome); }

// As steps had it before they recorded changes.
static void take_whole_memory(Decision& decision) {
  if (decision.adopted) decision.memory = memory_change({}, decision.plan.memory);
  decision.memory.whole = decision.adopted;
  decision.plan.memory = {};
}

void to_json(nlohmann::json& out, const Step& step) {
  codec::write_fields(out, step);
  out["v"] = kStepVersion;
}
void from_json(const nlohmann::json& in, Step& step) {
  codec::Reader reader(in);
  int version = 0;
  reader("v", version);
  if (version < kOldestStepVersion || version > kStepVersion) codec::broken("a step of another version");
  fields(reader, step);
  reader.finish();
  if (version < kFirstWithMemoryChanges && step.decision) take_whole_memory(*step.decision);
}

std::string encode_step(const Step& step) { return encode(step); }

Result<Step> decode_step(std::string_view line) {
  const auto json = codec::parse(line);
  if (!json) return tl::unexpected<Error>(json.error());
  const auto version = json->is_object() ? json->find("v") : json->end();
  if (!json->is_object() || version == json->end() || !version->is_number_integer()) {
    return fail(ErrorKind::invalid_argument, "not a step: it has no version 'v'");
  }
  if (*version < kOldestStepVersion || *version > kStepVersion) {
    return fail(ErrorKind::unsupported, "the step has version " + version->dump() +
                                            ", this program reads up to " + std::to_string(kStepVersion) +
                                            ": use the program that wrote it");
  }
  return decode_json<Step>(*json);
}

ALIQUOT_CODEC(JobOutcome);
ALIQUOT_CODEC(Step);

}  // namespace aliquot
