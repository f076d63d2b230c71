#include "monitor/codec_chronicle.hpp"

#include "monitor/codec_job.hpp"
#include "monitor/codec_text.hpp"

namespace aliquot {

using codec::Of;

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

}  // namespace aliquot
