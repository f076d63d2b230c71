#include "monitor/codec_action.hpp"

#include "monitor/codec_job.hpp"
#include "monitor/codec_text.hpp"
#include "monitor/codec_variant.hpp"

namespace aliquot {

using codec::Of;

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

}  // namespace

template <class A>
static void fields(A& a, Of<A, Create>& v) {
  head_fields(a, v);
  a("node", v.node);
  a("yield", v.yield);
}
template <class A>
static void fields(A& a, Of<A, Restore>& v) {
  head_fields(a, v);
  a("node", v.node);
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
  a("node", v.node);
}
template <class A>
static void fields(A& a, Of<A, Migrate>& v) {
  head_fields(a, v);
  a("from", v.from);
  a("to", v.to);
}
template <class A>
static void fields(A& a, Of<A, Abort>& v) {
  head_fields(a, v);
  a("target", v.target);
}
template <class A>
static void fields(A& a, Of<A, Destroy>& v) {
  head_fields(a, v);
  a("node", v.node);
}

void to_json(nlohmann::json& out, const Action& action) {
  codec::write_variant(out, action, "action", words_of_actions());
}
void from_json(const nlohmann::json& in, Action& action) {
  codec::read_variant(in, action, "action", words_of_actions());
}

ALIQUOT_CODEC(Action);

}  // namespace aliquot
