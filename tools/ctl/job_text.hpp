// A job as its user wrote it, on the command line or in a file: every value still text. One function turns
// it into a request, so that both ways know the same words and give the same errors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/api/wire/request.hpp"
#include "policies/model/error.hpp"

namespace aliquot::ctl {

struct JobText {
  std::optional<std::string> tasks;        // "4", or "2-16"
  std::optional<std::string> profile;      // "60s:1,5m:4,2"
  std::optional<std::string> grace;        // "30s": between the notice to a task and its end
  std::optional<std::string> speedup;      // "amdahl:0.05"
  std::optional<std::string> application;  // "cfd": finished runs of it have taught how many tasks are best
  std::optional<std::string> problem_size;  // "1000000", in a unit of its own
  std::optional<std::string> iterations;    // "500"
  std::optional<std::string> cpus;          // "1.5": reference cores
  std::optional<std::string> cpu;           // "40%": of the reference node
  std::optional<std::string> max_cpus;      // "4": what its need may grow to
  std::optional<std::string> needs;         // "learned": whether its need is learned
  std::optional<std::string> mem;           // "128MiB": what the guest sees
  std::optional<std::string> name;
  std::optional<std::string> account;
  std::optional<std::string> min_yield;        // "0.5" or "50%"
  std::optional<std::string> time_limit;       // "10m", of virtual time
  std::optional<std::string> wall_limit;       // "2h", since it first ran
  std::optional<std::string> warn;             // "1m", before a limit
  std::optional<std::string> checkpoint;       // "10m", of virtual time, or "off"
  std::optional<std::string> estimate;         // "10m": of the run time alone
  std::optional<std::string> on_task_failure;  // "fail" or "continue"
  std::optional<std::string> kernel;
  std::optional<std::string> initrd;
  std::optional<std::string> cmdline;
  std::optional<std::string> image;
  std::optional<std::string> hash_chain;      // "BLOCKS:UNIT"
  std::optional<std::string> gpus;            // "2": devices on each node
  std::optional<std::string> gpu_model;       // "V100"
  std::optional<std::string> gpu_parts;       // "250": thousandths of one device
  std::optional<std::string> nodes;           // "4" or "1-4"
  std::optional<std::string> tasks_per_node;  // "8"
  std::optional<std::string> priority;        // "-5"
  std::optional<std::string> requeue;         // "2": reruns after a node's death
  std::optional<std::string> hypervisor;      // "libvirt" or "xen"
  std::optional<std::string> network;         // "none", "job" or "site"
  std::optional<std::string> net;             // "200Mbit": bandwidth of a task
  std::optional<std::string> mpi;             // "auto", "mpich" or "openmpi"
  std::optional<std::string> workdir;         // "/job": in the guest
  std::optional<std::string> stdin_file;      // a path here
  std::optional<std::string> stage_out_max;   // "16MiB": of each task
  std::optional<std::string> begin;           // "now+2h", "16:00"
  std::optional<std::string> array;           // "0-999%50"
  std::vector<std::string> after;             // "ok:7"
  std::vector<std::string> env;               // "NAME=VALUE", or "NAME": the value it has here
  std::vector<std::string> stage_in;          // paths here
  std::vector<std::string> stage_out;         // paths in the guest
  std::vector<std::string> share;             // names of directories of the site
  std::vector<std::string> command;
  bool hold = false;
  bool contiguous = false;
  bool singleton = false;
};

// Name in a file (and, after two dashes, on the command line), field, one line of help.
struct JobKey {
  const char* name;
  std::optional<std::string> JobText::*field;
  const char* help;
  const char* also = nullptr;  // other names on the command line, as users of Slurm know them
  const char* bare = nullptr;  // its value where it stands alone; another one is given as --name=VALUE
};
[[nodiscard]] const std::vector<JobKey>& job_keys();

// The same of what may be given several times: in a file a list.
struct JobListKey {
  const char* name;
  std::vector<std::string> JobText::*field;
  const char* help;
};
[[nodiscard]] const std::vector<JobListKey>& job_list_keys();

// The working directory, in the guest, of a job that hands files in or out and names no other.
inline constexpr char kDefaultWorkdir[] = "/job";

// `reference`: the CPU of the reference node, if it is known; only a percentage needs it. The archive of a
// command and its input files are not packed yet, and there is no idempotency key. Variables that are named
// without a value get that of the environment of this process.
[[nodiscard]] Result<Submit> to_submit(const JobText& job, std::optional<Cpu> reference);

// Reads a job file (YAML; the keys of job_keys() and job_list_keys(), `command` as a list, `hold`,
// `contiguous`, `singleton`): every fault,
// with its place.
[[nodiscard]] Result<JobText> read_job_file(const std::string& path);
[[nodiscard]] Result<JobText> read_job_text(std::string_view text, const std::string& file);

// What is set in `over` replaces what stands in `job`; to its lists it is added, but for the command.
void overlay(JobText& job, const JobText& over);

}  // namespace aliquot::ctl
