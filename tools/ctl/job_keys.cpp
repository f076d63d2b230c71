// The words of a job on the command line and in a file, each with its field and its help.
#include "tools/ctl/job_text.hpp"

namespace aliquot::ctl {

const std::vector<JobKey>& job_keys() {
  static const std::vector<JobKey> keys{
      {"tasks", &JobText::tasks,
       "number of tasks, each in a VM of its own (1); or a range, 2-16, from which the manager chooses",
       "-n,--ntasks"},
      {"profile", &JobText::profile, "numbers of tasks by virtual time, known beforehand: 60s:1,5m:4,2"},
      {"grace", &JobText::grace, "how long a task that is to leave may go on after it has been told (30s)"},
      {"speedup", &JobText::speedup,
       "of a range of tasks, how the speed depends on their number: amdahl:SERIAL, downey:A:SIGMA, "
       "table:TASKS=SPEEDUP,..., or perfect (perfect; with --application, what its finished runs have "
       "taught)"},
      {"application", &JobText::application,
       "what it computes: its run teaches how many tasks are best (goes with --problem-size)"},
      {"problem-size", &JobText::problem_size, "of the application: a whole number, for example of cells"},
      {"iterations", &JobText::iterations, "of the application, by which run times are compared (1)"},
      {"cpus", &JobText::cpus, "CPU need of a task, in reference cores (1)", "-c,--cpus-per-task"},
      {"cpu", &JobText::cpu, "CPU need of a task, as a percentage of the reference node"},
      {"max-cpus", &JobText::max_cpus,
       "the most that `aliquot set --cpus` may make of that while it runs: its VM has so many vCPUs (the "
       "need)"},
      {"needs", &JobText::needs,
       "what it is counted with: declared (--cpus), learned (less, as its tasks are seen to use) or "
       "learned-up (or more, up to --max-cpus) (as the site has it)"},
      {"mem", &JobText::mem, "memory of a task's guest (128MiB, or what its files need)"},
      {"name", &JobText::name, "name of the job", "-J,--job-name"},
      {"account", &JobText::account, "account it is counted for", "-A"},
      {"min-yield", &JobText::min_yield, "guaranteed whenever it runs, for example 0.5 or 50%"},
      {"time-limit", &JobText::time_limit,
       "of served time, for example 10m or 01:30:00: a slowed job is not cut short", "-t,--time"},
      {"wall-limit", &JobText::wall_limit, "of the time since it first ran, pauses included, such as 2h"},
      {"warn", &JobText::warn, "so long before a limit its commands get SIGTERM, for example 1m"},
      {"checkpoint", &JobText::checkpoint,
       "how much served time it may lose with its node, for example 10m; off (the site's)"},
      {"estimate", &JobText::estimate,
       "of its run time alone; EASY, CONSERVATIVE and BACKFILL plan with it, others forecast at most"},
      {"on-task-failure", &JobText::on_task_failure,
       "when a task fails: fail (the others are ended) or continue (they run to their ends) (fail)"},
      {"kernel", &JobText::kernel, "boot a copy of this kernel (a path that files.roots allows)"},
      {"initrd", &JobText::initrd, "with this initrd"},
      {"cmdline", &JobText::cmdline, "and this command line"},
      {"image", &JobText::image,
       "boot this disk image, as `aliquot image list` names it, and run the command in it, if there is "
       "one"},
      {"hash-chain", &JobText::hash_chain, "BLOCKS:UNIT of the tiny guest whose output can be recomputed"},
      {"gpus", &JobText::gpus, "whole devices on each of its nodes; the job then stays where it starts"},
      {"gpu-model", &JobText::gpu_model,
       "of this model, as `aliquot node list` names them (any), or of one of these: V100|A100"},
      {"gpu-parts", &JobText::gpu_parts, "with --gpus 1: so many thousandths of it, a hard slice (1000)"},
      {"nodes", &JobText::nodes, "on how many nodes: 4, or 1-4", "-N"},
      {"tasks-per-node", &JobText::tasks_per_node, "so many tasks on each node", "--ntasks-per-node"},
      {"priority", &JobText::priority, "larger first, for the policies that look at it (0)"},
      {"begin", &JobText::begin, "not before now+2h, 16:00, 2026-12-01T08:00 (local; with a Z: UTC)", "-b"},
      {"array", &JobText::array, "many jobs as one: 0-99, 1,3,5-9:2, 0-999%50 (50 at a time)", "-a"},
      {"requeue", &JobText::requeue, "start anew so often if its node dies (what the site has, usually 0)"},
      {"hypervisor", &JobText::hypervisor, "only on nodes of libvirt, or of xen (any that can run it)"},
      {"network", &JobText::network,
       "job: one between its tasks, and to nothing else; site: the site's own; none (as the site has it)"},
      {"net", &JobText::net, "what a task may send, and receive, on its network, for example 200Mbit"},
      {"mpi", &JobText::mpi,
       "an MPI program, one process for each task; --mpi=mpich or --mpi=openmpi if its libraries do not "
       "tell",
       nullptr, "auto"},
      {"workdir", &JobText::workdir,
       "directory in the guest in which the command starts (/job with input or result files, else /)"},
      {"stdin", &JobText::stdin_file, "a file that becomes the standard input of the command"},
      {"stage-out-max", &JobText::stage_out_max,
       "largest size of the result files of a task (limits.max_stage_out of the site)"},
  };
  return keys;
}

const std::vector<JobListKey>& job_list_keys() {
  static const std::vector<JobListKey> keys{
      {"after", &JobText::after,
       "not before other jobs: ok:7 (it has completed), notok:7 (it has failed), any:7 (it has ended), "
       "start:7 (it has started); several are separated by commas: all must hold"},
      {"env", &JobText::env, "NAME=VALUE for the command, or NAME with the value it has here; repeatable"},
      {"stage-in", &JobText::stage_in,
       "a file or directory that the guest gets, in its working directory; repeatable"},
      {"stage-out", &JobText::stage_out,
       "a file or directory of the guest to be kept for `aliquot fetch`; repeatable"},
      {"share", &JobText::share,
       "a directory of the site (`shares` in its configuration), which the guest gets; repeatable"},
  };
  return keys;
}

}  // namespace aliquot::ctl
