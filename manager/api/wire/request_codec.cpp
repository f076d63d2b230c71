#include "manager/api/wire/request_codec.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/node_words.hpp"
#include "manager/api/wire/fields.hpp"
#include "manager/api/wire/hex.hpp"
#include "manager/api/wire/key_role.hpp"
#include "manager/api/wire/maintenance_codec.hpp"
#include "manager/api/wire/message_text.hpp"
#include "manager/api/wire/protocol.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "manager/api/wire/submission_codec.hpp"
#include "monitor/array_text.hpp"
#include "monitor/codec_words.hpp"
#include "policies/model/nearest.hpp"
#include "policies/moldable/knowledge.hpp"

namespace aliquot {

namespace wire {

using nlohmann::json;

namespace {

using wire::body_json;  // of maintenance, beside those below

constexpr std::int64_t kMaxId = std::int64_t{1}
                                << 53;  // the integers that every JSON reader represents exactly
constexpr JsonBounds kBody{};
constexpr JsonBounds kBodyOfMany{.bytes = 4 << 20, .depth = 10, .values = 1 << 18};
constexpr JsonBounds kBodyOfRunTimes{.bytes = 2 * kMostRunTimes};  // a line break is two characters there
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMostAssumption = 600;             // bytes; a policy has at most 512
constexpr std::int64_t kLatestExpiry = 253'402'300'799;  // the end of the year 9999
constexpr std::string_view kImageNames =
    "it has 1 to 63 of a-z 0-9 . _ -, and begins with a letter or a digit";

JobId job_of(Fields& f) {
  return {static_cast<std::uint64_t>(f.integer("job", 1, kMaxId, 1, Need::required))};
}
std::optional<JobId> optional_job(Fields& f, const char* key) {
  const auto job = f.optional_integer(key, 1, kMaxId);
  return job ? std::optional(JobId{static_cast<std::uint64_t>(*job)}) : std::nullopt;
}
std::uint32_t limit_of(Fields& f, std::int64_t high, std::int64_t otherwise) {
  return static_cast<std::uint32_t>(f.integer("limit", 1, high, otherwise, Need::optional));
}
std::string node_of(Fields& f) { return f.text("node", 1, 256, Need::required); }
ImageName image_of(Fields& f, const char* key) {
  const std::string name = f.text(key, 1, 256, Need::required);
  if (!is_image_name(name)) f.fault(key, "is no image name; " + std::string(kImageNames));
  return {name};
}

Request read_events(Fields& f) {
  Events events;
  if (const auto job = f.optional_integer("job", 1, kMaxId))
    events.job = JobId{static_cast<std::uint64_t>(*job)};
  events.after = static_cast<std::uint64_t>(f.integer("after", 0, kMaxId, 0, Need::optional));
  events.limit = limit_of(f, 10'000, 1000);
  if (const auto before = f.optional_integer("before", 1, kMaxId))
    events.before = static_cast<std::uint64_t>(*before);
  return events;
}
Request read_accounts(Fields& f) {
  Accounts accounts;
  if (f.has("account")) accounts.account = f.text("account", 0, 256, Need::optional);
  accounts.limit = limit_of(f, 10'000, 1000);
  return accounts;
}
Request read_set(Fields& f) {
  return SetNeed{job_of(f), {f.integer("cpu_microcores", 1, kMaxCpu, 1, Need::required)}};
}
Request read_evolve(Fields& f) {
  return Evolve{job_of(f),
                static_cast<std::uint32_t>(f.integer("tasks", 1, kMaxTasks, 1, Need::required)),
                {f.integer("in_us", 0, kMaxSpan, 0, Need::optional)}};
}
Request read_list(Fields& f) {
  List list{f.boolean("all", false), limit_of(f, 10'000, 1000)};
  list.after = optional_job(f, "after");
  list.ended_before = optional_job(f, "ended_before");
  list.array = optional_job(f, "array");
  return list;
}
Request read_submit_many(Fields& f) {
  SubmitMany many;
  for (const json* one : f.objects("jobs", 1, kMostTogether)) {
    const std::string where = "jobs[" + std::to_string(many.jobs.size()) + "].";
    Fields fields(*one, where);
    many.jobs.push_back(read_submit(fields));
    if (many.jobs.back().dry_run) fields.fault("dry_run", "is true; ask that of one job, with `submit`");
    if (!many.jobs.back().archive_file.empty())
      fields.fault("archive_file", "is given; the archive of several jobs is a blob frame");
    f.take_fault(fields.finish());
  }
  return many;
}
json body_json(const Submit& one) { return submit_json(one); }
json body_json(const SubmitMany& many) {
  json jobs = json::array();
  for (const Submit& one : many.jobs) jobs.push_back(submit_json(one));
  return {{"jobs", std::move(jobs)}};
}
Request read_show(Fields& f) {
  Show show{job_of(f)};
  if (const auto index = f.optional_integer("index", 0, kLargestIndex))
    show.index = static_cast<std::uint32_t>(*index);
  return show;
}
Request read_cancel(Fields& f) {
  Cancel cancel{job_of(f)};
  const std::string text = f.text("indices", 0, kLongestArray, Need::optional);
  if (text.empty()) return cancel;
  auto indices = parse_indices(text);
  if (!indices)
    f.fault("indices", "is wrong: " + indices.error().message);
  else
    cancel.indices = std::move(*indices);
  return cancel;
}
std::string account_name(Fields& f) { return f.text("account", 1, kLongestAccount, Need::required); }
Request read_account_show(Fields& f) {
  AccountShow show;
  if (f.has("account")) show.account = account_name(f);
  return show;
}
Request read_account_usage(Fields& f) {
  AccountUsage usage;
  usage.first_hour = f.integer("first_hour", 0, kLatestExpiry / 3600, 0, Need::required);
  usage.end_hour = usage.first_hour + f.integer("hours", 1, kMostHoursOfUsage, 1, Need::required);
  const std::string by = f.one_of("by", {kUsageBy.begin(), kUsageBy.end()}, Need::optional);
  if (!by.empty()) usage.by = static_cast<UsageBy>(std::ranges::find(kUsageBy, by) - kUsageBy.begin());
  usage.after = optional_job(f, "after_job").value_or(JobId{});
  return usage;
}
// {"jobs": 4, "cpu": null}: null takes a limit away.
std::map<LimitKind, std::optional<std::int64_t>> read_limits(Fields& f, const char* key) {
  std::map<LimitKind, std::optional<std::int64_t>> limits;
  const json* object = f.object(key, Need::optional);
  if (object == nullptr) return limits;
  Fields inner(*object, std::string(key) + ".");
  for (const LimitKind kind : all_limit_kinds()) {
    const std::string name(limit_name(kind));
    if (inner.is_null(name))
      limits[kind] = std::nullopt;
    else if (const auto most = inner.optional_integer(name, 0, kMostOfLimit))
      limits[kind] = *most;
  }
  f.take_fault(inner.finish());
  return limits;
}
Request read_account_set(Fields& f) {
  AccountSet set{account_name(f)};
  if (f.has("parent")) set.parent = f.text("parent", 0, kLongestAccount, Need::required);
  if (const auto shares = f.optional_integer("shares", 1, kMostSharesOfAccount))
    set.shares = static_cast<std::uint32_t>(*shares);
  set.limits = read_limits(f, "limits");
  set.each_user = read_limits(f, "each_user");
  if (const auto yield = f.optional_integer("min_yield_ppm", 0, kMillion)) set.min_yield = Yield{*yield};
  if (const auto yield = f.optional_integer("max_yield_ppm", kLeastMaxYield.raw, kMillion))
    set.max_yield = Yield{*yield};
  return set;
}
Request read_account_reset(Fields& f) { return AccountReset{account_name(f)}; }
Request read_period(Fields& f) {
  return PeriodSet{{f.integer("period_us", kMillion, 30 * 86'400 * kMillion, kMillion, Need::required)}};
}
json limits_json(const std::map<LimitKind, std::optional<std::int64_t>>& limits) {
  json out = json::object();
  for (const auto& [kind, most] : limits) out[std::string(limit_name(kind))] = most ? json(*most) : json();
  return out;
}
json body_json(const AccountShow& show) {
  return show.account ? json{{"account", *show.account}} : json::object();
}
json body_json(const AccountUsage& usage) {
  json body{{"first_hour", usage.first_hour},
            {"hours", usage.end_hour - usage.first_hour},
            {"by", kUsageBy.at(static_cast<std::size_t>(usage.by))}};
  if (usage.after.raw > 0) body["after_job"] = usage.after.raw;
  return body;
}
json body_json(const AccountReset& reset) { return {{"account", reset.account}}; }
json body_json(const AccountSet& set) {
  json body{{"account", set.account}};
  if (set.parent) body["parent"] = *set.parent;
  if (set.shares) body["shares"] = *set.shares;
  if (!set.limits.empty()) body["limits"] = limits_json(set.limits);
  if (!set.each_user.empty()) body["each_user"] = limits_json(set.each_user);
  if (set.min_yield) body["min_yield_ppm"] = set.min_yield->raw;
  if (set.max_yield) body["max_yield_ppm"] = set.max_yield->raw;
  return body;
}
// A CSV of what was learned.
template <class R, std::size_t most>
Request read_import(Fields& f) {
  return R{f.text("csv", 1, most, Need::required)};
}
Request read_forget_user(Fields& f) {
  return RunTimesForget{static_cast<std::uint32_t>(f.integer("uid", 0, UINT32_MAX, 0, Need::required))};
}
Request read_forget(Fields& f) {
  KnowledgeForget forget{f.text("application", 1, moldable::kLongestApplication, Need::required), {}};
  if (const auto size = f.optional_integer("problem_size", 0, kMaxProblem))
    forget.problem_size = static_cast<std::uint64_t>(*size);
  return forget;
}
json forget_json(const KnowledgeForget& forget) {
  json body{{"application", forget.application}};
  if (forget.problem_size) body["problem_size"] = *forget.problem_size;
  return body;
}
Request read_logs(Fields& f) {
  Logs logs;
  logs.job = job_of(f);
  logs.task = static_cast<std::uint32_t>(f.integer("task", 0, 1'000'000, 0, Need::optional));
  logs.offset = static_cast<std::uint64_t>(f.integer("offset", 0, kMaxId, 0, Need::optional));
  logs.limit = limit_of(f, 1 << 20, 1 << 20);
  logs.results = f.boolean("results", false);
  return logs;
}
Request read_attach(Fields& f) {
  Attach attach{job_of(f)};
  attach.task = static_cast<std::uint32_t>(f.integer("task", 0, 1'000'000, 0, Need::optional));
  return attach;
}
template <class R>
Request read_terminal(Fields& f) {
  R request;
  request.terminal = static_cast<std::uint64_t>(f.integer("terminal", 1, kMaxId, 1, Need::required));
  return request;
}
// Keys are bytes, and JSON has none.
Request read_typed(Fields& f) {
  TerminalWrite typed{std::get<TerminalWrite>(read_terminal<TerminalWrite>(f))};
  const std::string hex = f.text("hex", 2, 2 * kMostTypedAtOnce, Need::required);
  auto bytes = from_hex(hex);
  if (bytes)
    typed.bytes = std::move(*bytes);
  else
    f.fault("hex", "is not pairs of the digits 0-9 a-f");
  return typed;
}
Request read_image_add(Fields& f) {
  ImageAdd add;
  add.file = f.text("file", 1, kMaxPath, Need::required);
  add.uefi = f.boolean("uefi", false);
  if (f.has("image")) {
    add.image = image_of(f, "image");
    return add;
  }
  add.image.text = image_name_of_file(add.file);
  if (!is_image_name(add.image.text))
    f.fault("image", "is missing, and the name of the file is no image name; " + std::string(kImageNames));
  return add;
}
Request read_mode(Fields& f) {
  const auto known = words<Mode>();
  const std::string word = f.one_of("mode", {known.begin(), known.end()}, Need::required);
  return ModeSet{from_word<Mode>(word).value_or(Mode::automatic)};
}

Request read_node_add(Fields& f) {
  NodeAdd add;
  add.dry_run = f.boolean("dry_run", false);
  NodeWords words{{"name", {node_of(f)}}};
  if (const json* settings = f.object("settings", Need::required))
    for (const auto& [key, value] : settings->items()) {
      Fields each(*settings, "settings.");
      words.emplace_back(key, value.is_array() ? each.texts(key, 0, 64, 16'384)
                                               : std::vector{each.text(key, 1, 4096, Need::required)});
      if (key == "name") f.fault("settings.name", "is not a setting here; the name is in `node`");
    }
  auto node = aliquot::node_of(words);
  if (node)
    add.node = std::move(*node);
  else
    f.take_fault(tl::unexpected<Error>(node.error()));
  return add;
}
template <class R>
Request read_node_change(Fields& f) {
  R change;
  change.node = node_of(f);
  change.dry_run = f.boolean("dry_run", false);
  if constexpr (requires { change.to; }) change.to = f.text("to", 1, 63, Need::required);
  return change;
}
Request read_confirm_down(Fields& f) {
  return NodeConfirmDown{node_of(f), f.text("why", 0, 256, Need::optional), f.boolean("dry_run", false)};
}
Request read_plan(Fields& f) {
  PlanShow plan;
  if (f.has("what_if"))
    plan.what_if = f.texts("what_if", 0, kMostAssumptions, kMostAssumptions * kMostAssumption);
  plan.save = f.boolean("save", false);
  return plan;
}
json plan_json(const PlanShow& plan) {
  json body = json::object();
  if (!plan.what_if.empty()) body["what_if"] = plan.what_if;
  if (plan.save) body["save"] = true;
  return body;
}
Request read_plan_apply(Fields& f) {
  return PlanApply{read_saved_plan(f, "plan"), f.boolean("dry_run", false)};
}

Request read_key_add(Fields& f) {
  KeyAdd add;
  add.name = f.text("name", 1, 63, Need::required);
  add.user = f.text("user", 1, 256, Need::required);
  add.role = key_role(f.one_of("role", key_roles(), Need::required)).value_or(KeyRole::viewer);
  add.public_key = f.text("public_key", 64, 64, Need::optional);
  add.expires_unix_s = f.optional_integer("expires_unix_s", 1, kLatestExpiry);
  add.token_sha256 = f.text("token_sha256", 64, 64, Need::optional);
  if (add.public_key.empty() == add.token_sha256.empty())
    f.fault("public_key", "is needed, or token_sha256 in its place");
  return add;
}
json image_add_json(const ImageAdd& add) {
  json body{{"file", add.file}};
  if (!add.image.text.empty()) body["image"] = add.image.text;
  if (add.uefi) body["uefi"] = true;
  return body;
}
json key_add_json(const KeyAdd& add) {
  json body{{"name", add.name}, {"user", add.user}, {"role", std::string(word_of(add.role))}};
  if (!add.public_key.empty()) body["public_key"] = add.public_key;
  if (!add.token_sha256.empty()) body["token_sha256"] = add.token_sha256;
  if (add.expires_unix_s) body["expires_unix_s"] = *add.expires_unix_s;
  return body;
}

struct Method {
  std::string name;
  std::size_t index;  // in Request
  Request (*read)(Fields&);
};

template <class R>
constexpr std::size_t index_of() {
  return Request(R{}).index();
}
template <class R>
Request read_nothing(Fields&) {
  return R{};
}
template <class R>
Request read_job(Fields& f) {
  return R{job_of(f)};
}

template <class R>
Method plain(const char* name) {
  return {name, index_of<R>(), read_nothing<R>};
}
template <class R>
Method of_job(const char* name) {
  return {name, index_of<R>(), read_job<R>};
}

std::vector<Method> maintenance_methods() {
  return {{"maintenance.add", index_of<MaintenanceAdd>(), read_maintenance_add},
          plain<MaintenanceList>("maintenance.list"),
          {"maintenance.remove", index_of<MaintenanceRemove>(), read_maintenance_remove},
          {"motd.set", index_of<MotdSet>(), read_motd_set},
          plain<MotdShow>("motd.show"),
          plain<MotdClear>("motd.clear"),
          plain<HaStatus>("ha.status"),
          plain<HaStepDown>("ha.step_down")};
}

std::vector<Method> most_methods() {
  return {
      plain<Hello>("hello"),
      {"submit", index_of<Submit>(), [](Fields& f) -> Request { return read_submit(f); }},
      {"submit_many", index_of<SubmitMany>(), read_submit_many},
      {"list", index_of<List>(), read_list},
      {"show", index_of<Show>(), read_show},
      of_job<Why>("why"),
      {"events", index_of<Events>(), read_events},
      {"cancel", index_of<Cancel>(), read_cancel},
      of_job<Hold>("hold"),
      of_job<ReleaseJob>("release"),
      of_job<Requeue>("requeue"),
      {"set", index_of<SetNeed>(), read_set},
      {"evolve", index_of<Evolve>(), read_evolve},
      {"logs", index_of<Logs>(), read_logs},
      {"attach", index_of<Attach>(), read_attach},
      {"terminal.read", index_of<TerminalRead>(), read_terminal<TerminalRead>},
      {"terminal.write", index_of<TerminalWrite>(), read_typed},
      {"terminal.close", index_of<TerminalClose>(), read_terminal<TerminalClose>},
      {"accounts", index_of<Accounts>(), read_accounts},
      {"account.show", index_of<AccountShow>(), read_account_show},
      {"account.usage", index_of<AccountUsage>(), read_account_usage},
      {"account.set", index_of<AccountSet>(), read_account_set},
      {"account.reset", index_of<AccountReset>(), read_account_reset},
      plain<KnowledgeList>("knowledge.list"),
      plain<KnowledgeExport>("knowledge.export"),
      {"knowledge.import", index_of<KnowledgeImport>(), read_import<KnowledgeImport, kMostKnowledge>},
      {"knowledge.forget", index_of<KnowledgeForget>(), read_forget},
      plain<RunTimesList>("predictions.list"),
      plain<RunTimesExport>("predictions.export"),
      {"predictions.import", index_of<RunTimesImport>(), read_import<RunTimesImport, kMostRunTimes>},
      {"predictions.forget", index_of<RunTimesForget>(), read_forget_user},
      plain<ImageList>("image.list"),
      {"image.show", index_of<ImageShow>(),
       [](Fields& f) -> Request { return ImageShow{image_of(f, "image")}; }},
      {"image.add", index_of<ImageAdd>(), read_image_add},
      {"image.remove", index_of<ImageRemove>(),
       [](Fields& f) -> Request { return ImageRemove{image_of(f, "image")}; }},
      plain<NodeList>("node.list"),
      {"node.show", index_of<NodeShow>(), [](Fields& f) -> Request { return NodeShow{node_of(f)}; }},
      {"node.probe", index_of<NodeProbe>(), [](Fields& f) -> Request { return NodeProbe{node_of(f)}; }},
      plain<NodeOrphans>("node.orphans"),
      plain<NodeReclaim>("node.reclaim"),
      plain<PolicyShow>("policy.show"),
      plain<ModeShow>("mode.show"),
      {"plan", index_of<PlanShow>(), read_plan},
      {"plan.apply", index_of<PlanApply>(), read_plan_apply},
      plain<Status>("status"),
      {"policy.set", index_of<PolicySet>(),
       [](Fields& f) -> Request { return PolicySet{f.text("policy", 1, 512, Need::required)}; }},
      {"period.set", index_of<PeriodSet>(), read_period},
      {"mode.set", index_of<ModeSet>(), read_mode},
      plain<PolicyReset>("policy.reset"),
      plain<ModeReset>("mode.reset"),
      {"node.add", index_of<NodeAdd>(), read_node_add},
      {"node.remove", index_of<NodeRemove>(), read_node_change<NodeRemove>},
      {"node.rename", index_of<NodeRename>(), read_node_change<NodeRename>},
      {"node.accept_host", index_of<NodeAcceptHost>(), read_node_change<NodeAcceptHost>},
      {"node.confirm_down", index_of<NodeConfirmDown>(), read_confirm_down},
      {"node.drain", index_of<NodeDrain>(), read_drain},
      {"node.resume", index_of<NodeResume>(), [](Fields& f) -> Request { return NodeResume{node_of(f)}; }},
      {"key.add", index_of<KeyAdd>(), read_key_add},
      plain<KeyList>("key.list"),
      {"key.revoke", index_of<KeyRevoke>(),
       [](Fields& f) -> Request { return KeyRevoke{f.text("name", 1, 63, Need::required)}; }},
  };
}

const std::vector<Method>& methods() {
  static const std::vector<Method> table = [] {
    std::vector<Method> all = most_methods();
    std::ranges::move(maintenance_methods(), std::back_inserter(all));
    return all;
  }();
  return table;
}

// The archive of a job of several; none: it has none. Two may not have two.
Result<const std::string*> archive_of_many(const SubmitMany& many) {
  const std::string* archive = nullptr;
  for (const Submit& one : many.jobs) {
    const std::string* its = archive_of(one.submission.program);
    if (its == nullptr || its->empty()) continue;
    if (archive != nullptr && *archive != *its)
      return fail(ErrorKind::invalid_argument,
                  "field `jobs` names two archives; jobs that are submitted together have one");
    archive = its;
  }
  return archive;
}

// A blob frame and its name come together.
Result<void> expects_blob(const Request& request, bool has_blob) {
  if (const auto* many = std::get_if<SubmitMany>(&request)) {
    const auto archive = archive_of_many(*many);
    if (!archive) return tl::unexpected<Error>(archive.error());
    if ((*archive != nullptr) == has_blob) return {};
    return fail(ErrorKind::invalid_argument,
                has_blob ? "there is a blob frame, but no job names it with `program.archive_sha256`"
                         : "field `program.archive_sha256` names an archive that is not there; send it as "
                           "the frame after the body");
  }
  const auto* submit = std::get_if<Submit>(&request);
  const std::string* archive = submit ? archive_of(submit->submission.program) : nullptr;
  const bool has_file = submit && !submit->archive_file.empty();
  if (has_file && (has_blob || !archive || archive->empty()))
    return fail(ErrorKind::invalid_argument,
                "field `archive_file` goes with `program.archive_sha256`, and with no blob frame");
  const bool names_blob = archive && !archive->empty() && !has_file;
  if (has_blob && !names_blob)
    return fail(ErrorKind::invalid_argument,
                "there is a blob frame, but nothing names it; only `submit` takes one, with "
                "`program.archive_sha256`");
  if (names_blob && !has_blob)
    return fail(ErrorKind::invalid_argument,
                "field `program.archive_sha256` names an archive that is not there; send it as the frame "
                "after the body, or name a file with `archive_file`");
  return {};
}

template <class R>
json terminal_json(const R& request) {
  json body{{"terminal", request.terminal}};
  if constexpr (requires { request.bytes; }) body["hex"] = to_hex(request.bytes);
  return body;
}

template <class R>
json job_json(const R& request) {
  json body{{"job", request.job.raw}};
  if constexpr (requires { request.index; })
    if (request.index) body["index"] = *request.index;
  if constexpr (requires { request.indices; })
    if (!request.indices.empty()) body["indices"] = print_indices(request.indices);
  return body;
}
json logs_json(const Logs& logs) {
  json body{{"job", logs.job.raw}, {"task", logs.task}, {"offset", logs.offset}, {"limit", logs.limit}};
  if (logs.results) body["results"] = true;
  return body;
}
json list_json(const List& list) {
  json body{{"all", list.all}, {"limit", list.limit}};
  if (list.after) body["after"] = list.after->raw;
  if (list.ended_before) body["ended_before"] = list.ended_before->raw;
  if (list.array) body["array"] = list.array->raw;
  return body;
}
json events_json(const Events& events) {
  json body{{"after", events.after}, {"limit", events.limit}};
  if (events.job) body["job"] = events.job->raw;
  if (events.before) body["before"] = *events.before;
  return body;
}
json accounts_json(const Accounts& accounts) {
  json body{{"limit", accounts.limit}};
  if (accounts.account) body["account"] = *accounts.account;
  return body;
}

json body_of(const Request& request) {
  return std::visit(
      [](const auto& r) -> json {
        using R = std::decay_t<decltype(r)>;
        if constexpr (requires { body_json(r); }) {
          return body_json(r);
        } else if constexpr (std::is_same_v<R, List>) {
          return list_json(r);
        } else if constexpr (std::is_same_v<R, Events>) {
          return events_json(r);
        } else if constexpr (std::is_same_v<R, Logs>) {
          return logs_json(r);
        } else if constexpr (std::is_same_v<R, Attach>) {
          return {{"job", r.job.raw}, {"task", r.task}};
        } else if constexpr (requires { r.terminal; }) {
          return terminal_json(r);
        } else if constexpr (std::is_same_v<R, Accounts>) {
          return accounts_json(r);
        } else if constexpr (requires { r.csv; }) {
          return {{"csv", r.csv}};
        } else if constexpr (std::is_same_v<R, RunTimesForget>) {
          return {{"uid", r.uid}};
        } else if constexpr (std::is_same_v<R, KnowledgeForget>) {
          return forget_json(r);
        } else if constexpr (std::is_same_v<R, ImageAdd>) {
          return image_add_json(r);
        } else if constexpr (requires { r.image; }) {
          return {{"image", r.image.text}};
        } else if constexpr (std::is_same_v<R, PolicySet>) {
          return {{"policy", r.spec}};
        } else if constexpr (std::is_same_v<R, SetNeed>) {
          return {{"job", r.job.raw}, {"cpu_microcores", r.need.raw}};
        } else if constexpr (std::is_same_v<R, Evolve>) {
          return {{"job", r.job.raw}, {"tasks", r.tasks}, {"in_us", r.in.raw}};
        } else if constexpr (std::is_same_v<R, PeriodSet>) {
          return {{"period_us", r.period.raw}};
        } else if constexpr (std::is_same_v<R, ModeSet>) {
          return {{"mode", std::string(word(r.mode))}};
        } else if constexpr (std::is_same_v<R, NodeConfirmDown>) {
          return {{"node", r.node}, {"why", r.why}, {"dry_run", r.dry_run}};
        } else if constexpr (std::is_same_v<R, NodeDrain>) {
          return drain_json(r);
        } else if constexpr (std::is_same_v<R, PlanShow>) {
          return plan_json(r);
        } else if constexpr (std::is_same_v<R, PlanApply>) {
          return {{"plan", saved_plan_json(r.plan)}, {"dry_run", r.dry_run}};
        } else if constexpr (std::is_same_v<R, NodeAdd>) {
          json settings = json::object();
          for (const auto& [key, words] : words_of(r.node))
            if (key != "name") settings[key] = words.size() == 1 ? json(words[0]) : json(words);
          return {{"node", r.node.name}, {"settings", std::move(settings)}, {"dry_run", r.dry_run}};
        } else if constexpr (std::is_same_v<R, KeyAdd>) {
          return key_add_json(r);
        } else if constexpr (std::is_same_v<R, KeyRevoke>) {
          return {{"name", r.name}};
        } else if constexpr (std::is_same_v<R, NodeRename>) {
          return {{"node", r.node}, {"to", r.to}, {"dry_run", r.dry_run}};
        } else if constexpr (requires { r.dry_run; }) {
          return {{"node", r.node}, {"dry_run", r.dry_run}};
        } else if constexpr (requires { r.job; }) {
          return job_json(r);
        } else if constexpr (requires { r.node; }) {
          return {{"node", r.node}};
        } else {
          static_assert(std::is_empty_v<R>);
          return json::object();
        }
      },
      request);
}

JsonBounds bounds_of(std::size_t method) {
  if (method == index_of<SubmitMany>() || method == index_of<PlanApply>()) return kBodyOfMany;
  return method == index_of<RunTimesImport>() ? kBodyOfRunTimes : kBody;
}

}  // namespace

Result<Request> decode_payload(const std::string& method, std::string_view body_text,
                               std::string_view blob) {
  const auto row =
      std::find_if(methods().begin(), methods().end(), [&](const Method& m) { return m.name == method; });
  if (row == methods().end())
    return fail(ErrorKind::unsupported, "method " + in_quotes(method) + " is not known" +
                                            did_you_mean(method, known_methods()) + "; known are " +
                                            comma_list(known_methods()));
  const auto body = parse_object(body_text, "the body", bounds_of(row->index));
  if (!body) return tl::unexpected<Error>(body.error());
  Fields fields(*body);
  Request request = row->read(fields);
  if (auto read = fields.finish(); !read) return tl::unexpected<Error>(read.error());
  if (auto whole = expects_blob(request, !blob.empty()); !whole)
    return tl::unexpected<Error>(whole.error());
  return request;
}

Payload encode_payload(const Request& request) {
  Payload payload{to_line(body_of(request)), {}};
  if (const auto* submit = std::get_if<Submit>(&request)) payload.blob = submit->archive;
  if (const auto* many = std::get_if<SubmitMany>(&request)) payload.blob = many->archive;
  return payload;
}

}  // namespace wire

std::string method_name(const Request& request) {
  for (const wire::Method& m : wire::methods())
    if (m.index == request.index()) return m.name;
  return {};
}

const std::vector<std::string>& known_methods() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const wire::Method& m : wire::methods()) all.push_back(m.name);
    return all;
  }();
  return names;
}

}  // namespace aliquot
