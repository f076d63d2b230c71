#include "monitor/codec_cpu_use.hpp"

#include "monitor/codec_fields.hpp"

namespace aliquot {

using codec::Of;

template <class A>
static void fields(A& a, Of<A, Usage>& v) {
  a("cpu", v.cpu);
  a.maybe("waited", v.waited);
  a.maybe("throttled", v.throttled);
}
template <class A>
static void fields(A& a, Of<A, GuestMemory>& v) {
  a("given", v.given);
  a("usable", v.usable);
  a("told", v.told);
}
template <class A>
static void fields(A& a, Of<A, LargestMemory>& v) {
  a("task", v.task);
  a("at", v.at);
  a("memory", v.memory);
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
  a.maybe("memory", v.memory);
  a.maybe("memory_told", v.memory_told);
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
  a.maybe("energy", v.energy.raw);
  a("to", v.to);
  a.maybe("runs", v.runs);
  a("earlier", v.earlier);
  a("earlier_granted", v.earlier_granted);
  a("earlier_used", v.earlier_used);
  a("busy", v.busy);
  a.maybe("largest_memory", v.largest_memory);
}
template <class A>
static void fields(A& a, Of<A, PartialSum>& v) {
  a("sum", v.sum);
  a("told", v.known);
  a.maybe("untold", v.unknown);
}
template <class A>
static void fields(A& a, Of<A, StretchTotals>& v) {
  a("jobs", v.jobs);
  a("sum", v.sum);
  a("most", v.most);
}
template <class A>
static void fields(A& a, Of<A, CpuTotals>& v) {
  a("promised", v.promised);
  a("granted", v.granted);
  a.maybe("energy", v.energy.raw);
  a("used", v.used);
  a("stolen", v.stolen);
  a("throttled", v.throttled);
  a("busy_granted", v.busy_granted);
  a("busy_used", v.busy_used);
}
template <class A>
static void fields(A& a, Of<A, AccountUse>& v) {
  a("completed", v.completed);
  a("failed", v.failed);
  a("cancelled", v.cancelled);
  a("timed_out", v.timed_out);
  a("cpu", v.cpu);
  a("stretch", v.stretch);
}

void to_json(nlohmann::json& out, const Usage& usage) { codec::write_fields(out, usage); }
void from_json(const nlohmann::json& in, Usage& usage) { codec::read_fields(in, usage); }
void to_json(nlohmann::json& out, const GuestMemory& memory) { codec::write_fields(out, memory); }
void from_json(const nlohmann::json& in, GuestMemory& memory) { codec::read_fields(in, memory); }
void to_json(nlohmann::json& out, const LargestMemory& largest) { codec::write_fields(out, largest); }
void from_json(const nlohmann::json& in, LargestMemory& largest) { codec::read_fields(in, largest); }
void to_json(nlohmann::json& out, const RunUse& run) { codec::write_fields(out, run); }
void from_json(const nlohmann::json& in, RunUse& run) { codec::read_fields(in, run); }
void to_json(nlohmann::json& out, const BusyUse& busy) { codec::write_fields(out, busy); }
void from_json(const nlohmann::json& in, BusyUse& busy) { codec::read_fields(in, busy); }
void to_json(nlohmann::json& out, const JobUse& use) { codec::write_fields(out, use); }
void from_json(const nlohmann::json& in, JobUse& use) { codec::read_fields(in, use); }
void to_json(nlohmann::json& out, const PartialSum& totals) { codec::write_fields(out, totals); }
void from_json(const nlohmann::json& in, PartialSum& totals) { codec::read_fields(in, totals); }
void to_json(nlohmann::json& out, const StretchTotals& totals) { codec::write_fields(out, totals); }
void from_json(const nlohmann::json& in, StretchTotals& totals) { codec::read_fields(in, totals); }
void to_json(nlohmann::json& out, const CpuTotals& totals) { codec::write_fields(out, totals); }
void from_json(const nlohmann::json& in, CpuTotals& totals) { codec::read_fields(in, totals); }
void to_json(nlohmann::json& out, const AccountUse& use) { codec::write_fields(out, use); }
void from_json(const nlohmann::json& in, AccountUse& use) { codec::read_fields(in, use); }

ALIQUOT_CODEC(JobUse);
ALIQUOT_CODEC(AccountUse);

}  // namespace aliquot
