#include "tools/ctl/job_text.hpp"

#include <cstdlib>
#include <ctime>

#include "config/quantities.hpp"
#include "monitor/array_text.hpp"
#include "monitor/codec_words.hpp"
#include "monitor/profile_text.hpp"
#include "monitor/start_text.hpp"
#include "policies/moldable/knowledge.hpp"
#include "tools/ctl/begin_time.hpp"
#include "tools/ctl/slurm_words.hpp"

namespace aliquot::ctl {

namespace {

tl::unexpected<Error> wrong(std::string text) { return fail(ErrorKind::invalid_argument, std::move(text)); }

// Puts the parsed value of `text` through `set`, or says which option was wrong.
template <class Parse, class Set>
Result<void> take(const char* option, const std::optional<std::string>& text, Parse parse, Set set) {
  if (!text) return {};
  const auto value = parse(*text);
  if (!value) return wrong(std::string(option) + ": " + value.error().message);
  set(*value);
  return {};
}

Result<HashChain> parse_hash_chain(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) {
    const auto blocks = parse_count(text.substr(0, colon));
    const auto unit = parse_count(text.substr(colon + 1));
    if (blocks && unit && *blocks >= 1 && *blocks <= 1'000'000 && *unit >= 1 && *unit <= 4'000'000'000)
      return HashChain{static_cast<std::uint32_t>(*blocks), static_cast<std::uint32_t>(*unit)};
  }
  return wrong(quote(text) +
               " is no BLOCKS:UNIT, for example 100:20000000 (blocks up to 1000000, steps of a "
               "block up to 4000000000)");
}

// "4", or "2-16".
Result<moldable::TaskRange> parse_tasks(const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto least = parse_count(text.substr(0, dash));
  const auto most = dash == std::string::npos ? least : parse_count(text.substr(dash + 1));
  if (least && most && *least >= 1 && *most >= *least && *most <= 1'000'000)
    return moldable::TaskRange{static_cast<std::uint32_t>(*least), static_cast<std::uint32_t>(*most)};
  return wrong(quote(text) +
               " is no number of tasks; write a whole number from 1 to 1000000, or 2-16 to let the manager "
               "choose");
}

// The number of tasks, or the range from which the manager chooses it.
Result<void> take_tasks(const JobText& job, Submission& s) {
  moldable::TaskRange range;
  auto taken = take("--tasks", job.tasks, parse_tasks, [&](moldable::TaskRange asked) { range = asked; });
  if (!taken) return taken;
  s.demand.tasks = range.least;
  if (job.profile && job.tasks)
    return wrong("--tasks and --profile exclude each other: the profile begins with a number of tasks");
  if (job.profile) {
    auto profile = parse_profile(*job.profile);
    if (!profile) return wrong("--profile: " + profile.error().message);
    s.demand.tasks = profile->tasks;
    s.profile = std::move(profile->later);
    return {};
  }
  if (range.least == range.most && job.speedup)
    return wrong("--speedup goes with a range of tasks; write --tasks 2-16, or leave it out");
  if (range.least != range.most)
    s.choice = TaskChoice{range.least, range.most, job.speedup.value_or(s.problem ? "" : "perfect"), ""};
  return {};
}

Result<std::uint64_t> parse_amount(const std::string& text) {
  if (const auto count = parse_count(text); count && *count >= 0) return static_cast<std::uint64_t>(*count);
  return wrong(quote(text) + " is no whole number");
}

// What the job computes, for the knowledge base.
Result<void> take_problem(const JobText& job, Submission& s) {
  if (!job.application) {
    if (!job.problem_size && !job.iterations) return {};
    return wrong("--problem-size and --iterations go with --application; give it, or leave them out");
  }
  if (!moldable::is_application(*job.application))
    return wrong("--application: " + quote(*job.application) + " is no name; " +
                 moldable::kApplicationNames);
  if (!job.problem_size)
    return wrong("--application goes with --problem-size N, in a unit of the application's own");
  Problem problem{*job.application, 0, 1};
  return take("--problem-size", job.problem_size, parse_amount, [&](std::uint64_t n) { problem.size = n; })
      .and_then([&] {
        return take("--iterations", job.iterations, parse_amount,
                    [&](std::uint64_t n) { problem.iterations = n; });
      })
      .map([&] { s.problem = problem; });
}

Result<Duration> parse_positive_duration(const std::string& text) {
  const auto duration = parse_duration(slurm::time_text(text));
  if (duration && duration->raw <= 0) return wrong(quote(text) + " must be above 0");
  return duration;
}

Result<Memory> parse_guest_memory(const std::string& text) {
  return parse_memory(slurm::memory_text(text));
}

Result<Duration> parse_checkpoint(const std::string& text) {
  return text == "off" ? Duration{} : parse_positive_duration(text);
}

Result<OnTaskFailure> parse_on_task_failure(const std::string& text) {
  if (const auto what = from_word<OnTaskFailure>(text)) return *what;
  return wrong(quote(text) + " is neither fail nor continue; write one of them");
}

Result<needs::NeedMode> parse_need_mode(const std::string& text) {
  if (const auto mode = needs::mode_named(text)) return *mode;
  return wrong(quote(text) + " is none of declared, learned and learned-up; write one of them");
}

Result<Cpu> need_of(const JobText& job, std::optional<Cpu> reference) {
  if (job.cpus && job.cpu) return wrong("--cpus and --cpu exclude each other; give one of them");
  if (job.cpu) {
    const auto share = parse_ratio(*job.cpu);
    if (!share || job.cpu->back() != '%')
      return wrong("--cpu: " + (share
                                    ? quote(*job.cpu) + " is no percentage; write it with %, or use --cpus"
                                    : share.error().message));
    if (!reference) return wrong("--cpu: how much CPU the reference node has is not known yet; use --cpus");
    return *reference * Yield{*share};
  }
  const auto cores = parse_cores(job.cpus.value_or("1"));
  if (!cores) return wrong("--cpus: " + cores.error().message);
  if (cores->raw <= 0) return wrong("--cpus: a task must need some CPU; give more than 0");
  return *cores;
}

// When it may start.
Result<void> take_start(const JobText& job, Submit& submit) {
  StartTerms& start = submit.submission.start;
  start.singleton = job.singleton;
  if (job.singleton && !job.name)
    return wrong("--singleton goes with --name: one job of it runs at a time");
  for (const std::string& text : job.after) {
    const auto after = parse_dependencies(text);
    if (!after) return wrong("--after: " + after.error().message);
    start.after.insert(start.after.end(), after->begin(), after->end());
  }
  if (start.after.size() > kMostDependencies)
    return wrong("--after: a job may wait for at most " + std::to_string(kMostDependencies) + " others");
  if (auto taken = take("--array", job.array, parse_array,
                        [&](const ArrayTerms& terms) { submit.submission.array = terms; });
      !taken)
    return taken;
  return take(
      "--begin", job.begin, [](const std::string& text) { return parse_begin(text, std::time(nullptr)); },
      [&](std::time_t at) { submit.begin_unix_us = std::int64_t{at} * 1'000'000; });
}

Result<Program> program_of(const JobText& job) {
  // The command of a job with an image is run by the system in the image.
  const bool command = !job.command.empty() && !job.image;
  const int ways =
      (command ? 1 : 0) + (job.kernel ? 1 : 0) + (job.image ? 1 : 0) + (job.hash_chain ? 1 : 0);
  if (ways == 0)
    return wrong(
        "there is nothing to run; write the command after --, or give --kernel, --image or "
        "--hash-chain");
  if (ways > 1)
    return wrong(
        "a command, --kernel, --image and --hash-chain exclude each other; give one (a command may go with "
        "--image)");
  if ((job.initrd || job.cmdline) && !job.kernel)
    return wrong("--initrd and --cmdline go with --kernel only");
  if (job.kernel) return KernelBoot{*job.kernel, job.initrd.value_or(""), job.cmdline.value_or("")};
  if (job.image) {
    ImageBoot boot{*job.image, {}, job.command};
    if (job.mpi) boot.argv.insert(boot.argv.begin(), {"aliquot-mpi", *job.mpi});
    return boot;
  }
  if (!job.hash_chain) return LinuxCommand{job.command, {}};
  const auto chain = parse_hash_chain(*job.hash_chain);
  if (!chain) return wrong("--hash-chain: " + chain.error().message);
  return *chain;
}

Result<std::int64_t> parse_up_to(const std::string& text, std::int64_t most) {
  const auto count = parse_count(text);
  if (count && *count >= 0 && *count <= most) return static_cast<std::int64_t>(*count);
  return wrong(quote(text) + " is no whole number from 0 to " + std::to_string(most));
}

Result<std::int64_t> parse_priority(const std::string& text) {
  const bool below = text.starts_with('-');
  const auto size = parse_up_to(text.substr(below ? 1 : 0), 1'000'000'000'000);
  if (!size) return wrong(quote(text) + " is no whole number from -10^12 to 10^12");
  return below ? -*size : *size;
}

Result<HypervisorKind> parse_hypervisor(const std::string& text) {
  if (const auto kind = from_word<HypervisorKind>(text)) return *kind;
  return wrong(quote(text) + " is no hypervisor; write libvirt or xen");
}

Result<std::string> parse_network(const std::string& text) {
  if (text == "none" || text == "job" || text == "site") return text;
  return wrong(quote(text) + " is no network; write job, site or none");
}

Result<Bandwidth> parse_net(const std::string& text) {
  const auto bandwidth = parse_bandwidth(text);
  if (!bandwidth || (*bandwidth >= kLeastBandwidth && *bandwidth <= kMostBandwidth)) return bandwidth;
  return wrong(quote(text) + " is not from " + print_bandwidth(kLeastBandwidth) + " to " +
               print_bandwidth(kMostBandwidth));
}

// "4" or "1-4".
Result<std::pair<std::int64_t, std::int64_t>> parse_nodes(const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto least = parse_up_to(text.substr(0, dash), 1'000'000);
  const auto most = dash == std::string::npos ? least : parse_up_to(text.substr(dash + 1), 1'000'000);
  if (least && most && *least >= 1 && *most >= *least) return std::pair(*least, *most);
  return wrong(quote(text) + " is no number of nodes; write 4, or 1-4 for at least 1 and at most 4");
}

// What contradicts itself, or what there is not, the manager says.
Result<void> take_constraints(const JobText& job, Submit& submit) {
  Demand& demand = submit.submission.demand;
  const auto small = [](const std::string& text) { return parse_up_to(text, 10'000); };
  const auto parts = [](const std::string& text) { return parse_up_to(text, kWholeDevice); };
  const auto tasks = [](const std::string& text) { return parse_up_to(text, 1'000'000); };
  const Result<void> read[] = {
      take("--gpus", job.gpus, small,
           [&](std::int64_t n) { demand.devices.per_node = static_cast<std::uint16_t>(n); }),
      take("--gpu-parts", job.gpu_parts, parts,
           [&](std::int64_t n) { demand.devices.parts = static_cast<std::uint16_t>(n); }),
      take("--nodes", job.nodes, parse_nodes,
           [&](std::pair<std::int64_t, std::int64_t> n) {
             demand.spread.min_nodes = static_cast<std::uint32_t>(n.first);
             demand.spread.max_nodes = static_cast<std::uint32_t>(n.second);
           }),
      take("--tasks-per-node", job.tasks_per_node, tasks,
           [&](std::int64_t n) { demand.spread.per_node = static_cast<std::uint32_t>(n); }),
      take("--priority", job.priority, parse_priority, [&](std::int64_t n) { demand.priority = n; }),
      take("--hypervisor", job.hypervisor, parse_hypervisor,
           [&](HypervisorKind kind) { demand.hypervisor = kind; }),
      take("--network", job.network, parse_network,
           [&](const std::string& network) { submit.network = network; }),
      take("--net", job.net, parse_net, [&](Bandwidth bandwidth) { submit.bandwidth = bandwidth; }),
  };
  for (const Result<void>& one : read)
    if (!one) return one;
  demand.spread.contiguous = job.contiguous;
  submit.gpu_model = job.gpu_model.value_or("");
  submit.shares = job.share;
  if (!demand.devices.any()) return {};
  demand.movable = false;
  if (!job.min_yield) demand.min_yield = kFullYield;
  return {};
}

// What aliquot-mpi takes care of in the guest: a VM for each task, and a network between them.
Result<void> take_mpi(const JobText& job, Submit& submit) {
  if (!job.mpi) return {};
  if (*job.mpi != "auto" && *job.mpi != "mpich" && *job.mpi != "openmpi")
    return wrong("--mpi: " + quote(*job.mpi) +
                 " is no MPI that is known; write mpich or openmpi, or leave it to "
                 "the program's libraries (auto)");
  if (job.command.empty()) return wrong("--mpi goes with a command only; write the MPI program after --");
  if (submit.submission.demand.devices.any())
    return wrong(
        "--mpi starts a process in the VM of each task, and a job with devices has one VM on each node; "
        "leave it out, and start the MPI's own launcher");
  if (submit.submission.demand.tasks == 1 && !submit.submission.choice) return {};
  if (job.network && *job.network != "job")
    return wrong("--mpi: the tasks of an MPI job need a network of their own; leave --network " +
                 *job.network + " out");
  if (submit.network.empty()) submit.network = "job";
  return {};
}

Result<std::string> variable_of(const std::string& text) {
  if (text.find('=') != std::string::npos) return text;
  const char* value = std::getenv(text.c_str());
  if (value == nullptr)
    return wrong("--env: there is no variable " + quote(text) +
                 " in this environment; set it, or give --env " + text + "=VALUE");
  return text + "=" + value;
}

Result<void> take_data(const JobText& job, JobData& data) {
  for (const std::string& text : job.env) {
    auto variable = variable_of(text);
    if (!variable) return tl::unexpected<Error>(variable.error());
    data.env.push_back(std::move(*variable));
  }
  const bool has_files = !job.stage_in.empty() || !job.stage_out.empty();
  data.workdir = job.workdir.value_or(has_files ? kDefaultWorkdir : "");
  data.stage_out = job.stage_out;
  if (job.stage_out_max && job.stage_out.empty())
    return wrong("--stage-out-max goes with --stage-out only; name the result files");
  return take("--stage-out-max", job.stage_out_max, parse_guest_memory,
              [&](Memory m) { data.stage_out_max = m; });
}

}  // namespace

Result<Submit> to_submit(const JobText& job, std::optional<Cpu> reference) {
  Submit submit;
  Submission& s = submit.submission;
  s.guest_memory = mebibytes(128);
  const auto need = need_of(job, reference);
  if (!need) return tl::unexpected<Error>(need.error());
  s.demand.need = *need;
  const Result<void> read[] = {
      take_problem(job, s),
      take_tasks(job, s),
      take("--grace", job.grace, parse_duration, [&s](Duration grace) { s.grace = grace; }),
      take("--max-cpus", job.max_cpus, parse_cores, [&s](Cpu most) { s.max_need = most; }),
      take("--needs", job.needs, parse_need_mode, [&s](needs::NeedMode mode) { s.need_mode = mode; }),
      take("--mem", job.mem, parse_guest_memory, [&s](Memory m) { s.guest_memory = m; }),
      take("--min-yield", job.min_yield, parse_ratio,
           [&s](std::int64_t ppm) { s.demand.min_yield = {ppm}; }),
      take(
          "--requeue", job.requeue, [](const std::string& text) { return parse_up_to(text, 1000); },
          [&s](std::int64_t n) { s.requeue = static_cast<std::uint32_t>(n); }),
      take("--time-limit", job.time_limit, parse_positive_duration, [&s](Duration d) { s.time_limit = d; }),
      take("--wall-limit", job.wall_limit, parse_positive_duration, [&s](Duration d) { s.wall_limit = d; }),
      take("--warn", job.warn, parse_positive_duration, [&s](Duration d) { s.warn = d; }),
      take("--checkpoint", job.checkpoint, parse_checkpoint, [&s](Duration d) { s.checkpoint = d; }),
      take("--on-task-failure", job.on_task_failure, parse_on_task_failure,
           [&s](OnTaskFailure what) { s.on_task_failure = what; }),
      take("--estimate", job.estimate, parse_positive_duration,
           [&s](Duration d) { s.demand.estimate = d; }),
  };
  for (const Result<void>& one : read)
    if (!one) return tl::unexpected<Error>(one.error());
  if (auto taken = take_constraints(job, submit); !taken) return tl::unexpected<Error>(taken.error());
  if (auto taken = take_mpi(job, submit); !taken) return tl::unexpected<Error>(taken.error());
  if (most_cpu(s) < s.demand.need)
    return wrong("--max-cpus: " + quote(*job.max_cpus) + " is below the need of " +
                 say_cores(s.demand.need) + "; raise it, or leave it out");
  if (s.demand.min_yield > kFullYield) return wrong("--min-yield: it must be from 0 to 1");
  if (s.guest_memory.raw <= 0) return wrong("--mem: a guest needs some memory; give more than 0");
  s.demand.memory = s.guest_memory;
  if (auto taken = take_data(job, s.data); !taken) return tl::unexpected<Error>(taken.error());
  s.name = job.name.value_or("");
  s.account = job.account.value_or("");
  s.hold = job.hold;
  if (auto taken = take_start(job, submit); !taken) return tl::unexpected<Error>(taken.error());
  auto program = program_of(job);
  if (!program) return tl::unexpected<Error>(program.error());
  s.program = std::move(*program);
  return submit;
}

void overlay(JobText& job, const JobText& over) {
  for (const JobKey& key : job_keys())
    if (over.*key.field) job.*key.field = over.*key.field;
  for (const JobListKey& key : job_list_keys())
    for (const std::string& text : over.*key.field) (job.*key.field).push_back(text);
  // One way to say the need, and one thing to run, replace the other ways.
  if (over.cpus) job.cpu.reset();
  if (over.cpu) job.cpus.reset();
  if (!over.command.empty()) job.command = over.command;
  job.hold = job.hold || over.hold;
  job.contiguous = job.contiguous || over.contiguous;
  job.singleton = job.singleton || over.singleton;
}

}  // namespace aliquot::ctl
