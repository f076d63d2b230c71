#include "tools/ctl/slurm_words.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "config/quantities.hpp"

namespace aliquot::ctl::slurm {
namespace {

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = fault == std::errc{} && end == text.data() + text.size();
  return whole && value >= 0 && value <= 1'000'000 ? std::optional(value) : std::nullopt;
}

// The numbers between colons, at most three; empty: it is something else.
std::vector<std::int64_t> clock_parts(std::string_view text) {
  std::vector<std::int64_t> parts;
  while (true) {
    const std::size_t colon = text.find(':');
    const auto part = number(text.substr(0, colon));
    if (!part || parts.size() == 3) return {};
    parts.push_back(*part);
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

// In a line of a script a bare number means what it means to Slurm.
std::string minutes_text(const std::string& text) { return number(text) ? text + "m" : time_text(text); }
std::string mebibytes_text(const std::string& text) {
  return number(text) ? text + "MiB" : memory_text(text);
}

std::string as_it_is(const std::string& text) { return text; }

// "gpu:2", "gpu:V100:2", "2": the count; the model is taken apart from it by model_of().
std::string count_of(const std::string& text) {
  const std::size_t last = text.rfind(':');
  const std::string_view tail = std::string_view(text).substr(last == std::string::npos ? 0 : last + 1);
  return number(tail) ? std::string(tail) : "1";
}
std::optional<std::string> model_of(std::string_view text) {
  if (text.starts_with("gpu:")) text.remove_prefix(4);
  const std::string_view first = text.substr(0, text.find(':'));
  return first.empty() || first == "gpu" || number(first) ? std::nullopt
                                                          : std::optional(std::string(first));
}

struct Taken {
  const char* names;
  std::optional<std::string> JobText::*field;
  const char* option;  // of Aliquot
  std::string (*convert)(const std::string&) = as_it_is;
};
const std::vector<Taken>& taken() {
  static const std::vector<Taken> all{
      {"-n,--ntasks", &JobText::tasks, "--tasks"},
      {"-c,--cpus-per-task", &JobText::cpus, "--cpus"},
      {"-J,--job-name", &JobText::name, "--name"},
      {"-A,--account", &JobText::account, "--account"},
      {"-t,--time", &JobText::time_limit, "--time-limit", minutes_text},
      {"--mem", &JobText::mem, "--mem", mebibytes_text},
      {"-N,--nodes", &JobText::nodes, "--nodes"},
      {"--ntasks-per-node", &JobText::tasks_per_node, "--tasks-per-node"},
      {"-i,--input", &JobText::stdin_file, "--stdin"},
      {"-b,--begin", &JobText::begin, "--begin"},
      {"-a,--array", &JobText::array, "--array"},
      {"--gres", &JobText::gpus, "--gpus", count_of},
      {"--gpus-per-node", &JobText::gpus, "--gpus", count_of},
  };
  return all;
}

struct Other {
  const char* names;
  const char* why;
};
constexpr const char* kOutput = "what each task prints is kept: `aliquot logs JOB`";
constexpr const char* kMail = "nothing is mailed: `aliquot watch JOB` tells its end";
constexpr std::array kLeftOut = {
    Other{"-p,--partition", "there are no partitions: nodes are shared in fractions"},
    Other{"-q,--qos", "there are no classes of service: --min-yield guarantees a part of its need"},
    Other{"-o,--output", kOutput},
    Other{"-e,--error", kOutput},
    Other{"--open-mode", kOutput},
    Other{"-D,--chdir", "a task starts in a guest of its own: --workdir names the directory there"},
    Other{"--mail-type", kMail},
    Other{"--mail-user", kMail},
    Other{"--comment", "no comment is kept"},
    Other{"--time-min", "a job is not planned into a gap: --time-limit is all that it needs"},
    Other{"--hint", "a VM has vCPUs of its own"},
    Other{"--ntasks-per-core", "a VM has vCPUs of its own"},
    Other{"--threads-per-core", "a VM has vCPUs of its own"},
    Other{"--cpu-bind", "a VM has vCPUs of its own"},
};
constexpr std::array kLeftOutFlags = {
    Other{"-s,--oversubscribe", "all nodes are shared"},
    Other{"--no-requeue", "a job starts anew only where --requeue says so"},
    Other{"-O,--overcommit", "CPU is shared in fractions in any case"},
    Other{"-v,--verbose", "`aliquot why JOB` tells more"},
    Other{"-Q,--quiet", "`aliquot submit --parsable` prints the job number only"},
    Other{"--parsable", "it goes on the command line: `aliquot submit --parsable`"},
    Other{"-W,--wait", "it goes on the command line: `aliquot submit --wait`"},
};
constexpr std::array kRefused = {
    Other{"-w,--nodelist", "the manager chooses the nodes"},
    Other{"-x,--exclude", "the manager chooses the nodes"},
    Other{"-C,--constraint", "nodes have no features: ask for --cpus, --mem or --gpu-model"},
    Other{"-L,--licenses", "licences are not counted"},
    Other{"--reservation", "there are no reservations"},
    Other{"--mem-per-cpu", "memory is that of a task: write --mem"},
    Other{"--mem-per-gpu", "memory is that of a task: write --mem"},
    Other{"-G,--gpus", "devices are counted on each node: write --gpus"},
    Other{"--gpus-per-task", "devices are counted on each node: write --gpus"},
    Other{"--cpus-per-gpu", "CPU is that of a task: write --cpus"},
    Other{"--wrap", "write the command after --"},
};
constexpr std::array kRefusedFlags = {
    Other{"--exclusive", "a job has no node for itself: --min-yield 1 gives it all that it needs"},
};

// "ALL,NAME=VALUE": a variable without a value gets that of this environment; ALL means little in a guest.
void take_export(const std::string& text, Lines& lines) {
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, comma - at);
    if (one == "ALL")
      lines.left_out.emplace_back(
          "--export=ALL (a guest has an environment of its own: name the variables)");
    else if (!one.empty() && one != "NONE" && one != "NIL")
      lines.job.env.push_back(one);
    at = comma + 1;
  }
}

// "--ntasks" of "-n,--ntasks".
std::string long_name(const std::string& names) { return names.substr(names.find("--")); }

// The options of sbatch, and what is given of them.
struct Parser {
  CLI::App app;
  std::vector<std::unique_ptr<std::string>> values;
  std::string exported, dependency, signal;
  bool hold = false, contiguous = false, requeue = false;

  Parser() {
    app.set_help_flag();
    for (const Taken& one : taken()) value(one.names);
    for (const Other& one : kLeftOut) value(one.names);
    for (const Other& one : kRefused) value(one.names);
    for (const Other& one : kLeftOutFlags) app.add_flag(one.names);
    for (const Other& one : kRefusedFlags) app.add_option(one.names)->expected(0, 1);
    app.add_option("--export", exported);
    app.add_option("-d,--dependency", dependency);
    app.add_option("--signal", signal);
    app.add_flag("-H,--hold", hold);
    app.add_flag("--contiguous", contiguous);
    app.add_flag("--requeue", requeue);
  }
  void value(const char* names) {
    values.push_back(std::make_unique<std::string>());
    app.add_option(names, *values.back());
  }
  [[nodiscard]] const CLI::Option* given(const std::string& names) const {
    const CLI::Option* const option = app.get_option(long_name(names));
    return option->count() > 0 ? option : nullptr;
  }
};

template <class Table>
void leave_out(const Parser& parser, const Table& table, Lines& lines) {
  for (const Other& one : table)
    if (const CLI::Option* const option = parser.given(one.names))
      lines.left_out.push_back(option->get_name() + " (" + one.why + ")");
}

template <class Table>
Result<void> refuse(const Parser& parser, const Table& table) {
  for (const Other& one : table)
    if (const CLI::Option* const option = parser.given(one.names))
      return fail(ErrorKind::refused, option->get_name() + ": " + one.why);
  return {};
}

// ":7_3:8" is ":7[3]:8" here.
std::string with_brackets(const std::string& jobs) {
  std::string out;
  bool is_open = false;
  for (const char c : jobs) {
    if (c == ':' && std::exchange(is_open, false)) out += ']';
    if (c == '_') is_open = true;
    out += c == '_' ? '[' : c;
  }
  return is_open ? out + "]" : out;
}

// "afterok:7:8_3,afterany:9,singleton".
Result<void> take_dependency(const std::string& text, Lines& lines) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kinds{
      {{"afterok", "ok"}, {"afterany", "any"}, {"afternotok", "notok"}, {"after", "start"}}};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, comma - at);
    at = comma + 1;
    if (one == "singleton") {
      lines.job.singleton = true;
      continue;
    }
    const std::size_t colon = std::min(one.find(':'), one.size());
    const auto* const kind = std::ranges::find(kinds, std::string_view(one).substr(0, colon),
                                               &std::pair<std::string_view, std::string_view>::first);
    if (kind == kinds.end() || one.find_first_of("+?") != std::string::npos)
      return fail(ErrorKind::refused, "--dependency: there is no " + quote(one) +
                                          " here; afterok, afterany, afternotok, after and singleton are "
                                          "taken over, all of which must hold");
    lines.job.after.push_back(std::string(kind->second) + with_brackets(one.substr(colon)));
    lines.options.emplace_back("--after");
  }
  return {};
}

// "B:TERM@120": so many seconds before its limit, a minute where it does not say.
Result<void> take_signal(std::string_view text, Lines& lines) {
  if (text.empty()) return {};
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos)
    text.remove_prefix(colon + 1);
  const std::size_t at = std::min(text.find('@'), text.size());
  const std::string_view name = text.substr(0, at);
  const std::string_view ahead = at < text.size() ? text.substr(at + 1) : "60";
  if (name != "TERM" && name != "SIGTERM" && name != "15")
    return fail(ErrorKind::refused, "--signal: " + quote(std::string(name)) +
                                        ": commands are told with SIGTERM; let yours listen for that, and "
                                        "write --signal=TERM@SECONDS or --warn");
  if (!number(ahead))
    return fail(ErrorKind::invalid_argument,
                "--signal: " + quote(std::string(ahead)) + " is no number of seconds");
  lines.job.warn = std::string(ahead) + "s";
  lines.options.emplace_back("--warn");
  return {};
}

void take_over(const Parser& parser, Lines& lines) {
  for (const Taken& one : taken()) {
    const CLI::Option* const option = parser.given(one.names);
    if (option == nullptr) continue;
    const std::string given = option->as<std::string>();
    lines.job.*one.field = one.convert(given);
    lines.options.emplace_back(one.option);
    if (one.field == &JobText::gpus) lines.job.gpu_model = model_of(given);
  }
  take_export(parser.exported, lines);
  lines.job.hold = parser.hold;
  lines.job.contiguous = parser.contiguous;
  if (parser.requeue) lines.job.requeue = "1";
}

}  // namespace

std::string time_text(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto days =
      dash == std::string_view::npos ? std::optional<std::int64_t>(0) : number(text.substr(0, dash));
  const bool has_days = dash != std::string_view::npos;
  auto parts = clock_parts(has_days ? text.substr(dash + 1) : text);
  if (!days || parts.empty() || (!has_days && parts.size() == 1)) return std::string(text);
  // After days the first number counts hours; of two numbers alone, minutes.
  if (!has_days && parts.size() == 2) parts.insert(parts.begin(), 0);
  parts.resize(3, 0);
  return std::to_string(((*days * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2]) + "s";
}

std::string memory_text(std::string_view text) {
  constexpr std::string_view units = "KMGT";
  if (text.size() < 2 || units.find(text.back()) == std::string_view::npos) return std::string(text);
  return std::string(text) + "iB";
}

Result<Lines> read_line(const std::string& words) {
  Parser parser;
  try {
    parser.app.parse(words, false);
  } catch (const CLI::ParseError& fault) {
    return fail(ErrorKind::invalid_argument, std::string(fault.what()));
  }
  if (auto good = refuse(parser, kRefused); !good) return tl::unexpected<Error>(good.error());
  if (auto good = refuse(parser, kRefusedFlags); !good) return tl::unexpected<Error>(good.error());
  Lines lines;
  if (auto good = take_dependency(parser.dependency, lines); !good)
    return tl::unexpected<Error>(good.error());
  if (auto good = take_signal(parser.signal, lines); !good) return tl::unexpected<Error>(good.error());
  take_over(parser, lines);
  leave_out(parser, kLeftOut, lines);
  leave_out(parser, kLeftOutFlags, lines);
  return lines;
}

std::string advice(std::string_view option) {
  const auto among = [option](std::string_view names) {
    const std::string_view name = option.substr(0, option.find('='));
    const std::size_t comma = names.find(',');
    return name == names.substr(0, comma) ||
           (comma != std::string_view::npos && name == names.substr(comma + 1));
  };
  const auto in = [&](const auto& table) {
    const auto known = std::ranges::find_if(table, [&](const Other& one) { return among(one.names); });
    return known == table.end() ? std::string() : long_name(known->names) + " of Slurm: " + known->why;
  };
  for (const std::string& found : {in(kLeftOut), in(kLeftOutFlags), in(kRefused), in(kRefusedFlags)})
    if (!found.empty()) return found;
  return {};
}

std::string_view command_for(std::string_view slurm) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> all{{
      {"sbatch", "aliquot submit"},
      {"srun", "aliquot submit --wait"},
      {"salloc", "aliquot submit"},
      {"squeue", "aliquot list"},
      {"sacct", "aliquot list --all"},
      {"scancel", "aliquot cancel"},
      {"sinfo", "aliquot node list"},
      {"sstat", "aliquot usage"},
      {"seff", "aliquot usage"},
      {"sprio", "aliquot why"},
      {"sattach", "aliquot attach"},
      {"scontrol", "aliquot show, hold, release, set or node"},
  }};
  const auto* const known =
      std::ranges::find(all, slurm, &std::pair<std::string_view, std::string_view>::first);
  return known == all.end() ? std::string_view() : known->second;
}

}  // namespace aliquot::ctl::slurm
