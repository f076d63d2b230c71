#include "monitor/codec_step.hpp"

#include "monitor/codec_action.hpp"
#include "monitor/codec_chronicle.hpp"
#include "monitor/codec_event.hpp"
#include "monitor/codec_job.hpp"
#include "monitor/codec_plan.hpp"
#include "monitor/codec_text.hpp"

namespace aliquot {

using codec::Of;

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
