#include "monitor/codec_job.hpp"

#include "monitor/codec_fields.hpp"

namespace aliquot {

using codec::Of;

template <class A>
static void fields(A& a, Of<A, DeviceDemand>& v) {
  a("per_node", v.per_node);
  a("parts", v.parts);
  a("model", v.models);
}
template <class A>
static void fields(A& a, Of<A, Spread>& v) {
  a.maybe("min_nodes", v.min_nodes);
  a.maybe("max_nodes", v.max_nodes);
  a.maybe("per_node", v.per_node);
  a.maybe("contiguous", v.contiguous);
}
template <class A>
static void fields(A& a, Of<A, Demand>& v) {
  a("tasks", v.tasks);
  a("need", v.need);
  a("memory", v.memory);
  a.maybe("min_yield", v.min_yield);
  a.maybe("estimate", v.estimate);
  a("movable", v.movable);
  a.maybe("devices", v.devices);
  a.maybe("spread", v.spread);
  a.maybe("priority", v.priority);
  a.maybe("hypervisor", v.hypervisor);
  a.maybe("predicted", v.predicted);
  a.maybe("weight", v.weight);
}
template <class A>
static void fields(A& a, Of<A, Share>& v) {
  a("node", v.node);
  a("units", v.units);
}
template <class A>
static void fields(A& a, Of<A, TaskRun>& v) {
  a("first", v.first);
  a("count", v.count);
}
template <class A>
static void fields(A& a, Of<A, Progress>& v) {
  a("accrued", v.accrued);
  a("rate", v.rate);
  a("since", v.since);
  a("stalled_until", v.stalled_until);
}
template <class A>
static void fields(A& a, Of<A, LaterTasks>& v) {
  a("tasks", v.tasks);
  a.maybe("work", v.work);
  a.maybe("at", v.at);
}
template <class A>
static void fields(A& a, Of<A, Job>& v) {
  a("id", v.id);
  a("demand", v.demand);
  a("submitted", v.submitted);
  a("phase", v.phase);
  a.maybe("held", v.held);
  a.maybe("pinned", v.pinned);
  a.maybe("cools_down", v.cools_down);
  a.maybe("in_flight", v.in_flight);
  a.maybe("placement", v.placement);
  a("yield", v.yield);
  a("progress", v.progress);
  a("phase_since", v.phase_since);
  a.maybe("devices", v.devices);
  a.maybe("bound", v.bound);
  a.maybe("tied_to", v.tied_to);
  a.maybe("later", v.later);
  a.maybe("time_limit", v.time_limit);
  a.maybe("wall_limit", v.wall_limit);
}

constexpr codec::Tags<Program> kPrograms{"model", "command", "hash_chain", "kernel", "image"};

template <class A>
static void fields(A& a, Of<A, ModelWork>& v) {
  a("alone", v.alone);
  a.maybe("exit_code", v.exit_code);
}
template <class A>
static void fields(A& a, Of<A, LinuxCommand>& v) {
  a("argv", v.argv);
  a.maybe("archive_sha256", v.archive_sha256);
}
template <class A>
static void fields(A& a, Of<A, HashChain>& v) {
  a("blocks", v.blocks);
  a("unit", v.unit);
}
template <class A>
static void fields(A& a, Of<A, KernelBoot>& v) {
  a("kernel", v.kernel);
  a.maybe("initrd", v.initrd);
  a.maybe("cmdline", v.cmdline);
  a.maybe("kernel_sha256", v.kernel_sha256);
  a.maybe("initrd_sha256", v.initrd_sha256);
}
template <class A>
static void fields(A& a, Of<A, ImageBoot>& v) {
  a("image", v.image);
  a.maybe("image_sha256", v.image_sha256);
  a.maybe("argv", v.argv);
  a.maybe("archive_sha256", v.archive_sha256);
  a.maybe("uefi", v.uefi);
}
template <class A>
static void fields(A& a, Of<A, JobNetwork>& v) {
  a("first_address", v.addresses.first.raw);
  a("prefix", v.addresses.prefix);
  a("mtu", v.mtu);
  a.maybe("site_bridge", v.site_bridge);
  a.maybe("bandwidth", v.bandwidth);
}
template <class A>
static void fields(A& a, Of<A, StagedInput>& v) {
  a("name", v.name);
  a("size", v.size);
}
template <class A>
static void fields(A& a, Of<A, JobData>& v) {
  a.maybe("env", v.env);
  a.maybe("workdir", v.workdir);
  a.maybe("stdin_file", v.stdin_file);
  a.maybe("stage_in", v.stage_in);
  a.maybe("stage_out", v.stage_out);
  a.maybe("stage_out_max", v.stage_out_max);
}
template <class A>
static void fields(A& a, Of<A, NfsShare>& v) {
  a("name", v.name);
  a("server", v.server);
  a("directory", v.directory);
  a("path", v.path);
  a.maybe("read_only", v.read_only);
}
template <class A>
static void fields(A& a, Of<A, TaskChoice>& v) {
  a("least", v.least);
  a("most", v.most);
  a("speedup", v.speedup);
  a("why", v.why);
}
template <class A>
static void fields(A& a, Of<A, Problem>& v) {
  a("application", v.application);
  a("size", v.size);
  a("iterations", v.iterations);
}
template <class A>
static void fields(A& a, Of<A, LaterStep>& v) {
  a("after", v.after);
  a("tasks", v.tasks);
}
template <class A>
static void fields(A& a, Of<A, DeclaredNeed>& v) {
  a("need", v.need);
  a.maybe("min_yield", v.min_yield);
}
template <class A>
static void fields(A& a, Of<A, Dependency>& v) {
  a("job", v.job);
  a("what", v.what);
  a.maybe("member", v.member);
}
template <class A>
static void fields(A& a, Of<A, StartTerms>& v) {
  a.maybe("after", v.after);
  a.maybe("singleton", v.singleton);
  a.maybe("begin", v.begin);
}
template <class A>
static void fields(A& a, Of<A, IndexRun>& v) {
  a("first", v.first);
  std::uint32_t more = v.count - 1;  // left out of a run of one
  a.maybe("more", more);
  std::uint32_t apart = v.step - 1;
  a.maybe("apart", apart);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(v)>>) {
    v.count = more + 1;
    v.step = apart + 1;
  }
}
template <class A>
static void fields(A& a, Of<A, ArrayTerms>& v) {
  a("indices", v.indices);
  a.maybe("at_once", v.at_once);
}
template <class A>
static void fields(A& a, Of<A, ArrayMember>& v) {
  a("array", v.array);
  a("index", v.index);
}
template <class A>
static void fields(A& a, Of<A, AccountYields>& v) {
  a("min", v.min);
  a.maybe("min_of", v.min_of);
  a("max", v.max);
  a.maybe("max_of", v.max_of);
}
template <class A>
static void fields(A& a, Of<A, Submission>& v) {
  a("demand", v.demand);
  a("program", v.program);
  a("guest_memory", v.guest_memory);
  a.maybe("max_need", v.max_need);
  a.maybe("name", v.name);
  a.maybe("account", v.account);
  a.maybe("uid", v.uid);
  a.maybe("hold", v.hold);
  a.maybe("time_limit", v.time_limit);
  a.maybe("wall_limit", v.wall_limit);
  a.maybe("warn", v.warn);
  a.maybe("on_task_failure", v.on_task_failure);
  a.maybe("checkpoint", v.checkpoint);
  a.maybe("requeue", v.requeue);
  a.maybe("network", v.network);
  a.maybe("data", v.data);
  a.maybe("shares", v.shares);
  a.maybe("choice", v.choice);
  a.maybe("profile", v.profile);
  a.maybe("problem", v.problem);
  a.maybe("need_mode", v.need_mode);
  a.maybe("declared", v.declared);
  a.maybe("start", v.start);
  a.maybe("declared_memory", v.declared_memory);
  a.maybe("array", v.array);
  a.maybe("member", v.member);
  a.maybe("account_yields", v.account_yields);
  Duration more_grace = v.grace - kGrace;  // left out where it is as ever
  a.maybe("more_grace", more_grace);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(v)>>) v.grace = kGrace + more_grace;
}
template <class A>
static void fields(A& a, Of<A, Error>& v) {
  a("kind", v.kind);
  a("message", v.message);
}

// One number as long as there is one model or any, which is how it is in older records.
void to_json(nlohmann::json& out, const DeviceModels& models) {
  const std::vector<DeviceModel> all(models.begin(), models.end());
  if (all.size() < 2)
    codec::write(out, all.empty() ? kAnyModel : all.front());
  else
    codec::write(out, all);
}
void from_json(const nlohmann::json& in, DeviceModels& models) {
  std::vector<DeviceModel> all(1);
  if (in.is_array())
    codec::read(in, all);
  else
    codec::read(in, all.front());
  models = {};
  for (const DeviceModel model : all)
    if (!models.add(model) || (in.is_array() && model == kAnyModel))
      codec::broken("a number, or from 1 to " + std::to_string(DeviceModels::kMost) +
                    " numbers of models, is wanted");
}
void to_json(nlohmann::json& out, const DeviceDemand& devices) { codec::write_fields(out, devices); }
void from_json(const nlohmann::json& in, DeviceDemand& devices) { codec::read_fields(in, devices); }
void to_json(nlohmann::json& out, const Spread& spread) { codec::write_fields(out, spread); }
void from_json(const nlohmann::json& in, Spread& spread) { codec::read_fields(in, spread); }
void to_json(nlohmann::json& out, const Demand& demand) { codec::write_fields(out, demand); }
void from_json(const nlohmann::json& in, Demand& demand) { codec::read_fields(in, demand); }
void to_json(nlohmann::json& out, const Share& share) { codec::write_fields(out, share); }
void from_json(const nlohmann::json& in, Share& share) { codec::read_fields(in, share); }
void to_json(nlohmann::json& out, const TaskRun& run) { codec::write_fields(out, run); }
void from_json(const nlohmann::json& in, TaskRun& run) { codec::read_fields(in, run); }
void to_json(nlohmann::json& out, const Progress& progress) { codec::write_fields(out, progress); }
void from_json(const nlohmann::json& in, Progress& progress) { codec::read_fields(in, progress); }
void to_json(nlohmann::json& out, const Job& job) { codec::write_fields(out, job); }
void from_json(const nlohmann::json& in, Job& job) { codec::read_fields(in, job); }
void to_json(nlohmann::json& out, const Problem& problem) { codec::write_fields(out, problem); }
void from_json(const nlohmann::json& in, Problem& problem) { codec::read_fields(in, problem); }
void to_json(nlohmann::json& out, const TaskChoice& choice) { codec::write_fields(out, choice); }
void from_json(const nlohmann::json& in, TaskChoice& choice) { codec::read_fields(in, choice); }
void to_json(nlohmann::json& out, const Program& program) {
  codec::write_variant(out, program, "program", kPrograms);
}
void from_json(const nlohmann::json& in, Program& program) {
  codec::read_variant(in, program, "program", kPrograms);
}
void to_json(nlohmann::json& out, const JobNetwork& network) { codec::write_fields(out, network); }
void from_json(const nlohmann::json& in, JobNetwork& network) { codec::read_fields(in, network); }
void to_json(nlohmann::json& out, const StagedInput& input) { codec::write_fields(out, input); }
void from_json(const nlohmann::json& in, StagedInput& input) { codec::read_fields(in, input); }
void to_json(nlohmann::json& out, const JobData& data) { codec::write_fields(out, data); }
void from_json(const nlohmann::json& in, JobData& data) { codec::read_fields(in, data); }
void to_json(nlohmann::json& out, const NfsShare& share) { codec::write_fields(out, share); }
void from_json(const nlohmann::json& in, NfsShare& share) { codec::read_fields(in, share); }
void to_json(nlohmann::json& out, const LaterTasks& next) { codec::write_fields(out, next); }
void from_json(const nlohmann::json& in, LaterTasks& next) { codec::read_fields(in, next); }
static void to_json(nlohmann::json& out, const DeclaredNeed& need) { codec::write_fields(out, need); }
static void from_json(const nlohmann::json& in, DeclaredNeed& need) { codec::read_fields(in, need); }
void to_json(nlohmann::json& out, const LaterStep& step) { codec::write_fields(out, step); }
void from_json(const nlohmann::json& in, LaterStep& step) { codec::read_fields(in, step); }
void to_json(nlohmann::json& out, const Dependency& one) { codec::write_fields(out, one); }
void from_json(const nlohmann::json& in, Dependency& one) { codec::read_fields(in, one); }
static void to_json(nlohmann::json& out, const StartTerms& terms) { codec::write_fields(out, terms); }
static void from_json(const nlohmann::json& in, StartTerms& terms) { codec::read_fields(in, terms); }
void to_json(nlohmann::json& out, const IndexRun& run) { codec::write_fields(out, run); }
void from_json(const nlohmann::json& in, IndexRun& run) { codec::read_fields(in, run); }
static void to_json(nlohmann::json& out, const ArrayTerms& terms) { codec::write_fields(out, terms); }
static void from_json(const nlohmann::json& in, ArrayTerms& terms) { codec::read_fields(in, terms); }
static void to_json(nlohmann::json& out, const AccountYields& its) { codec::write_fields(out, its); }
static void from_json(const nlohmann::json& in, AccountYields& its) { codec::read_fields(in, its); }
static void to_json(nlohmann::json& out, const ArrayMember& member) { codec::write_fields(out, member); }
static void from_json(const nlohmann::json& in, ArrayMember& member) { codec::read_fields(in, member); }
void to_json(nlohmann::json& out, const Submission& submission) { codec::write_fields(out, submission); }
void from_json(const nlohmann::json& in, Submission& submission) { codec::read_fields(in, submission); }
void to_json(nlohmann::json& out, const Error& error) { codec::write_fields(out, error); }
void from_json(const nlohmann::json& in, Error& error) { codec::read_fields(in, error); }

ALIQUOT_CODEC(Demand);
ALIQUOT_CODEC(Job);
ALIQUOT_CODEC(Program);
ALIQUOT_CODEC(Submission);
ALIQUOT_CODEC(Error);

}  // namespace aliquot
