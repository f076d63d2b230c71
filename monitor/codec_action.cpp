#include "monitor/codec_action.hpp"

#include "monitor/codec_job.hpp"
#include "monitor/codec_text.hpp"
#include "monitor/codec_variant.hpp"

namespace aliquot {

using codec::Of;

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

// The words are model/action.hpp's own.
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
}

void to_json(nlohmann::json& out, const Action& action) {
  codec::write_variant(out, action, "action", words_of_actions());
}
void from_json(const nlohmann::json& in, Action& action) {
  codec::read_variant(in, action, "action", words_of_actions());
}

ALIQUOT_CODEC(Action);

}  // namespace aliquot
