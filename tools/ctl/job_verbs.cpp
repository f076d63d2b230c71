// list, show, why, cancel, hold, release, set.
#include <CLI/CLI.hpp>
#include <cctype>
#include <nlohmann/json.hpp>

#include "config/quantities.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/cpu_text.hpp"
#include "tools/ctl/daily_message.hpp"
#include "tools/ctl/job_filter.hpp"
#include "tools/ctl/job_lookup.hpp"
#include "tools/ctl/job_table.hpp"
#include "tools/ctl/memory_text.hpp"
#include "tools/ctl/verbs.hpp"
#include "tools/ctl/why_text.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

std::string line(const std::string& name, const std::string& value) {
  return name + std::string(name.size() < 14 ? 14 - name.size() : 1, ' ') + value + "\n";
}

// "gpus 2, gpu_model V100": as it was asked for.
std::string asks_text(const json& asks) {
  std::string out;
  for (const auto& field : asks.items())
    out += (out.empty() ? "" : ", ") + field.key() + " " +
           (field.value().is_string() ? field.value().get<std::string>() : field.value().dump());
  return out;
}

std::string devices_text(const json& devices) {
  std::string out;
  for (const json& on : devices)
    out += (out.empty() ? "" : ", ") + on["slots"].dump() + " of " + on["node"].get<std::string>();
  return out;
}

std::string checkpoint_text(const json& its) {
  std::string out = "every " + short_seconds(its["interval_s"]) + " served";
  if (!its["kept"].empty()) out += "; the last " + short_seconds(its["kept"].back()["ago_s"]) + " ago";
  return out + ", " + short_seconds(its["at_risk_s"]) + " at risk";
}

// What goes into the guests and comes back, a line for each kind.
std::string data_text(const json& data) {
  std::string out, inputs, results;
  for (const json& variable : data.value("env", json::array()))
    out += line("environment", variable.get<std::string>());
  if (data.contains("workdir")) out += line("directory", data["workdir"].get<std::string>());
  if (data.contains("stdin"))
    out += line("stdin",
                data["stdin"]["name"].get<std::string>() + ", " + short_bytes(data["stdin"]["bytes"]));
  const json files = data.value("stage_in", json::object());
  for (const auto& input : files.items())
    inputs += (inputs.empty() ? "" : "; ") + input.key() + ", " + short_bytes(input.value());
  if (!inputs.empty()) out += line("stage in", inputs);
  for (const json& path : data.value("stage_out", json::array()))
    results += (results.empty() ? "" : ", ") + path.get<std::string>();
  if (!results.empty())
    out += line("stage out", results + "; at most " +
                                 short_bytes(data.value("stage_out_max_bytes", json())) + " a task");
  return out;
}

std::string shares_text(const json& shares) {
  std::string out;
  for (const json& share : shares)
    out += (out.empty() ? "" : ", ") + share["share"].get<std::string>() + " at " +
           share["path"].get<std::string>() + (share["read_only"] == true ? " (read only)" : "");
  return out;
}

std::string network_text(const json& network) {
  std::string out = network.contains("bridge")
                        ? "of the site (bridge " + network["bridge"].get<std::string>() + ")"
                        : "task 0 has the address " + network["first"].get<std::string>() + ", and so on";
  if (const json& bandwidth = network.value("bandwidth_bps", json()); bandwidth.is_number_integer())
    out += "; a task sends and receives at most " + print_bandwidth({bandwidth.get<std::int64_t>()});
  return out;
}

// By what the number of its tasks was chosen, and why.
std::string choice_text(const json& choice) {
  const std::string speedup = choice["speedup"].get<std::string>();
  return choice["least"].dump() + "-" + choice["most"].dump() + (speedup.empty() ? "" : ", " + speedup) +
         "; " + choice["why"].get<std::string>();
}

// "learned: 0.33 cores; declared: 1 core; a task used 0.3 cores when this was learned (confidence 0.4)", or
// "limited by its account: 0.5 cores; declared: 1 core".
std::string need_text(const json& need) {
  const auto mode = need["mode"].get<std::string>();
  const bool is_limited = mode == "declared" && need["cpus"] != need["declared_cpus"];
  std::string out = (is_limited ? "limited by its account" : mode) + ": " + short_cores(need["cpus"]) +
                    "; declared: " + short_cores(need["declared_cpus"]);
  if (const json& learned = need["learned"]; learned.is_object())
    out += "; a task used " + short_cores(learned["used_cpus"]) + " when this was learned (confidence " +
           short_ratio(learned["confidence"]) + ")";
  return out;
}

// "to run for another 12m served, or 3m to 40m; by 16 runs of its user, size and request".
std::string expected_text(const json& expected) {
  const json& latest = expected["latest_s"];
  return "to run for another " + short_seconds(expected["rest_s"]) + " served, or " +
         short_seconds(expected["earliest_s"]) +
         (latest.is_null() ? " and more" : " to " + short_seconds(latest)) + "; by " +
         expected["runs"].dump() + " runs of the class " + expected["class"].get<std::string>();
}

std::string show_text(const json& job, const TableStyle& style) {
  std::string out = to_text(job_table(json::array({job}), true), style) + "\n";
  out += line("program", job["program"].dump());
  if (const json& data = job.value("data", json()); data.is_object()) out += data_text(data);
  if (const json& array = job.value("array", json()); array.is_object())
    out += line("array", array_words(job));
  if (const json& member = job.value("member", json()); member.is_object())
    out += line("member", member["index"].dump() + " of array " + member["array"].dump());
  out += line("submitted", job["submitted_at"].get<std::string>());
  for (const char* key : {"started_at", "ended_at"})
    if (!job[key].is_null()) out += line(std::string(key, 0, std::string(key).find('_')), job[key]);
  if (const json& choice = job.value("task_choice", json()); choice.is_object())
    out += line("tasks of", choice_text(choice));
  if (const json& problem = job.value("problem", json()); problem.is_object())
    out += line("application", problem["application"].get<std::string>() + ", problem size " +
                                   problem["problem_size"].dump() + ", iterations " +
                                   problem["iterations"].dump());
  if (const json& need = job.value("need", json());
      need.is_object() && (need["mode"] != "declared" || need["cpus"] != need["declared_cpus"]))
    out += line("need", need_text(need));
  if (const json& memory = job.value("memory", json()); memory.is_object())
    out += line("memory", memory_text(memory));
  if (const json& expected = job.value("expected", json()); expected.is_object())
    out += line("expected", expected_text(expected));
  if (job["max_cpus"] != job["cpus"]) out += line("may grow to", short_cores(job["max_cpus"]));
  out += line("guaranteed", "yield " + short_ratio(job["min_yield"]));
  if (!job["time_limit_s"].is_null())
    out += line("time limit", short_seconds(job["time_limit_s"]) + " served");
  if (const json& limit = job.value("wall_limit_s", json()); !limit.is_null())
    out += line("wall limit", short_seconds(limit) + " since it first ran, pauses included");
  if (const json& warn = job.value("warn_s", json()); !warn.is_null())
    out += line("warned", short_seconds(warn) + " before a limit");
  if (!job["checkpoint"].is_null()) out += line("checkpoints", checkpoint_text(job["checkpoint"]));
  if (job["on_task_failure"] == "continue") out += line("task failure", "the other tasks go on");
  if (!job["asks"].empty()) out += line("asks for", asks_text(job["asks"]));
  if (const json& network = job["network"]; !network.is_null())
    out += line("network", network_text(network));
  if (const json& shares = job.value("shares", json()); shares.is_array() && !shares.empty())
    out += line("shares", shares_text(shares));
  if (!job["devices"].empty()) out += line("holds devices", devices_text(job["devices"]));
  if (job["requeue"] != 0 || job["reruns"] != 0)
    out += line("reruns", job["reruns"].dump() + " of " + job["requeue"].dump());
  if (!job["note"].get<std::string>().empty()) out += line("note", job["note"]);
  out +=
      line("stretch", short_ratio(job["bounded_stretch"]) + (job["ended_at"].is_null() ? " so far" : ""));
  out += cpu_text(job["cpu"], style);
  if (!job["vms"].empty()) out += "\n" + to_text(vm_table(job["vms"]), style);
  return out;
}

std::function<std::vector<std::string>()> job_names(const json& jobs) {
  return [&jobs] {
    std::vector<std::string> names;
    for (const json& job : jobs) names.push_back(job["job"].dump());
    return names;
  };
}

// Asks one thing of each of several jobs; the first refusal ends it. JSON and YAML are one document: the
// answer, or a list of those to several requests.
Result<int> ask_each(Session& session, const std::vector<Request>& requests) {
  const Form form = session.globals.form;
  const bool one_document = requests.size() > 1 && (form == Form::json || form == Form::yaml);
  json done = json::array();
  Result<int> result = 0;
  for (const Request& request : requests) {
    const auto answer = session.ask(request);
    if (!answer) {
      result = tl::unexpected<Error>(answer.error());
      break;
    }
    const json& body = answer->body;
    done.push_back(body);
    if (one_document) continue;
    const auto text = [&body](bool) {
      return "job " + body["job"].dump() + ": " + body["done"].get<std::string>() + "\n";
    };
    const auto shown = session.show(body, {text, [&body] { return std::vector{body["job"].dump()}; }});
    if (!shown) return shown;
  }
  if (!one_document || done.empty()) return result;
  const auto shown = session.show(done, {});
  return shown ? result : shown;
}

// A verb that asks one thing of each job it is given.
using RequestOfJob = std::function<Result<Request>(JobId)>;
Run for_each_job(CLI::App& app, RequestOfJob make) {
  auto jobs = std::make_shared<std::vector<std::string>>();
  app.add_option("JOB", *jobs, "job numbers; 7[3] is a member of an array")->required();
  return [jobs, make = std::move(make)](Session& session) -> Result<int> {
    const auto ids = find_jobs(session, *jobs);
    if (!ids) return tl::unexpected<Error>(ids.error());
    std::vector<Request> requests;
    for (const JobId id : *ids) {
      auto request = make(id);
      if (!request) return tl::unexpected<Error>(request.error());
      requests.push_back(std::move(*request));
    }
    return ask_each(session, requests);
  };
}

// An array is told which of its members are meant: also those that have not been made.
Result<std::vector<JobName>> names_of(const std::vector<std::string>& texts) {
  std::vector<JobName> names;
  for (const std::string& text : texts) {
    auto name = parse_job_name(text);
    if (!name) return tl::unexpected<Error>(name.error());
    names.push_back(std::move(*name));
  }
  return names;
}

// The jobs that have not ended and match; not_found if there are none.
Result<std::vector<JobName>> matching_jobs(Session& session, const FilterText& text) {
  const auto filter = JobFilter::of(text);
  if (!filter) return tl::unexpected<Error>(filter.error());
  constexpr std::uint32_t kMost = 1'000'000;
  List every;
  every.limit = kMost;
  const auto answer = session.list(every, &*filter);
  if (!answer) return tl::unexpected<Error>(answer.error());
  std::vector<JobName> names;
  for (const json& job : answer->body["jobs"]) names.push_back({JobId{job["job"].get<std::uint64_t>()}});
  if (!names.empty()) return names;
  return fail(ErrorKind::not_found,
              "no job that has not ended is meant by this; see `aliquot list` with the same options");
}

// Of a node: why it does not answer, and why it is switched on, or sleeps.
std::string why_node_text(const json& node) {
  const std::string name = node["node"], why = node["why"];
  const std::string since =
      node["power_since"].is_null() ? "" : " since " + node["power_since"].get<std::string>();
  return name + " is " + node["power"].get<std::string>() + since + ": it " +
         node["power_why"].get<std::string>() + "\n" +
         (node.contains("boot") ? name + " is expected to boot in " + node["boot"].get<std::string>() + "\n"
                                : "") +
         (why.empty() ? "" : name + " is " + node["state"].get<std::string>() + ": " + why + "\n");
}

// A verb that shows what is known of one job.
template <class R>
Run about_a_job(CLI::App& app, std::string (*text)(const json&, const TableStyle&)) {
  auto job = std::make_shared<std::string>();
  app.add_option("JOB", *job, "job number")->required();
  return [job, text](Session& session) -> Result<int> {
    const auto id = find_job(session, *job);
    if (!id) return tl::unexpected<Error>(id.error());
    const auto answer = session.ask(R{*id});
    if (!answer) return tl::unexpected<Error>(answer.error());
    return session.show(answer->body, {[&](bool) { return text(answer->body, session.style()); },
                                       [&job] { return std::vector{*job}; }});
  };
}

}  // namespace

Run declare_list(CLI::App& app) {
  auto list = std::make_shared<List>();
  auto text = std::make_shared<FilterText>();
  auto array = std::make_shared<std::string>();
  app.add_flag("-a,--all", list->all, "ended jobs too, newest first");
  app.add_option("--limit", list->limit, "at most so many")->check(CLI::Range(1, 10'000));
  app.add_option("--array", *array, "the members of this array, a job number");
  declare_filter(app, *text);
  app.add_option("-S,--since", text->since,
                 "that have not ended, or not before: 2h (ago), 2026-11-27, 2026-11-27T10:30 (UTC)");
  return [list, text, array](Session& session) -> Result<int> {
    const auto filter = JobFilter::of(*text);
    if (!filter) return tl::unexpected<Error>(filter.error());
    if (!array->empty()) {
      const auto of = parse_job_name(*array);
      if (!of) return tl::unexpected<Error>(of.error());
      list->array = of->job;
    }
    list->all = list->all || filter->wants_ended();
    const auto answer = session.list(*list, filter->wants_every_job() ? nullptr : &*filter);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& jobs = answer->body["jobs"];
    if (jobs.empty() && session.globals.form <= Form::wide)
      Session::say(!filter->wants_every_job() ? "no such jobs"
                   : list->all ? "no jobs yet; `aliquot submit --help` shows how to submit one"
                               : "no jobs now; `aliquot list --all` shows those that have ended");
    const auto shown = session.show(
        answer->body,
        {[&](bool wide) { return to_text(job_table(jobs, wide), session.style()); }, job_names(jobs)});
    if (answer->body["more"] == true) Session::say("there are more; --limit N shows them");
    show_daily_message(answer->body);
    return shown;
  };
}

Run declare_show(CLI::App& app) { return about_a_job<Show>(app, show_text); }
Run declare_why(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  app.add_option("JOB", *name, "job number, or the name of a node")->required();
  return [name](Session& session) -> Result<int> {
    const bool is_node = !name->empty() && std::isdigit(static_cast<unsigned char>(name->front())) == 0;
    Request request = NodeShow{*name};
    if (!is_node) {
      const auto id = find_job(session, *name);
      if (!id) return tl::unexpected<Error>(id.error());
      request = Why{*id};
    }
    const auto answer = session.ask(request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const auto text = [&](bool) { return is_node ? why_node_text(answer->body) : why_text(answer->body); };
    return session.show(answer->body, {text, [&name] { return std::vector{*name}; }});
  };
}
Run declare_cancel(CLI::App& app) {
  auto jobs = std::make_shared<std::vector<std::string>>();
  auto text = std::make_shared<FilterText>();
  auto all = std::make_shared<bool>(false);
  app.add_option("JOB", *jobs, "job numbers; 7[0-99] are members of an array, also those to come");
  app.add_flag("--all", *all, "all jobs of yours, or of --user");
  declare_filter(app, *text);
  return [jobs, text, all](Session& session) -> Result<int> {
    const bool by_words = *all || !text->name.empty() || !text->user.empty() || !text->account.empty() ||
                          !text->states.empty();
    if (jobs->empty() == !by_words)
      return fail(ErrorKind::invalid_argument,
                  by_words ? "jobs are given by number, or by --all, --name and so on; give one of them"
                           : "which jobs? Give their numbers, --name NAME, or --all for all of yours");
    if (text->user.empty()) text->user = "me";
    const auto meant = by_words ? matching_jobs(session, *text) : names_of(*jobs);
    if (!meant) return tl::unexpected<Error>(meant.error());
    std::vector<Request> requests;
    for (const JobName& name : *meant) requests.emplace_back(Cancel{name.job, name.indices});
    return ask_each(session, requests);
  };
}
Run declare_hold(CLI::App& app) {
  return for_each_job(app, [](JobId job) { return Hold{job}; });
}
Run declare_release(CLI::App& app) {
  return for_each_job(app, [](JobId job) { return ReleaseJob{job}; });
}
Run declare_requeue(CLI::App& app) {
  return for_each_job(app, [](JobId job) { return Requeue{job}; });
}
Run declare_set(CLI::App& app) {
  auto cpus = std::make_shared<std::string>();
  app.add_option("--cpus", *cpus, "cores that a task needs at full speed from now on, such as 1.5")
      ->required();
  return for_each_job(app, [cpus](JobId job) -> Result<Request> {
    const auto need = parse_cores(*cpus);
    if (!need) return fail(ErrorKind::invalid_argument, "--cpus: " + need.error().message);
    return SetNeed{job, *need};
  });
}

Run declare_evolve(CLI::App& app) {
  auto tasks = std::make_shared<std::uint32_t>();
  auto in = std::make_shared<std::string>("0s");
  app.add_option("--tasks", *tasks, "how many tasks it is to have; the highest numbers leave first")
      ->required()
      ->check(CLI::Range(std::int64_t{1}, kMaxTasks));
  app.add_option("--in", *in, "from when on, such as 60s (at once)");
  return for_each_job(app, [tasks, in](JobId job) -> Result<Request> {
    const auto later = parse_duration(*in);
    if (!later) return fail(ErrorKind::invalid_argument, "--in: " + later.error().message);
    return Evolve{job, *tasks, *later};
  });
}

}  // namespace aliquot::ctl
