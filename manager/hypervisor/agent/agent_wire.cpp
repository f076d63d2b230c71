#include "manager/hypervisor/agent/agent_wire.hpp"

#include <algorithm>

#include "manager/hypervisor/agent/agent_wire_bounds.hpp"
#include "monitor/codec_cpu_use.hpp"
#include "monitor/codec_event.hpp"
#include "monitor/codec_fields.hpp"
#include "monitor/codec_job.hpp"
#include "monitor/codec_step.hpp"
#include "monitor/codec_view.hpp"

namespace aliquot {
namespace {

using codec::Of;

// As text, in the form of RFC 4122.
template <class A>
void uuid_field(A& a, const char* key, Of<A, Uuid>& uuid) {
  std::string text = to_string(uuid);
  a(key, text);
  if constexpr (std::is_same_v<A, codec::Reader>) {
    const auto parsed = parse_uuid(text);
    if (!parsed) codec::broken(parsed.error().message);
    uuid = *parsed;
  }
}

template <class A>
void spans_field(A& a, const char* key, Of<A, Calendar>& calendar) {
  std::vector<std::vector<std::int64_t>> spans;
  for (const Calendar::Span& span : calendar.spans()) spans.push_back({span.first.raw, span.offset_us});
  a(key, spans);
  if constexpr (std::is_same_v<A, codec::Reader>) {
    std::vector<Calendar::Span> read;
    for (const auto& span : spans) {
      if (span.size() != 2) codec::broken("a span is [first, offset]");
      read.push_back({{span[0]}, span[1]});
    }
    calendar = Calendar(std::move(read));
  }
}

}  // namespace

template <class A>
static void fields(A& a, Of<A, JobSpec::Task>& v) {
  a("incarnation", v.incarnation);
  a("node", v.node);
  a.maybe("ended", v.ended);
  a("units", v.units);
  a.maybe("devices", v.devices);
  a.maybe("left", v.left);
}
template <class A>
static void fields(A& a, Of<A, JobSpec>& v) {
  a("job", v.job);
  a("submission", v.submission);
  a("tasks", v.tasks);
  a("submitted", v.submitted);
  a.maybe("places", v.places);
  a.maybe("node_addresses", v.node_addresses);
  a.maybe("moves", v.moves);
}
template <class A>
static void fields(A& a, Of<A, VmQuery>& v) {
  a("job", v.job);
  a("task", v.task);
  a("incarnation", v.incarnation);
  a.maybe("nodes", v.nodes);
  a.maybe("exists", v.exists);
  a.maybe("was_moved", v.was_moved);
}
template <class A>
static void fields(A& a, Of<A, VmSample>& v) {
  a("job", v.job);
  a("task", v.task);
  a("incarnation", v.incarnation);
  a("run", v.run);
  a("node", v.node);
  a("vcpus", v.vcpus);
  a("cpu", v.cpu);
  a.maybe("waited", v.waited);
  a.maybe("throttled", v.throttled);
  a.maybe("memory", v.memory);
}
template <class A>
static void fields(A& a, Of<A, MdevType>& v) {
  a("id", v.id);
  a.maybe("name", v.name);
  a.maybe("available", v.available);
}
template <class A>
static void fields(A& a, Of<A, NodeDevice>& v) {
  a("name", v.name);
  a("place", v.place);
  a.maybe("sort", v.sort);
  a.maybe("label", v.label);
  a.maybe("parent", v.parent);
  a.maybe("driver", v.driver);
  a.maybe("pci_class", v.pci_class);
  a.maybe("iommu_group", v.iommu_group);
  a.maybe("numa_node", v.numa_node);
  a.maybe("mdev_types", v.mdev_types);
}
template <class A>
static void fields(A& a, Of<A, NumaCell>& v) {
  a("id", v.id);
  a("cpus", v.cpus);
  a("count", v.count);
  a("memory", v.memory);
}
template <class A>
static void fields(A& a, Of<A, CellLoad>& v) {
  a("vms", v.vms);
  a("vcpus", v.vcpus);
  a("memory", v.memory);
}
template <class A>
static void fields(A& a, Of<A, NodeFacts>& v) {
  a("cores", v.cores);
  a("memory", v.memory);
  a.maybe("hypervisor", v.hypervisor);
  a.maybe("acceleration", v.acceleration);
  a.maybe("note", v.note);
  a.maybe("devices", v.devices);
  a.maybe("devices_unknown", v.devices_unknown);
  a.maybe("cells", v.cells);
  a.maybe("cell_loads", v.cell_loads);
}
template <class A>
static void fields(A& a, Of<A, VmIdentity>& v) {
  a("cluster", v.cluster);
  a("job", v.job);
  a("task", v.task);
  a("incarnation", v.incarnation);
  a("epoch", v.epoch);
  a.maybe("created", v.created);
}
template <class A>
static void fields(A& a, Of<A, FoundDomain>& v) {
  a("identity", v.identity);
  uuid_field(a, "uuid", v.uuid);
  a("fact", v.fact);
  a("name", v.name);
  a("memory", v.memory);
  a("cpu", v.cpu);
}
template <class A>
static void fields(A& a, Of<A, NodeSurvey>& v) {
  a.maybe("other_cluster", v.other_cluster);
  a.maybe("ours", v.ours);
  a("others", v.others);
  a.maybe("saved", v.saved);
}

#define ALIQUOT_BY_FIELDS(Type)                                                         \
  static void to_json(codec::Json& out, const Type& v) { codec::write_fields(out, v); } \
  static void from_json(const codec::Json& in, Type& v) { codec::read_fields(in, v); }
ALIQUOT_BY_FIELDS(JobSpec::Task)
ALIQUOT_BY_FIELDS(JobSpec)
ALIQUOT_BY_FIELDS(VmQuery)
ALIQUOT_BY_FIELDS(VmSample)
ALIQUOT_BY_FIELDS(MdevType)
ALIQUOT_BY_FIELDS(NodeDevice)
ALIQUOT_BY_FIELDS(NumaCell)
ALIQUOT_BY_FIELDS(CellLoad)
ALIQUOT_BY_FIELDS(NodeFacts)
ALIQUOT_BY_FIELDS(VmIdentity)
ALIQUOT_BY_FIELDS(FoundDomain)
ALIQUOT_BY_FIELDS(NodeSurvey)
#undef ALIQUOT_BY_FIELDS

namespace agent {

constexpr std::string_view kSubjects[] = {"samples", "facts",          "facts_tried",
                                          "survey",  "destroy_orphan", "clear"};

template <class A>
static void subject_field(A& a, Of<A, Subject>& subject) {
  std::string text(kSubjects[static_cast<std::size_t>(subject)]);
  a("subject", text);
  if constexpr (std::is_same_v<A, codec::Reader>) {
    const auto found = std::ranges::find(kSubjects, text);
    if (found == std::end(kSubjects)) codec::broken("'" + text + "' is not a known word here");
    subject = static_cast<Subject>(found - std::begin(kSubjects));
  }
}

template <class A>
static void fields(A& a, Of<A, Hello>& v) {
  a("version", v.version);
  a("session", v.session);
  a("cluster", v.cluster);
  a("epoch", v.epoch);
  a("node", v.node);
  a("name", v.name);
  a("speed_ppm", v.speed_ppm);
  a("max_output", v.max_output);
  spans_field(a, "calendar", v.calendar);
}
template <class A>
static void fields(A& a, Of<A, Welcome>& v) {
  a("session", v.session);
  a.maybe("host", v.host);
  a("backend", v.backend);
  a("version", v.version);
  a.maybe("saves", v.saves);
}
template <class A>
static void fields(A& a, Of<A, Refused>& v) {
  a("session", v.session);
  a("why", v.why);
}
template <class A>
static void fields(A& a, Of<A, Unknown>& v) {
  a("session", v.session);
}
template <class A>
static void fields(A& a, Of<A, Numbered>& v) {
  a("session", v.session);
  a.maybe("number", v.number);
  a("acknowledged", v.acknowledged);
}
template <class A>
static void fields(A& a, Of<A, Perform>& v) {
  a("actions", v.actions);
  a("spec", v.spec);
}
template <class A>
static void fields(A& a, Of<A, Inspect>& v) {
  a("queries", v.queries);
}
template <class A>
static void fields(A& a, Of<A, PrepareMove>& v) {
  a("op", v.move.op);
  a.maybe("task", v.move.task);
  a("from", v.move.from);
  a("to", v.move.to);
  a.maybe("to_uri", v.move.to_uri);
  a.maybe("bandwidth", v.move.bandwidth);
  a("spec", v.spec);
}
template <class A>
static void fields(A& a, Of<A, Forget>& v) {
  a("job", v.job);
}
template <class A>
static void fields(A& a, Of<A, SetMaxOutput>& v) {
  a("limit", v.limit);
}
template <class A>
static void fields(A& a, Of<A, SetBalloon>& v) {
  a("job", v.job);
  a("task", v.task);
  a("incarnation", v.incarnation);
  a("memory", v.memory);
}
template <class A>
static void fields(A& a, Of<A, Question>& v) {
  a("number", v.number);
  subject_field(a, v.subject);
  a.maybe("vm", v.vm);
}
template <class A>
static void fields(A& a, Of<A, OpenTerminal>& v) {
  a("number", v.number);
  a("job", v.job);
  a("task", v.task);
  a("incarnation", v.incarnation);
}
template <class A>
static void fields(A& a, Of<A, ToTerminal>& v) {
  a("terminal", v.terminal);
  a.maybe("typed", v.typed);
  a.maybe("reads", v.reads);
  a.maybe("closes", v.closes);
}
template <class A>
static void fields(A& a, Of<A, Happened>& v) {
  a("event", v.event);
}
template <class A>
static void fields(A& a, Of<A, Departed>& v) {
  a("samples", v.samples);
}
template <class A>
static void fields(A& a, Of<A, Surveyed>& v) {
  a("survey", v.survey);
}
template <class A>
static void fields(A& a, Of<A, HeldByOther>& v) {
  a("held", v.held);
}
template <class A>
static void fields(A& a, Of<A, EpochsRefused>& v) {
  a("count", v.count);
}
template <class A>
static void fields(A& a, Of<A, Answer>& v) {
  a("number", v.number);
  a.maybe("error", v.error);
  a.maybe("samples", v.samples);
  a.maybe("facts", v.facts);
  a.maybe("survey", v.survey);
  a.maybe("count", v.count);
}
template <class A>
static void fields(A& a, Of<A, FromTerminal>& v) {
  a("terminal", v.terminal);
  a.maybe("output", v.output);
  a.maybe("taken", v.taken);
  a.maybe("end", v.end);
}

namespace {

constexpr codec::Tags<Head> kHeads{"hello", "welcome", "refused", "unknown", "packet"};
constexpr codec::Tags<ToAgent> kToAgent{"perform",  "inspect",        "prepare_move",
                                        "forget",   "set_max_output", "set_balloon",
                                        "question", "open_terminal",  "terminal"};
constexpr codec::Tags<FromAgent> kFromAgent{"event",          "departed", "surveyed", "held_by_other",
                                            "epochs_refused", "answer",   "terminal"};

template <class Variant>
std::string text_of(const Variant& value, const char* key, const codec::Tags<Variant>& tags) {
  codec::Json out;
  codec::write_variant(out, value, key, tags);
  return to_line(out);
}

template <class Variant>
Result<Variant> variant_of(std::string_view text, const char* key, const codec::Tags<Variant>& tags) try {
  const auto json = codec::parse(text);
  if (!json) return tl::unexpected(json.error());
  Variant value;
  codec::read_variant(*json, value, key, tags);
  check_bounds(value);
  return value;
} catch (const codec::Broken& why) {
  return tl::unexpected(codec::refusal(why));
} catch (const codec::Json::exception& why) {
  return fail(ErrorKind::invalid_argument, std::string("not understood: ") + why.what());
}

}  // namespace

std::string encode(const Head& head) { return text_of(head, "head", kHeads); }
Result<Head> decode_head(std::string_view text) { return variant_of<Head>(text, "head", kHeads); }
std::string encode(const ToAgent& message) { return text_of(message, "message", kToAgent); }
Result<ToAgent> decode_to_agent(std::string_view text) {
  return variant_of<ToAgent>(text, "message", kToAgent);
}
std::string encode(const FromAgent& message) { return text_of(message, "message", kFromAgent); }
Result<FromAgent> decode_from_agent(std::string_view text) {
  return variant_of<FromAgent>(text, "message", kFromAgent);
}

}  // namespace agent
}  // namespace aliquot
