// submit: from the words of the command line to a job, and, if asked, to its end.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/quantities.hpp"
#include "manager/api/wire/error_names.hpp"
#include "manager/hypervisor/archive_memory.hpp"
#include "monitor/sha256.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/archive.hpp"
#include "tools/ctl/follow.hpp"
#include "tools/ctl/job_options.hpp"
#include "tools/ctl/job_text.hpp"
#include "tools/ctl/packed_file.hpp"
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

// What travels with a submission.
struct Composed {
  Submit submit;
  std::vector<PackedEntry> entries;  // of its archive
};

// The program, its libraries and the input files; of a command in a disk image only the input files. Where
// no memory is asked for, the small guest has enough to hold them.
Result<void> pack(const JobText& job, Session& session, Composed& out) {
  Submission& s = out.submit.submission;
  auto* command = std::get_if<LinuxCommand>(&s.program);
  const auto* image = std::get_if<ImageBoot>(&s.program);
  const bool runs_a_command = command != nullptr || (image != nullptr && !image->argv.empty());
  const bool has_inputs = !job.stage_in.empty() || job.stdin_file;
  if (!runs_a_command && has_inputs)
    return fail(ErrorKind::refused, "--stage-in and --stdin go with a command only; leave them out");
  if (!runs_a_command) return {};
  CommandFiles files{job.command, s.data.workdir, job.stage_in, job.stdin_file, job.mpi};
  if (has_inputs) {
    const auto hello = session.hello();
    if (!hello) return tl::unexpected<Error>(hello.error());
    files.at_most = (*hello)["limits"].value("max_stage_in_bytes", files.at_most);
  }
  auto packed = command != nullptr ? pack_command(files) : pack_inputs(files);
  if (!packed) return tl::unexpected<Error>(packed.error());
  if (command != nullptr) command->argv = std::move(packed->argv);
  s.data.stage_in = std::move(packed->stage_in);
  s.data.stdin_file = std::move(packed->stdin_file);
  out.entries = std::move(packed->entries);
  for (const std::string& warning : packed->warnings) Session::say(warning);
  if (job.mem || command == nullptr) return {};
  Memory size = archive_size(out.entries);
  if (!out.submit.shares.empty()) size = size + kShareModules;
  s.guest_memory = std::max(s.guest_memory, memory_for_archive(size));
  s.demand.memory = s.guest_memory;
  return {};
}

Result<Composed> compose(const SubmitOptions& options, Session& session) {
  JobText job;
  if (!options.file.empty()) {
    auto read = read_job_file(options.file);
    if (!read) return tl::unexpected<Error>(read.error());
    job = std::move(*read);
  }
  const auto script = script_of(options.job.command);
  if (!script) return tl::unexpected<Error>(script.error());
  if (*script) overlay(job, (*script)->job);
  if (*script)
    for (const std::string& option : (*script)->left_out)
      Session::say((*script)->file + ": left out: " + option);
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
  if (!submit) return tl::unexpected<Error>(submit.error());
  Composed out{std::move(*submit), {}};
  if (auto packed = pack(job, session, out); !packed) return tl::unexpected<Error>(packed.error());
  out.submit.dry_run = options.dry_run;
  out.submit.idempotency_key = options.key.empty() ? new_idempotency_key() : options.key;
  return out;
}

// A small archive is part of the message.
Result<Answer> send_in_message(Composed& job, Session& session) {
  auto archive = archive_in_memory(job.entries);
  if (!archive) return tl::unexpected<Error>(archive.error());
  *archive_of(job.submit.submission.program) = sha256_hex(*archive);
  job.submit.archive = std::move(*archive);
  return session.ask(job.submit);
}

// A large one is a file, which the manager copies.
Result<Answer> send_as_file(Composed& job, Memory size, const json& limits, Session& session) {
  const auto directory = packing_directory(limits.value("file_roots", std::vector<std::string>()), size);
  if (!directory) return tl::unexpected<Error>(directory.error());
  const auto file = PackedFile::make(*directory, job.entries);
  if (!file) return tl::unexpected<Error>(file.error());
  *archive_of(job.submit.submission.program) = file->sha256();
  job.submit.archive_file = file->path();
  job.submit.archive_bytes = static_cast<std::uint64_t>(size.raw);
  return session.ask_and_show_copy(job.submit);
}

Result<Answer> send(Composed& job, Session& session) {
  constexpr Memory kSurelyFits = mebibytes(1), kBesideTheArchive = mebibytes(1);
  if (job.entries.empty()) return session.ask(job.submit);
  const Memory size = archive_size(job.entries);
  if (size <= kSurelyFits) return send_in_message(job, session);
  const auto hello = session.hello();
  if (!hello) return tl::unexpected<Error>(hello.error());
  const json& limits = (*hello)["limits"];
  const Memory message{limits["max_request_bytes"].get<std::int64_t>()};
  if (size + kBesideTheArchive <= message) return send_in_message(job, session);
  return send_as_file(job, size, limits, session);
}

// Why so many tasks; empty: the job was submitted with one number.
std::string choice_text(const json& answer) {
  const json choice = answer.value("task_choice", json());
  return choice.is_object() ? choice["why"].get<std::string>() + "\n" : "";
}

std::string dry_run_text(const json& answer) {
  std::string out = answer["text"].get<std::string>() + "\n";
  if (answer["starts_now"] == true)
    out = "would start now on " + short_placement(answer["nodes"]) + " at yield " +
          short_ratio(answer["yield"]) + "\n";
  out += choice_text(answer);
  if (!answer["affects"].empty()) out += "would change jobs " + answer["affects"].dump() + "\n";
  return out;
}

// An option that stands after the command may be meant for either: sbatch leaves it to the script.
Result<void> check_order(const CLI::App& app, const std::vector<std::string>& command) {
  const CLI::Option* const positional = app.get_option("COMMAND");
  const std::vector<CLI::Option*>& order = app.parse_order();
  const auto first = std::ranges::find(order, positional);
  const auto later =
      std::find_if(first, order.end(), [&](const CLI::Option* one) { return one != positional; });
  if (later == order.end()) return {};
  return fail(ErrorKind::invalid_argument,
              (*later)->get_name() + " stands after the command: write it before " +
                  quote(command.front()) +
                  ", or, if it is an option of the command, write -- before the command");
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
  return [options, &app](Session& session) -> Result<int> {
    if (auto clear = check_order(app, options->job.command); !clear)
      return tl::unexpected<Error>(clear.error());
    auto job = compose(*options, session);
    if (!job) return tl::unexpected<Error>(job.error());
    const auto answer = send(*job, session);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& body = answer->body;
    if (options->dry_run) return session.show(body, {[&body](bool) { return dry_run_text(body); }, {}});
    const std::string id = body["job"].dump();
    const auto text = [&](bool) {
      return options->parsable ? id + "\n" : "submitted job " + id + "\n" + choice_text(body);
    };
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
