// submit: from the words of the command line to a job, and, if asked, to its end.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "manager/api/wire/error_names.hpp"
#include "manager/hypervisor/archive_memory.hpp"
#include "monitor/sha256.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/archive.hpp"
#include "tools/ctl/follow.hpp"
#include "tools/ctl/job_options.hpp"
#include "tools/ctl/job_text.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

struct SubmitOptions {
  JobText job;
  std::string file;
  std::string key;
  bool wait = false;
  bool parsable = false;
  bool dry_run = false;
};

// The program, its libraries and the input files, packed beside the request; of a command in a disk image
// only the input files. Where no memory is asked for, the small guest has enough to hold them.
Result<void> attach_archive(const JobText& job, Submit& submit) {
  Program& program = submit.submission.program;
  auto* command = std::get_if<LinuxCommand>(&program);
  const auto* image = std::get_if<ImageBoot>(&program);
  const bool runs_a_command = command != nullptr || (image != nullptr && !image->argv.empty());
  if (!runs_a_command && (!job.stage_in.empty() || job.stdin_file))
    return fail(ErrorKind::refused, "--stage-in and --stdin go with a command only; leave them out");
  if (!runs_a_command) return {};
  JobData& data = submit.submission.data;
  const CommandFiles files{job.command, data.workdir, job.stage_in, job.stdin_file, job.mpi};
  auto packed = command != nullptr ? pack_command(files) : pack_inputs(files);
  if (!packed) return tl::unexpected<Error>(packed.error());
  if (command != nullptr) command->argv = std::move(packed->argv);
  data.stage_in = std::move(packed->stage_in);
  data.stdin_file = std::move(packed->stdin_file);
  submit.archive = std::move(packed->archive);
  if (!submit.archive.empty()) *archive_of(program) = sha256_hex(submit.archive);
  if (job.mem || command == nullptr) return {};
  Submission& s = submit.submission;
  Memory size{static_cast<std::int64_t>(submit.archive.size())};
  if (!submit.shares.empty()) size = size + kShareModules;
  s.guest_memory = std::max(s.guest_memory, memory_for_archive(size));
  s.demand.memory = s.guest_memory;
  return {};
}

Result<Submit> compose(const SubmitOptions& options, Session& session) {
  JobText job;
  if (!options.file.empty()) {
    auto read = read_job_file(options.file);
    if (!read) return tl::unexpected<Error>(read.error());
    job = std::move(*read);
  }
  const auto script = script_of(options.job.command);
  if (!script) return tl::unexpected<Error>(script.error());
  if (*script) overlay(job, (*script)->job);
  overlay(job, options.job);
  // A script is a file here, and not looked for in PATH.
  if (*script && job.command[0].find('/') == std::string::npos) job.command[0] = "./" + job.command[0];
  std::optional<Cpu> reference;
  if (job.cpu) {
    const auto hello = session.hello();
    if (!hello) return tl::unexpected<Error>(hello.error());
    if (const json& node = (*hello)["reference"]; node.is_object())
      reference = Cpu{node["cpu_microcores"].get<std::int64_t>()};
  }
  auto submit = to_submit(job, reference);
  if (!submit && *script) return tl::unexpected<Error>(in_script(**script, options.job, submit.error()));
  if (!submit) return submit;
  if (auto packed = attach_archive(job, *submit); !packed) return tl::unexpected<Error>(packed.error());
  submit->dry_run = options.dry_run;
  submit->idempotency_key = options.key.empty() ? new_idempotency_key() : options.key;
  return submit;
}

// A message that the manager's limit would cut off without a word.
Result<void> fits(const Submit& submit, Session& session) {
  if (submit.archive.size() < 1 << 20) return {};
  const auto hello = session.hello();
  if (!hello) return tl::unexpected<Error>(hello.error());
  const auto limit = (*hello)["limits"]["max_request_bytes"].get<std::uint64_t>();
  if (submit.archive.size() <= limit) return {};
  return fail(ErrorKind::too_large, "the program with its libraries and input files has " +
                                        short_bytes(submit.archive.size()) + "; this manager takes " +
                                        short_bytes(limit) +
                                        " (api.max-request): strip it, or boot an image of your own");
}

std::string dry_run_text(const json& answer) {
  std::string out = answer["text"].get<std::string>() + "\n";
  if (answer["starts_now"] == true)
    out = "would start now on " + short_placement(answer["nodes"]) + " at yield " +
          short_ratio(answer["yield"]) + "\n";
  if (!answer["affects"].empty()) out += "would change jobs " + answer["affects"].dump() + "\n";
  return out;
}

}  // namespace

Run declare_submit(CLI::App& app) {
  auto options = std::make_shared<SubmitOptions>();
  declare_job_options(app, options->job);
  app.add_option("-f,--file", options->file, "read the job from a YAML file; options replace its values");
  app.add_option("--key", options->key,
                 "idempotency key: the same key submits once, however often it is sent");
  app.add_flag("--wait", options->wait, "wait for its end; exit 1 if it does not complete");
  app.add_flag("--parsable", options->parsable, "print the job number only");
  app.add_flag("--dry-run", options->dry_run, "say what would happen, submit nothing");
  app.add_option("COMMAND", options->job.command,
                 "after --: the program to run and its arguments; or a script with #ALIQUOT lines");
  return [options](Session& session) -> Result<int> {
    const auto submit = compose(*options, session);
    if (!submit) return tl::unexpected<Error>(submit.error());
    if (auto fit = fits(*submit, session); !fit) return tl::unexpected<Error>(fit.error());
    const auto answer = session.ask(*submit);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& body = answer->body;
    if (options->dry_run) return session.show(body, {[&body](bool) { return dry_run_text(body); }, {}});
    const std::string id = body["job"].dump();
    const auto text = [&](bool) { return options->parsable ? id + "\n" : "submitted job " + id + "\n"; };
    // With --wait and JSON there is one document: the job at its end.
    const bool later = options->wait && session.globals.form != Form::table;
    if (!later) {
      const auto shown = session.show(body, {text, [&id] { return std::vector{id}; }});
      if (!shown || !options->wait) return shown;
    }
    return wait_for_end(session, JobId{body["job"].get<std::uint64_t>()}, later);
  };
}

}  // namespace aliquot::ctl
