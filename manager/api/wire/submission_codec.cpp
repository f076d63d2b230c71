#include "manager/api/wire/submission_codec.hpp"

#include <nlohmann/json.hpp>
#include <type_traits>

#include "manager/api/wire/job_data_codec.hpp"
#include "monitor/array_text.hpp"
#include "monitor/codec_words.hpp"
#include "monitor/profile_text.hpp"
#include "monitor/start_text.hpp"
#include "policies/moldable/knowledge.hpp"
#include "policies/moldable/speedup_text.hpp"

namespace aliquot::wire {

using nlohmann::json;

namespace {

constexpr std::int64_t kMaxMemory = std::int64_t{1} << 50;
constexpr std::size_t kLongestProfile = 4096;
constexpr std::int64_t kMaxReruns = 1000;
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxArguments = 4096;
constexpr std::size_t kMaxArgumentBytes = 128 << 10;

const std::vector<std::string> kKinds{"command", "hash_chain", "kernel", "image", "model"};

std::string read_archive_name(Fields& fields) {
  std::string hash = fields.text("archive_sha256", 0, 64, Need::optional);
  if (!hash.empty() &&
      (hash.size() != 64 || hash.find_first_not_of("0123456789abcdef") != std::string::npos))
    fields.fault("archive_sha256", "is no SHA-256; give 64 lower-case hexadecimal digits");
  return hash;
}

Program read_command(Fields& fields) {
  LinuxCommand command;
  command.argv = fields.texts("argv", 1, kMaxArguments, kMaxArgumentBytes);
  command.archive_sha256 = read_archive_name(fields);
  return command;
}

Program read_kernel(Fields& fields) {
  KernelBoot boot;
  boot.kernel = fields.text("kernel", 1, kMaxPath, Need::required);
  boot.initrd = fields.text("initrd", 0, kMaxPath, Need::optional);
  boot.cmdline = fields.text("cmdline", 0, 2048, Need::optional);
  return boot;
}

Program read_image(Fields& fields) {
  ImageBoot boot;
  boot.image = fields.text("image", 1, kMaxPath, Need::required);
  if (fields.has("argv")) boot.argv = fields.texts("argv", 1, kMaxArguments, kMaxArgumentBytes);
  boot.archive_sha256 = read_archive_name(fields);
  return boot;
}

Program read_program(Fields& fields) {
  const std::string kind = fields.one_of("kind", kKinds, Need::required);
  if (kind == "command") return read_command(fields);
  if (kind == "kernel") return read_kernel(fields);
  if (kind == "image") return read_image(fields);
  if (kind == "hash_chain") {
    HashChain chain;
    chain.blocks = static_cast<std::uint32_t>(fields.integer("blocks", 1, 1'000'000, 1, Need::required));
    chain.unit = static_cast<std::uint32_t>(fields.integer("unit", 1, 4'000'000'000, 1, Need::required));
    return chain;
  }
  ModelWork work;
  work.alone = {fields.integer("alone_us", 1, kMaxSpan, 1, Need::required)};
  work.exit_code = static_cast<int>(fields.integer("exit_code", 0, 255, 0, Need::optional));
  return work;
}

constexpr std::int64_t kMaxNodes = 1'000'000;
constexpr std::int64_t kMaxPriority = 1'000'000'000'000;

// Devices and spread; admission checks for contradictions. A job with devices is not movable, and its
// guaranteed yield is 1 unless the submission says otherwise.
void read_constraints(Fields& fields, Demand& demand) {
  const auto count = [&](const char* key, std::int64_t most, std::int64_t otherwise) {
    return fields.integer(key, 0, most, otherwise, Need::optional);
  };
  demand.devices.per_node = static_cast<std::uint16_t>(count("gpus", 10'000, 0));
  demand.devices.parts = static_cast<std::uint16_t>(count("gpu_parts", kWholeDevice, kWholeDevice));
  demand.spread = {static_cast<std::uint32_t>(count("nodes_min", kMaxNodes, 0)),
                   static_cast<std::uint32_t>(count("nodes_max", kMaxNodes, 0)),
                   static_cast<std::uint32_t>(count("tasks_per_node", kMaxNodes, 0)),
                   fields.boolean("contiguous", false)};
  demand.priority = fields.integer("priority", -kMaxPriority, kMaxPriority, 0, Need::optional);
  demand.hypervisor =
      from_word<HypervisorKind>(fields.one_of("hypervisor", {"libvirt", "xen"}, Need::optional));
}

// The profile says how many tasks the job begins with.
void read_profile(Fields& fields, Submission& s) {
  const std::string text = fields.text("profile", 0, kLongestProfile, Need::optional);
  if (text.empty()) return;
  if (fields.has("tasks")) fields.fault("tasks", "is given beside a profile; leave one of them out");
  auto profile = parse_profile(text);
  if (!profile) return fields.fault("profile", "is wrong: " + profile.error().message);
  s.demand.tasks = profile->tasks;
  s.profile = std::move(profile->later);
}

void read_start(Fields& fields, StartTerms& start) {
  start.singleton = fields.boolean("singleton", false);
  const std::string text = fields.text("after", 0, kLongestDependencies, Need::optional);
  if (text.empty()) return;
  auto after = parse_dependencies(text);
  if (!after) return fields.fault("after", "is wrong: " + after.error().message);
  start.after = std::move(*after);
}

void read_array(Fields& fields, Submission& s) {
  const std::string text = fields.text("array", 0, kLongestArray, Need::optional);
  if (text.empty()) return;
  auto array = parse_array(text);
  if (!array) return fields.fault("array", "is wrong: " + array.error().message);
  s.array = std::move(*array);
}

void read_problem(Fields& fields, Submission& s) {
  const std::string application =
      fields.text("application", 0, moldable::kLongestApplication, Need::optional);
  const auto size = fields.optional_integer("problem_size", 0, kMaxProblem);
  const auto iterations = fields.optional_integer("iterations", 1, kMaxProblem);
  if (application.empty()) {
    if (size || iterations)
      fields.fault("application", "is missing; problem_size and iterations go with it");
    return;
  }
  if (!moldable::is_application(application))
    return fields.fault("application", std::string("is no name; ") + moldable::kApplicationNames);
  if (!size) return fields.fault("problem_size", "is missing; it goes with application");
  s.problem = Problem{application, static_cast<std::uint64_t>(*size),
                      static_cast<std::uint64_t>(iterations.value_or(1))};
}

// Of a job that offers a range, and says neither its speed-up nor its application, the speed-up is perfect.
void read_task_choice(Fields& fields, Submission& s) {
  const auto most = fields.optional_integer("tasks_most", 1, kMaxTasks);
  const std::string speedup = fields.text("speedup", 0, moldable::kLongestSpeedup, Need::optional);
  if (!most) return;
  s.choice = TaskChoice{s.demand.tasks, static_cast<std::uint32_t>(*most), speedup, ""};
  if (speedup.empty() && !s.problem) s.choice->speedup = "perfect";
}

}  // namespace

Submission read_submission(Fields& fields) {
  Submission s;
  s.demand.tasks = static_cast<std::uint32_t>(fields.integer("tasks", 1, kMaxTasks, 1, Need::optional));
  read_profile(fields, s);
  s.grace = {fields.integer("grace_us", 0, kMaxGrace.raw, kGrace.raw, Need::optional)};
  read_problem(fields, s);
  read_task_choice(fields, s);
  s.demand.need = {fields.integer("cpu_microcores", 1, kMaxCpu, 1, Need::required)};
  s.guest_memory = {fields.integer("memory_bytes", 1, kMaxMemory, 1, Need::required)};
  s.demand.memory = s.guest_memory;
  if (const auto most = fields.optional_integer("max_cpu_microcores", 1, kMaxCpu)) s.max_need = Cpu{*most};
  s.need_mode = needs::mode_named(
      fields.one_of("needs", {needs::kModeNames.begin(), needs::kModeNames.end()}, Need::optional));
  read_constraints(fields, s.demand);
  const std::int64_t least = s.demand.devices.any() ? kMillion : 0;
  s.demand.min_yield = {fields.integer("min_yield_ppm", 0, kMillion, least, Need::optional)};
  if (const auto us = fields.optional_integer("estimate_us", 1, kMaxSpan))
    s.demand.estimate = Duration{*us};
  if (const auto us = fields.optional_integer("time_limit_us", 1, kMaxSpan)) s.time_limit = Duration{*us};
  if (const auto us = fields.optional_integer("wall_limit_us", 1, kMaxSpan)) s.wall_limit = Duration{*us};
  if (const auto us = fields.optional_integer("warn_us", 1, kMaxSpan)) s.warn = Duration{*us};
  if (const auto us = fields.optional_integer("checkpoint_us", 0, kMaxSpan)) s.checkpoint = Duration{*us};
  const std::string on_failure = fields.one_of("on_task_failure", {"fail", "continue"}, Need::optional);
  s.on_task_failure = from_word<OnTaskFailure>(on_failure).value_or(OnTaskFailure::fail);
  if (const auto times = fields.optional_integer("requeue", 0, kMaxReruns))
    s.requeue = static_cast<std::uint32_t>(*times);
  s.demand.movable = fields.boolean("movable", true) && !s.demand.devices.any();
  s.hold = fields.boolean("hold", false);
  read_start(fields, s.start);
  read_array(fields, s);
  s.name = fields.text("name", 0, 256, Need::optional);
  s.account = fields.text("account", 0, 256, Need::optional);
  s.data = read_job_data(fields);
  if (const json* program = fields.object("program", Need::required)) {
    Fields inner(*program, "program.");
    s.program = read_program(inner);
    fields.take_fault(inner.finish());
  }
  return s;
}

json program_json(const Program& program) {
  return std::visit(
      [](const auto& p) -> json {
        using P = std::decay_t<decltype(p)>;
        if constexpr (std::is_same_v<P, ModelWork>) {
          return {{"kind", "model"}, {"alone_us", p.alone.raw}, {"exit_code", p.exit_code}};
        } else if constexpr (std::is_same_v<P, LinuxCommand>) {
          json out{{"kind", "command"}, {"argv", p.argv}};
          if (!p.archive_sha256.empty()) out["archive_sha256"] = p.archive_sha256;
          return out;
        } else if constexpr (std::is_same_v<P, HashChain>) {
          return {{"kind", "hash_chain"}, {"blocks", p.blocks}, {"unit", p.unit}};
        } else if constexpr (std::is_same_v<P, KernelBoot>) {
          json out{{"kind", "kernel"}, {"kernel", p.kernel}, {"initrd", p.initrd}, {"cmdline", p.cmdline}};
          if (!p.kernel_sha256.empty()) out["kernel_sha256"] = p.kernel_sha256;
          if (!p.initrd_sha256.empty()) out["initrd_sha256"] = p.initrd_sha256;
          return out;
        } else {
          static_assert(std::is_same_v<P, ImageBoot>);
          json out{{"kind", "image"}, {"image", p.image}};
          if (!p.image_sha256.empty()) out["image_sha256"] = p.image_sha256;
          if (!p.argv.empty()) out["argv"] = p.argv;
          if (!p.archive_sha256.empty()) out["archive_sha256"] = p.archive_sha256;
          if (p.uefi) out["uefi"] = true;
          return out;
        }
      },
      program);
}

json constraints_json(const Demand& demand) {
  json out = json::object();
  const auto add = [&](const char* key, std::int64_t value) {
    if (value != 0) out[key] = value;
  };
  add("gpus", demand.devices.per_node);
  if (demand.devices.parts != kWholeDevice) out["gpu_parts"] = demand.devices.parts;
  add("nodes_min", demand.spread.min_nodes);
  add("nodes_max", demand.spread.max_nodes);
  add("tasks_per_node", demand.spread.per_node);
  if (demand.spread.contiguous) out["contiguous"] = true;
  add("priority", demand.priority);
  if (demand.hypervisor) out["hypervisor"] = word(*demand.hypervisor);
  return out;
}

json task_choice_json(const Submission& submission) {
  if (!submission.choice) return nullptr;
  const TaskChoice& choice = *submission.choice;
  return {{"least", choice.least}, {"most", choice.most}, {"speedup", choice.speedup}, {"why", choice.why}};
}

json problem_json(const Submission& submission) {
  if (!submission.problem) return nullptr;
  const Problem& problem = *submission.problem;
  return {{"application", problem.application},
          {"problem_size", problem.size},
          {"iterations", problem.iterations}};
}

json submission_json(const Submission& s) {
  json out{{"tasks", s.demand.tasks},
           {"cpu_microcores", s.demand.need.raw},
           {"memory_bytes", s.guest_memory.raw},
           {"min_yield_ppm", s.demand.min_yield.raw},
           {"movable", s.demand.movable},
           {"hold", s.hold},
           {"name", s.name},
           {"account", s.account},
           {"program", program_json(s.program)}};
  if (s.on_task_failure != OnTaskFailure::fail)
    out["on_task_failure"] = std::string(word(s.on_task_failure));
  if (!s.start.after.empty()) out["after"] = print_dependencies(s.start.after);
  if (s.start.singleton) out["singleton"] = true;
  if (s.array) out["array"] = print_array(*s.array);
  if (s.choice) out["tasks"] = s.choice->least, out["tasks_most"] = s.choice->most;
  if (s.choice && !s.choice->speedup.empty()) out["speedup"] = s.choice->speedup;
  if (s.problem) out.update(problem_json(s));
  if (!s.profile.empty()) out.erase("tasks"), out["profile"] = print_profile(s.demand.tasks, s.profile);
  if (s.grace != kGrace) out["grace_us"] = s.grace.raw;
  if (s.max_need) out["max_cpu_microcores"] = s.max_need->raw;
  if (s.need_mode) out["needs"] = needs::name_of(*s.need_mode);
  if (s.demand.estimate) out["estimate_us"] = s.demand.estimate->raw;
  if (s.time_limit) out["time_limit_us"] = s.time_limit->raw;
  if (s.wall_limit) out["wall_limit_us"] = s.wall_limit->raw;
  if (s.warn) out["warn_us"] = s.warn->raw;
  if (s.checkpoint) out["checkpoint_us"] = s.checkpoint->raw;
  if (s.requeue) out["requeue"] = *s.requeue;
  if (json data = job_data_json(s.data); !data.is_null()) out["data"] = std::move(data);
  out.update(constraints_json(s.demand));
  return out;
}

// Names of models, of at most 63 characters each, with | between them.
constexpr std::size_t kLongestModels = DeviceModels::kMost * 64 - 1;

Submit read_submit(Fields& fields) {
  Submit submit;
  submit.submission = read_submission(fields);
  submit.gpu_model = fields.text("gpu_model", 0, kLongestModels, Need::optional);
  submit.network = fields.one_of("network", {"none", "job", "site"}, Need::optional);
  if (const auto bps = fields.optional_integer("bandwidth_bps", kLeastBandwidth.raw, kMostBandwidth.raw))
    submit.bandwidth = {*bps};
  if (fields.has("shares")) submit.shares = fields.texts("shares", 0, 64, std::size_t{64} * 64);
  constexpr std::int64_t kYear2100 = 4'102'444'800'000'000;
  submit.begin_unix_us = fields.optional_integer("begin_unix_us", 0, kYear2100);
  submit.dry_run = fields.boolean("dry_run", false);
  submit.archive_file = fields.text("archive_file", 0, kMaxPath, Need::optional);
  if (!submit.archive_file.empty())
    submit.archive_bytes =
        static_cast<std::uint64_t>(fields.integer("archive_bytes", 1, kMaxMemory, 1, Need::required));
  return submit;
}

json submit_json(const Submit& submit) {
  json body = submission_json(submit.submission);
  body["dry_run"] = submit.dry_run;
  if (submit.begin_unix_us) body["begin_unix_us"] = *submit.begin_unix_us;
  if (!submit.gpu_model.empty()) body["gpu_model"] = submit.gpu_model;
  if (!submit.network.empty()) body["network"] = submit.network;
  if (submit.bandwidth.raw > 0) body["bandwidth_bps"] = submit.bandwidth.raw;
  if (!submit.shares.empty()) body["shares"] = submit.shares;
  if (submit.archive_file.empty()) return body;
  body["archive_file"] = submit.archive_file;
  body["archive_bytes"] = submit.archive_bytes;
  return body;
}

}  // namespace aliquot::wire
