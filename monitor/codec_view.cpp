#include "monitor/codec_view.hpp"

#include "monitor/codec_fields.hpp"
#include "monitor/codec_job.hpp"
#include "monitor/codec_line_writer.hpp"
#include "policies/policy.hpp"

namespace aliquot {

using codec::Of;

template <class A>
static void fields(A& a, Of<A, Device>& v) {
  a("model", v.model);
  a("parts", v.parts);
}
template <class A>
static void fields(A& a, Of<A, OtherVms>& v) {
  a("count", v.count);
  a("memory", v.memory);
  a("cpu", v.cpu);
}
template <class A>
static void fields(A& a, Of<A, Node>& v) {
  a("id", v.id);
  a("name", v.name);
  a("capacity", v.capacity);
  a("memory", v.memory);
  a("state", v.state);
  a("cores", v.cores);
  a.maybe("devices", v.devices);
  a.maybe("device_places", v.device_places);
  a.maybe("service", v.service);
  a.maybe("power", v.power);
  a.maybe("hypervisor", v.hypervisor);
  a.maybe("keeps_saves", v.keeps_saves);
  a.maybe("address", v.address);
  a.maybe("bandwidth", v.bandwidth);
  a.maybe("others", v.others);
  a.maybe("capacity_taken", v.capacity_taken);
  a.maybe("memory_taken", v.memory_taken);
}
template <class A>
static void fields(A& a, Of<A, Cause>& v) {
  a.maybe("arrived", v.arrived);
  a.maybe("completed", v.completed);
  a.maybe("tick", v.tick);
  a.maybe("woken", v.woken);
  a.maybe("disturbed", v.disturbed);
}
template <class A>
static void fields(A& a, Of<A, ActionCosts>& v) {
  a.maybe("restart", v.restart);
  a.maybe("move", v.move);
  a.maybe("least_change", v.least_change);
}
template <class A>
static void fields(A& a, Of<A, Retry>& v) {
  a("failures", v.failures);
  a("not_before", v.not_before);
}
template <class A>
static void fields(A& a, Of<A, Booking>& v) {
  a("at", v.at);
  a.maybe("nodes", v.nodes);
}
template <class A>
static void memory_fields(A& a, Of<A, PolicyMemory>& v, Of<A, std::string>& state) {
  a.maybe("retries", v.retries);
  a.maybe("reservations", v.reservations);
  a.maybe("note", state);
}
template <class A>
static void change_fields(A& a, Of<A, PolicyMemoryChange>& v, Of<A, std::string>& state,
                          Of<A, bool>& gone) {
  a.maybe("whole", v.whole);
  a.maybe("retries", v.retries);
  a.maybe("retries_gone", v.retries_gone);
  a.maybe("reservations", v.reservations);
  a.maybe("reservations_gone", v.reservations_gone);
  a.maybe("note", state);
  a.maybe("note_gone", gone);
}
template <class A>
static void fields(A& a, Of<A, NodeClosing>& v) {
  a("node", v.node);
  a("from", v.from);
  a.maybe("to", v.to);
  a.maybe("window", v.window);
}
template <class A, class Jobs>
static void view_fields(A& a, Of<A, ClusterView>& v, Jobs&& jobs) {
  a("now", v.now);
  a("cause", v.cause);
  a.maybe("next_tick", v.next_tick);
  a("costs", v.costs);
  a("nodes", v.nodes);
  a("jobs", jobs);
  a("memory", v.memory);
  a.maybe("device_models", v.device_models);
  a.maybe("closings", v.closings);
}

void to_json(nlohmann::json& out, const Device& device) { codec::write_fields(out, device); }
void from_json(const nlohmann::json& in, Device& device) { codec::read_fields(in, device); }
void to_json(nlohmann::json& out, const OtherVms& others) { codec::write_fields(out, others); }
void from_json(const nlohmann::json& in, OtherVms& others) { codec::read_fields(in, others); }
void to_json(nlohmann::json& out, const Node& node) { codec::write_fields(out, node); }
void from_json(const nlohmann::json& in, Node& node) { codec::read_fields(in, node); }
void to_json(nlohmann::json& out, const Cause& cause) { codec::write_fields(out, cause); }
void from_json(const nlohmann::json& in, Cause& cause) { codec::read_fields(in, cause); }
void to_json(nlohmann::json& out, const ActionCosts& costs) { codec::write_fields(out, costs); }
void from_json(const nlohmann::json& in, ActionCosts& costs) { codec::read_fields(in, costs); }
void to_json(nlohmann::json& out, const Retry& retry) { codec::write_fields(out, retry); }
void from_json(const nlohmann::json& in, Retry& retry) { codec::read_fields(in, retry); }
void to_json(nlohmann::json& out, const Booking& promise) { codec::write_fields(out, promise); }
void from_json(const nlohmann::json& in, Booking& promise) { codec::read_fields(in, promise); }
void to_json(nlohmann::json& out, const NodeClosing& closing) { codec::write_fields(out, closing); }
void from_json(const nlohmann::json& in, NodeClosing& closing) { codec::read_fields(in, closing); }

void to_json(nlohmann::json& out, const PolicyMemory& memory) {
  codec::Writer writer(out);
  const std::string state = encode_policy_state(memory.state);
  memory_fields(writer, memory, state);
}
void from_json(const nlohmann::json& in, PolicyMemory& memory) {
  codec::Reader reader(in);
  std::string state;
  memory_fields(reader, memory, state);
  reader.finish();
  memory.state = decode_policy_state(state);
}

void to_json(nlohmann::json& out, const PolicyMemoryChange& change) {
  codec::Writer writer(out);
  const std::string state = change.state ? encode_policy_state(*change.state) : "";
  change_fields(writer, change, state, change.state && !*change.state);
}
void from_json(const nlohmann::json& in, PolicyMemoryChange& change) {
  codec::Reader reader(in);
  std::string state;
  bool gone = false;
  change_fields(reader, change, state, gone);
  reader.finish();
  if (gone || !state.empty()) change.state = decode_policy_state(state);
}

void to_json(nlohmann::json& out, const ClusterView& view) {
  codec::Writer writer(out);
  std::vector<Job> jobs;
  jobs.reserve(view.jobs.size());
  for (const auto& [id, job] : view.jobs) jobs.push_back(job);
  view_fields(writer, view, jobs);
}
void append_line(std::string& out, const ClusterView& view) {
  codec::LineWriter writer(out);
  view_fields(writer, view, codec::ValuesOf{view.jobs});
  writer.finish();
}
void from_json(const nlohmann::json& in, ClusterView& view) {
  codec::Reader reader(in);
  std::vector<Job> jobs;
  view_fields(reader, view, jobs);
  reader.finish();
  view.jobs.clear();
  for (Job& job : jobs) {
    const JobId id = job.id;
    if (!view.jobs.emplace(id, std::move(job)).second) {
      codec::broken("job " + std::to_string(id.raw) + " stands there twice");
    }
  }
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    if (view.nodes[i].id.raw != i) codec::broken("node ids must count from 0 in their order");
  }
}

ALIQUOT_CODEC(Node);
ALIQUOT_CODEC(Cause);
ALIQUOT_CODEC(PolicyMemory);
ALIQUOT_CODEC(PolicyMemoryChange);
ALIQUOT_CODEC(ClusterView);

}  // namespace aliquot
