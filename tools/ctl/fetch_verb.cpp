// fetch: the result files of a job, task by task, into a directory of this machine.
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "manager/api/wire/error_names.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/job_lookup.hpp"
#include "tools/ctl/results.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

struct FetchOptions {
  std::string of;
  std::string to = ".";
  bool force = false;
};

constexpr std::size_t kProgressEvery = std::size_t{16} << 20;
constexpr std::size_t kLastLine = 4096;  // what may follow the archive

std::string name_of(const JobTask& of) {
  return "task " + std::to_string(of.task) + " of job " + std::to_string(of.job.raw);
}

// All that the guest has sent.
Result<std::string> receive(Session& session, const JobTask& of, std::size_t at_most) {
  std::string bytes;
  for (;;) {
    const auto answer = session.ask(Logs{of.job, of.task, bytes.size(), 1 << 20, true});
    if (!answer) return tl::unexpected<Error>(answer.error());
    const std::size_t before = bytes.size();
    bytes += answer->blob;
    if (bytes.size() > at_most + kLastLine)
      return fail(ErrorKind::too_large, name_of(of) + " has sent more than the job may hand out");
    if (bytes.size() / kProgressEvery > before / kProgressEvery)
      Session::say(name_of(of) + ": " + short_bytes(bytes.size()) + " so far");
    if (answer->body["ended"] == true) return bytes;
    if (answer->blob.empty())
      return fail(ErrorKind::conflict, name_of(of) +
                                           " has not ended; it hands out its result files at its end "
                                           "(`aliquot watch " +
                                           std::to_string(of.job.raw) + "` waits for it)");
  }
}

// What was unpacked, for the answer.
Result<json> fetch_task(Session& session, const JobTask& of, const json& data, const std::string& to,
                        bool force) {
  const auto bytes = receive(session, of, data.value("stage_out_max_bytes", std::size_t{0}));
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  const auto entries = read_results(*bytes);
  if (!entries) return fail(entries.error().kind, name_of(of) + ": " + entries.error().message);
  if (auto done = unpack(*entries, to, force); !done) return tl::unexpected<Error>(done.error());
  std::size_t files = 0, size = 0;
  for (const ResultEntry& entry : *entries) {
    const bool is_file = S_ISREG(entry.mode);
    files += is_file ? 1 : 0;
    size += is_file ? entry.content.size() : 0;
  }
  const auto asked = data["stage_out"].get<std::vector<std::string>>();
  return json{{"task", of.task},
              {"to", to},
              {"files", files},
              {"bytes", size},
              {"absent", absent(asked, *entries)}};
}

std::string text_of(const json& tasks) {
  std::string out;
  for (const json& task : tasks)
    out += "task " + task["task"].dump() + ": " + task["files"].dump() +
           (task["files"] == 1 ? " file, " : " files, ") + short_bytes(task["bytes"]) + ", in " +
           task["to"].get<std::string>() + "\n";
  return out;
}

std::vector<std::uint32_t> tasks_of(const json& job, const JobTask& of, bool one) {
  std::vector<std::uint32_t> tasks;
  if (one) return {of.task};
  for (std::uint32_t task = 0; task < job["tasks"].get<std::uint32_t>(); ++task) tasks.push_back(task);
  return tasks;
}

Result<int> fetch(Session& session, const FetchOptions& options) {
  const auto of = find_task(session, options.of);
  if (!of) return tl::unexpected<Error>(of.error());
  const auto shown = session.ask(Show{of->job});
  if (!shown) return tl::unexpected<Error>(shown.error());
  const json data = shown->body.value("data", json());
  if (!data.is_object() || !data.contains("stage_out"))
    return fail(ErrorKind::not_found,
                "job " + std::to_string(of->job.raw) +
                    " has no result files for you; they are named with --stage-out at the submission");
  const bool one = options.of.find('.') != std::string::npos;
  const std::vector<std::uint32_t> tasks = tasks_of(shown->body, *of, one);
  json done = json::array();
  int code = 0;
  for (const std::uint32_t task : tasks) {
    const std::string to = tasks.size() == 1 ? options.to : options.to + "/" + std::to_string(task);
    const auto fetched = fetch_task(session, {of->job, task}, data, to, options.force);
    // A VM that holds several tasks, on devices, hands its files out once: there are fewer VMs than tasks.
    const bool beyond = task > 0 && !fetched && fetched.error().kind == ErrorKind::not_found;
    if (beyond && shown->body["asks"].contains("gpus")) break;
    if (!fetched) {
      Session::say(fetched.error().message);
      code = code == 0 ? exit_code(fetched.error().kind) : code;
      continue;
    }
    for (const json& path : (*fetched)["absent"]) {
      Session::say(name_of({of->job, task}) + ": " + path.get<std::string>() +
                   " was not there when the command ended");
      code = code == 0 ? exit_code(ErrorKind::not_found) : code;
    }
    done.push_back(*fetched);
  }
  const json answer{{"job", of->job.raw}, {"tasks", done}};
  const auto printed = session.show(answer, {[&done](bool) { return text_of(done); }, {}});
  return printed && code != 0 ? Result<int>(code) : printed;
}

}  // namespace

Run declare_fetch(CLI::App& app) {
  auto options = std::make_shared<FetchOptions>();
  app.add_option("JOB[.TASK]", options->of, "job, or one task of it; tasks are counted from 0")->required();
  app.add_option("--to", options->to,
                 "directory to unpack into, made if need be; of several tasks, each has one below it (.)");
  app.add_flag("--force", options->force, "replace files that are there already");
  return [options](Session& session) { return fetch(session, *options); };
}

}  // namespace aliquot::ctl
