// submit: from the words of the command line to a job, and, if asked, to its end.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "config/quantities.hpp"
#include "manager/api/wire/error_names.hpp"
#include "manager/hypervisor/archive_memory.hpp"
#include "monitor/sha256.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/archive.hpp"
#include "tools/ctl/daily_message.hpp"
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
  std::string batch;  // of which each line is a job
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

// --- several jobs ---

struct Line {
  int number = 0;
  JobText job;
};

// One line: options and a command, as on the command line. What it says goes before `all`.
Result<JobText> job_of_line(const std::string& text, const JobText& all) {
  CLI::App app;
  app.set_help_flag();
  JobText own;
  declare_job_options(app, own);
  app.add_option("COMMAND", own.command);
  try {
    app.parse(text, false);
  } catch (const CLI::ParseError& fault) {
    return fail(ErrorKind::invalid_argument, fault.what());
  }
  JobText job = all;
  overlay(job, own);
  return job;
}

Error in_line(const std::string& file, int number, Error error) {
  error.message = file + ":" + std::to_string(number) + ": " + error.message;
  return error;
}

// Empty lines and those that begin with # are no jobs.
Result<std::vector<Line>> read_batch(const std::string& file, const JobText& all) {
  std::ifstream opened(file);
  std::istream& in = file == "-" ? std::cin : opened;
  if (!in) return fail(ErrorKind::not_found, "--batch: " + file + " cannot be read");
  std::vector<Line> lines;
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (const std::size_t first = text.find_first_not_of(" \t\r");
        first == std::string::npos || text[first] == '#')
      continue;
    auto job = job_of_line(text, all);
    if (!job) return tl::unexpected<Error>(in_line(file, number, job.error()));
    lines.push_back({number, std::move(*job)});
    if (lines.size() > kMostTogether)
      return fail(ErrorKind::too_large, "--batch: " + file + " has more than " +
                                            std::to_string(kMostTogether) + " jobs; divide it");
  }
  if (!lines.empty()) return lines;
  return fail(ErrorKind::invalid_argument,
              "--batch: " + file + " has no job; each line is one: its options and, after --, its command");
}

// What is packed for a command: lines that agree in this are packed once.
std::vector<std::string> files_of(const JobText& job) {
  std::vector<std::string> key = job.stage_in;
  if (!job.command.empty()) key.push_back(job.command[0]);
  for (const auto& more : {job.stdin_file, job.mpi, job.workdir, job.image, job.mem})
    key.push_back(more.value_or("\n"));
  return key;
}

// All lines have one archive, or none.
class Batch {
 public:
  Batch(std::string file, Session& session) : file_(std::move(file)), session_(session) {}

  Result<void> add(const Line& line) {
    const bool again = last_ && !line.job.cpu && files_of(line.job) == files_of(*last_);
    auto one = again ? like_the_last(line.job) : compose_first(line.job);
    if (one && !again)
      if (auto named = name_archive(*one); !named) one = tl::unexpected<Error>(named.error());
    if (!one) return tl::unexpected<Error>(in_line(file_, line.number, one.error()));
    many_.jobs.push_back(std::move(one->submit));
    return {};
  }
  [[nodiscard]] SubmitMany take() && { return std::move(many_); }

 private:
  Result<Composed> compose_first(const JobText& job) {
    SubmitOptions options;
    options.job = job;
    auto one = compose(options, session_);
    const auto script = script_of(job.command);
    last_ = one && script && !*script ? std::optional(job) : std::nullopt;
    return one;
  }
  // Its files are packed already.
  Result<Composed> like_the_last(const JobText& job) {
    auto submit = to_submit(job, std::nullopt);
    if (!submit) return tl::unexpected<Error>(submit.error());
    Submission& its = submit->submission;
    const Submission& before = many_.jobs.back().submission;
    if (auto* command = std::get_if<LinuxCommand>(&its.program))
      command->argv[0] = std::get<LinuxCommand>(before.program).argv[0];
    if (std::string* archive = archive_of(its.program)) *archive = *archive_of(before.program);
    its.data.stage_in = before.data.stage_in;
    its.data.stdin_file = before.data.stdin_file;
    its.guest_memory = its.demand.memory = before.guest_memory;
    return Composed{std::move(*submit), {}};
  }
  Result<void> name_archive(Composed& one) {
    if (one.entries.empty()) return {};
    auto bytes = archive_in_memory(one.entries);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    if (!many_.archive.empty() && *bytes != many_.archive)
      return fail(ErrorKind::refused,
                  "it has another program, or other input files, than a line before; the jobs of one batch "
                  "share theirs");
    many_.archive = std::move(*bytes);
    *archive_of(one.submit.submission.program) = sha256_hex(many_.archive);
    return {};
  }

  std::string file_;
  Session& session_;
  SubmitMany many_;
  std::optional<JobText> last_;  // the line before, if the next one may be like it
};

Result<int> submit_batch(const SubmitOptions& options, Session& session) {
  const auto lines = read_batch(options.batch, options.job);
  if (!lines) return tl::unexpected<Error>(lines.error());
  Batch batch(options.batch, session);
  for (const Line& line : *lines)
    if (auto added = batch.add(line); !added) return tl::unexpected<Error>(added.error());
  SubmitMany many = std::move(batch).take();
  many.idempotency_key = options.key.empty() ? new_idempotency_key() : options.key;
  const auto answer = session.ask(many);
  if (!answer) return tl::unexpected<Error>(answer.error());
  show_daily_message(answer->body);
  std::vector<std::string> ids;
  for (const json& job : answer->body["jobs"]) ids.push_back(job.dump());
  const auto text = [&](bool) {
    std::string out;
    for (const std::string& id : ids) out += (options.parsable ? "" : "submitted job ") + id + "\n";
    return out;
  };
  return session.show(answer->body, {text, [&ids] { return ids; }});
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
  app.add_option("--batch", options->batch,
                 "submit each line of this file (- for standard input): its options and, after --, its "
                 "command; all of them, or none")
      ->excludes("--file")
      ->excludes("--wait")
      ->excludes("--dry-run");
  app.add_option("COMMAND", options->job.command,
                 "after --: the program to run and its arguments; or a script with #ALIQUOT lines");
  return [options, &app](Session& session) -> Result<int> {
    if (auto clear = check_order(app, options->job.command); !clear)
      return tl::unexpected<Error>(clear.error());
    if (!options->batch.empty()) return submit_batch(*options, session);
    auto job = compose(*options, session);
    if (!job) return tl::unexpected<Error>(job.error());
    const auto answer = send(*job, session);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& body = answer->body;
    if (options->dry_run) return session.show(body, {[&body](bool) { return dry_run_text(body); }, {}});
    show_daily_message(body);
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
