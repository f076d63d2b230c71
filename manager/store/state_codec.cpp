#include "manager/store/state_codec.hpp"

#include <array>
#include <type_traits>

#include "monitor/codec_accounts.hpp"
#include "monitor/codec_event.hpp"
#include "monitor/codec_fields.hpp"
#include "monitor/codec_job.hpp"
#include "monitor/codec_line_writer.hpp"
#include "monitor/codec_view.hpp"

namespace aliquot {

using codec::Of;

template <>
std::span<const std::string_view> words<VmState>() {
  static constexpr std::array<std::string_view, 5> table{"absent", "ready", "running", "saved", "ended"};
  static_assert(table.size() == static_cast<std::size_t>(VmState::ended) + 1);
  return table;
}

template <>
std::span<const std::string_view> words<Leaving>() {
  static constexpr std::array<std::string_view, 3> table{"no", "asked", "told"};
  static_assert(table.size() == static_cast<std::size_t>(Leaving::told) + 1);
  return table;
}

template <class A>
static void fields(A& a, Of<A, Flight>& v) {
  a("op", v.op);
  a("kind", v.kind);
  a.maybe("to", v.to);
  a.maybe("yield", v.yield);
  a("since", v.since);
  a.maybe("rolls_back", v.rolls_back);
}
static void to_json(nlohmann::json& out, const Flight& flight) { codec::write_fields(out, flight); }
static void from_json(const nlohmann::json& in, Flight& flight) { codec::read_fields(in, flight); }

template <class A>
static void fields(A& a, Of<A, Vm>& v) {
  a("state", v.state);
  a.maybe("incarnation", v.incarnation);
  a.maybe("node", v.node);
  std::uint32_t more = v.units - 1;  // left out where a VM holds one task
  a.maybe("more_units", more);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(v)>>) v.units = more + 1;
  a.maybe("cap", v.cap);
  a.maybe("cap_stale", v.cap_stale);
  a.maybe("has_run", v.has_run);
  a.maybe("unclear", v.unclear);
  a.maybe("rolls_back", v.rolls_back);
  a.maybe("missing", v.missing);
  a.maybe("keeps_place", v.keeps_place);
  a.maybe("wanted", v.wanted);
  a.maybe("flight", v.flight);
  a.maybe("failures", v.failures);
  a.maybe("not_before", v.not_before);
  a.maybe("exit_code", v.exit_code);
  a.maybe("joins", v.joins);
  a.maybe("leaving", v.leaving);
  a.maybe("leave_by", v.leave_by);
  a.maybe("to_warn", v.to_warn);
}
static void to_json(nlohmann::json& out, const Vm& vm) { codec::write_fields(out, vm); }
static void from_json(const nlohmann::json& in, Vm& vm) { codec::read_fields(in, vm); }

template <class A>
static void fields(A& a, Of<A, AnnouncedTasks>& v) {
  a("at", v.at);
  a("tasks", v.tasks);
  a.maybe("why", v.why);
}
static void to_json(nlohmann::json& out, const AnnouncedTasks& next) { codec::write_fields(out, next); }
static void from_json(const nlohmann::json& in, AnnouncedTasks& next) { codec::read_fields(in, next); }

template <class A>
static void fields(A& a, Of<A, RefusedAnnouncement>& v) {
  a("task", v.task);
  a("tasks", v.tasks);
  a("at", v.at);
  a.maybe("why", v.why);
}
static void to_json(nlohmann::json& out, const RefusedAnnouncement& said) {
  codec::write_fields(out, said);
}
static void from_json(const nlohmann::json& in, RefusedAnnouncement& said) { codec::read_fields(in, said); }

template <class A>
static void fields(A& a, Of<A, Evolution>& v) {
  a.maybe("announced", v.announced);
  a.maybe("steps_done", v.steps_done);
  a.maybe("growth", v.growth);
  a.maybe("why", v.why);
  a.maybe("by_profile", v.by_profile);
  a.maybe("heard", v.heard);
  a.maybe("refused", v.refused);
  a.maybe("newest_refused", v.newest_refused);
}
static void to_json(nlohmann::json& out, const Evolution& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, Evolution& its) { codec::read_fields(in, its); }

template <class A>
static void fields(A& a, Of<A, LearnedNeed>& v) {
  a("used", v.used);
  a("confidence", v.confidence);
  a("at", v.at);
}
static void to_json(nlohmann::json& out, const LearnedNeed& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, LearnedNeed& its) { codec::read_fields(in, its); }

template <class A>
static void fields(A& a, Of<A, LimitWait>& v) {
  a("account", v.account);
  a.maybe("uid", v.uid);
  a("kind", v.kind);
  a("most", v.most);
  a("used", v.used);
  a("asked", v.asked);
  a.maybe("behind", v.behind);
}
static void to_json(nlohmann::json& out, const LimitWait& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, LimitWait& its) { codec::read_fields(in, its); }

template <class A>
static void fields(A& a, Of<A, Deferral>& v) {
  a.maybe("after", v.after);
  a.maybe("singleton", v.singleton);
  a.maybe("begin", v.begin);
  a.maybe("held", v.held);
  a.maybe("limited", v.limited);
  a.maybe("limit", v.limit);
}
static void to_json(nlohmann::json& out, const Deferral& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, Deferral& its) { codec::read_fields(in, its); }

template <class A>
static void fields(A& a, Of<A, StandingMember>& v) {
  a("index", v.index);
  a("job", v.job);
}
static void to_json(nlohmann::json& out, const StandingMember& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, StandingMember& its) { codec::read_fields(in, its); }

template <class A>
static void fields(A& a, Of<A, MemberCounts>& v) {
  a.maybe("completed", v.completed);
  a.maybe("failed", v.failed);
  a.maybe("cancelled", v.cancelled);
  a.maybe("timed_out", v.timed_out);
}
static void to_json(nlohmann::json& out, const MemberCounts& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, MemberCounts& its) { codec::read_fields(in, its); }

template <class A>
static void fields(A& a, Of<A, ArrayProgress>& v) {
  a("reached", v.reached);
  a.maybe("standing", v.standing);
  a.maybe("cancelled", v.cancelled);
  a.maybe("ended", v.ended);
  a.maybe("held", v.held);
  a.maybe("stopped", v.stopped);
}
static void to_json(nlohmann::json& out, const ArrayProgress& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, ArrayProgress& its) { codec::read_fields(in, its); }

template <class A>
static void fields(A& a, Of<A, CoolDown>& v) {
  a("moves", v.moves);
  a("until", v.until);
}
static void to_json(nlohmann::json& out, const CoolDown& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, CoolDown& its) { codec::read_fields(in, its); }

template <class A>
static void fields(A& a, Of<A, JobRecord>& v) {
  a("submission", v.submission);
  a("vms", v.vms);
  a.maybe("leaving", v.leaving);
  a("result", v.result);
  a.maybe("note", v.note);
  a.maybe("failure", v.failure);
  a.maybe("started", v.started);
  a.maybe("preemptions", v.preemptions);
  a.maybe("migrations", v.migrations);
  a.maybe("preempted", v.preempted);
  a.maybe("migrated", v.migrated);
  a.maybe("devices", v.devices);
  a.maybe("reruns", v.reruns);
  a.maybe("starts_anew", v.starts_anew);
  a.maybe("silence", v.silence);
  a.maybe("failed_pauses", v.failed_pauses);
  a.maybe("pause_again", v.pause_again);
  a.maybe("evolution", v.evolution);
  a.maybe("learned", v.learned);
  a.maybe("deferral", v.deferral);
  a.maybe("array", v.array);
  a.maybe("warned", v.warned);
  a.maybe("cool_down", v.cool_down);
}
static void to_json(nlohmann::json& out, const JobRecord& record) { codec::write_fields(out, record); }
static void from_json(const nlohmann::json& in, JobRecord& record) { codec::read_fields(in, record); }

template <class A>
static void fields(A& a, Of<A, CheckpointMark>& v) {
  a("number", v.number);
  a("at", v.at);
  a("progress", v.progress);
}
static void to_json(nlohmann::json& out, const CheckpointMark& mark) { codec::write_fields(out, mark); }
static void from_json(const nlohmann::json& in, CheckpointMark& mark) { codec::read_fields(in, mark); }

template <class A>
static void fields(A& a, Of<A, Checkpoints>& v) {
  a.maybe("kept", v.kept);
  a.maybe("under_way", v.under_way);
  a.maybe("last_number", v.last_number);
  a.maybe("pause", v.pause);
  a.maybe("took", v.took);
  a.maybe("last_pause", v.last_pause);
  a.maybe("rollbacks", v.rollbacks);
  a.maybe("failures", v.failures);
  a.maybe("not_before", v.not_before);
  a.maybe("fault", v.fault);
}
static void to_json(nlohmann::json& out, const Checkpoints& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, Checkpoints& its) { codec::read_fields(in, its); }

template <class A>
static void fields(A& a, Of<A, MeasuredCosts>& v) {
  a.maybe("save", v.save);
  a.maybe("restore", v.restore);
  a.maybe("release", v.release);
  a.maybe("migrate", v.migrate);
}
static void to_json(nlohmann::json& out, const MeasuredCosts& costs) { codec::write_fields(out, costs); }
static void from_json(const nlohmann::json& in, MeasuredCosts& costs) { codec::read_fields(in, costs); }

template <class A>
static void fields(A& a, Of<A, SettingOrigin>& v) {
  a.maybe("by", v.by);
  a("since", v.since);
}
static void to_json(nlohmann::json& out, const SettingOrigin& origin) { codec::write_fields(out, origin); }
static void from_json(const nlohmann::json& in, SettingOrigin& origin) { codec::read_fields(in, origin); }

template <class A>
static void fields(A& a, Of<A, NodeRecord>& v) {
  a("since", v.since);
  a.maybe("why", v.why);
  a.maybe("returning", v.returning);
  a.maybe("drain", v.drain);
  a.maybe("power_since", v.power_since);
  a.maybe("power_why", v.power_why);
}
static void to_json(nlohmann::json& out, const NodeRecord& record) { codec::write_fields(out, record); }
static void from_json(const nlohmann::json& in, NodeRecord& record) { codec::read_fields(in, record); }

template <class A>
static void fields(A& a, Of<A, MessageOfTheDay>& v) {
  a("text", v.text);
  a("by", v.by);
  a("since", v.since);
}
static void to_json(nlohmann::json& out, const MessageOfTheDay& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, MessageOfTheDay& its) { codec::read_fields(in, its); }

template <class A>
static void fields(A& a, Of<A, MoveTerms>& v) {
  a.maybe("at_a_time", v.at_a_time);
  a.maybe("cool_down", v.cool_down);
}
static void to_json(nlohmann::json& out, const MoveTerms& terms) { codec::write_fields(out, terms); }
static void from_json(const nlohmann::json& in, MoveTerms& terms) { codec::read_fields(in, terms); }

template <class A, class Version>
static void state_fields(A& a, Of<A, CoreState>& v, Version& version) {
  a("v", version);
  a("view", v.view);
  a("records", v.records);
  a.maybe("checkpoints", v.checkpoints);
  a.maybe("node_records", v.node_records);
  a("mode", v.mode);
  a("policy", v.policy);
  a.maybe("policy_origin", v.policy_origin);
  a.maybe("mode_origin", v.mode_origin);
  a("tick_base", v.tick_base);
  a.maybe("wake_at", v.wake_at);
  a("steps", v.steps);
  a.maybe("accounts", v.accounts);
  a.maybe("served", v.served);
  a.maybe("measured", v.measured);
  a.maybe("announced", v.announced);
  a.maybe("windows", v.windows);
  a.maybe("moves", v.moves);
  a.maybe("message", v.message);
  a("next_op", v.next_op);
  a("next_job", v.next_job);
}

std::string encode_state(const CoreState& state) {
  std::string text;
  codec::LineWriter writer(text);
  state_fields(writer, state, kStateVersion);
  writer.finish();
  return text;
}

Result<CoreState> decode_state(std::string_view text) {
  const auto json = codec::parse(text);
  if (!json) return tl::unexpected<Error>(json.error());
  if (json->is_object() && json->contains("v") && (*json)["v"].is_number_integer() &&
      (*json)["v"] != kStateVersion) {
    return fail(ErrorKind::unsupported, "the snapshot has version " + (*json)["v"].dump() +
                                            ", this program reads " + std::to_string(kStateVersion) +
                                            ": use the program that wrote it");
  }
  try {
    codec::Reader reader(*json);
    CoreState state;
    int version = 0;
    state_fields(reader, state, version);
    reader.finish();
    return state;
  } catch (const codec::Broken& why) {
    return tl::unexpected<Error>(codec::refusal(why));
  }
}

}  // namespace aliquot
