#include "monitor/codec_cpu_use.hpp"

#include "monitor/codec_text.hpp"

namespace aliquot {

using codec::Of;

template <class A>
static void fields(A& a, Of<A, Usage>& v) {
  a("cpu", v.cpu);
  a.maybe("waited", v.waited);
  a.maybe("throttled", v.throttled);
}
template <class A>
static void fields(A& a, Of<A, RunUse>& v) {
  a("task", v.task);
  a("incarnation", v.incarnation);
  a("run", v.run);
  a("node", v.node);
  a("read", v.read);
  a("granted", v.granted);
  a("used", v.used);
}
template <class A>
static void fields(A& a, Of<A, BusyUse>& v) {
  a("span", v.span);
  a("granted", v.granted);
  a("used", v.used);
  a.maybe("stolen", v.stolen);
}
template <class A>
static void fields(A& a, Of<A, JobUse>& v) {
  a("promised", v.promised);
  a("granted", v.granted);
  a("to", v.to);
  a.maybe("runs", v.runs);
  a("earlier", v.earlier);
  a("earlier_granted", v.earlier_granted);
  a("earlier_used", v.earlier_used);
  a("busy", v.busy);
}

void to_json(nlohmann::json& out, const Usage& usage) { codec::write_fields(out, usage); }
void from_json(const nlohmann::json& in, Usage& usage) { codec::read_fields(in, usage); }
void to_json(nlohmann::json& out, const RunUse& run) { codec::write_fields(out, run); }
void from_json(const nlohmann::json& in, RunUse& run) { codec::read_fields(in, run); }
void to_json(nlohmann::json& out, const BusyUse& busy) { codec::write_fields(out, busy); }
void from_json(const nlohmann::json& in, BusyUse& busy) { codec::read_fields(in, busy); }
void to_json(nlohmann::json& out, const JobUse& use) { codec::write_fields(out, use); }
void from_json(const nlohmann::json& in, JobUse& use) { codec::read_fields(in, use); }

ALIQUOT_CODEC(JobUse);

}  // namespace aliquot
