#include "tools/ctl/command_line.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include "config/quantities.hpp"
#include "config/settings.hpp"
#include "manager/api/wire/error_names.hpp"
#include "policies/model/nearest.hpp"
#include "policies/text_parts.hpp"
#include "tools/ctl/slurm_words.hpp"

namespace aliquot::ctl {

namespace {

struct GlobalText {
  std::string server = ApiSettings{}.socket;
  std::string key;
  std::string timeout = "20s";
  std::string form = "table";
  std::string colour = "auto";
  bool json = false;
  bool no_headers = false;
};

void declare_globals(CLI::App& app, GlobalText& text) {
  app.add_option("--server", text.server,
                 "socket of the manager, or tcp://HOST:PORT; of several managers all, separated by commas")
      ->capture_default_str()
      ->envname("ALIQUOT_SERVER");
  app.add_option("--key", text.key, "file of a key: the manager is on another machine, which it names")
      ->envname("ALIQUOT_KEY");
  app.add_option("--timeout", text.timeout, "for an answer: seconds, or a duration such as 2m")
      ->capture_default_str();
  app.add_option("-o,--output", text.form, "table, wide, json, yaml, name, or csv of `usage --start`")
      ->capture_default_str()
      ->envname("ALIQUOT_OUTPUT")
      ->check(CLI::IsMember(form_words()));
  app.add_flag("--json", text.json, "the same as -o json");
  app.add_flag("--no-headers", text.no_headers, "tables without their first line");
  app.add_option("--color", text.colour, "auto, always or never")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

// The options were checked where they were given; what the user's file says is checked here.
Result<void> check_words(const GlobalText& text) {
  const auto among = [](const std::string& word, const std::vector<std::string>& known) {
    return std::find(known.begin(), known.end(), word) != known.end();
  };
  const auto refuse = [](const std::string& key, const std::string& word, const std::string& known) {
    return fail(ErrorKind::invalid_argument,
                "your configuration file: " + key + ": " + quote(word) + " is none of " + known);
  };
  if (!among(text.form, form_words()))
    return refuse("output", text.form, "table, wide, json, yaml, name, csv");
  if (!among(text.colour, {"auto", "always", "never"}))
    return refuse("color", text.colour, "auto, always, never");
  return {};
}

// A key says where its manager is, unless another address is named.
Result<void> read_key(const GlobalText& text, Globals& globals) {
  const bool has_address = text.server.starts_with("tcp://");
  if (has_address)
    for (const std::string_view server : split(text.server, ','))
      if (auto good = check_tcp_address(std::string(server)); !good) return good;
  if (text.key.empty()) return {};
  auto key = read_remote_key(text.key);
  if (!key) return tl::unexpected<Error>(key.error());
  if (!has_address) globals.server = key->at;
  globals.key = std::make_shared<const RemoteKey>(std::move(*key));
  return {};
}

Result<Globals> read_globals(const GlobalText& text) {
  if (auto words = check_words(text); !words) return tl::unexpected<Error>(words.error());
  Globals globals;
  globals.server = text.server;
  if (auto key = read_key(text, globals); !key) return tl::unexpected<Error>(key.error());
  const bool bare = text.timeout.find_first_not_of("0123456789.") == std::string::npos;
  const auto timeout = parse_duration(bare ? text.timeout + "s" : text.timeout);
  if (!timeout || timeout->raw <= 0)
    return fail(ErrorKind::invalid_argument, "--timeout: " + quote(text.timeout) +
                                                 " is no positive duration; write for example 30 or 2m");
  globals.timeout = *timeout;
  const auto form = std::find(form_words().begin(), form_words().end(), text.json ? "json" : text.form);
  globals.form = static_cast<Form>(form - form_words().begin());
  globals.headers = !text.no_headers;
  const bool terminal = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  globals.colour = text.colour == "always" || (text.colour == "auto" && terminal);
  return globals;
}

// What can be written where something unexpected stood.
std::vector<std::string> known_words(const CLI::App& app, bool option) {
  std::vector<std::string> words;
  if (option) {
    for (const CLI::App* from = &app; from != nullptr; from = from->get_parent())
      for (const CLI::Option* known : from->get_options())
        for (const std::string& name : known->get_lnames()) words.push_back("--" + name);
  } else {
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
      words.push_back(verb->get_name());
  }
  return words;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? "aliquot" : full_name(*app.get_parent()) + " " + app.get_name();
}

const CLI::App& deepest(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : deepest(*parsed.front());
}

// Of an option of `submit` that another program has: the command before it, or sbatch; empty: none.
std::string explain_foreign(const CLI::App& submit, const std::vector<std::string>& given,
                            const std::vector<std::string>& extra, const CLI::ParseError& error) {
  if (extra.empty()) {
    const bool is_file = std::string_view(error.what()).starts_with("--output");
    return is_file ? std::string(error.what()) + "; " + slurm::advice("--output") : "";
  }
  if (!extra.front().starts_with('-')) return "";
  const auto command = submit.get_option("COMMAND")->results();
  const auto option = std::ranges::find(given, extra.front());
  if (!command.empty() && std::find(given.begin(), option, command.front()) != option)
    return quote(extra.front()) + " is no option of `aliquot submit`; if it is one of " +
           quote(command.front()) + ", write -- before the command: `aliquot submit -- " + command.front() +
           " " + extra.front() + "`";
  const std::string why = slurm::advice(extra.front());
  return why.empty() ? "" : why + "; leave it out";
}

std::string explain(const CLI::App& app, const std::vector<std::string>& given,
                    const CLI::ParseError& error) {
  const CLI::App& at = deepest(app);
  const std::string help = "; see `" + full_name(at) + " --help`";
  const std::vector<std::string> extra = app.remaining(true);
  const std::string foreign = at.get_name() == "submit" ? explain_foreign(at, given, extra, error) : "";
  if (!foreign.empty()) return foreign;
  const bool verbs_expected = !at.get_subcommands([](const CLI::App*) { return true; }).empty();
  if (extra.empty() && verbs_expected) return "what is to be done? a command is missing" + help;
  if (extra.empty()) return std::string(error.what()) + help;
  const std::string& word = extra.front();
  const bool option = !word.empty() && word[0] == '-';
  const std::string hint = did_you_mean(word, known_words(at, option));
  if (option) return quote(word) + " is no option of `" + full_name(at) + "`" + hint + help;
  if (const auto here = slurm::command_for(word); verbs_expected && !here.empty())
    return quote(word) + " is a command of Slurm; here it is `" + std::string(here) + "`" + help;
  if (verbs_expected) return quote(word) + " is no command of `" + full_name(at) + "`" + hint + help;
  return quote(word) + " was not expected after `" + full_name(at) + "`" + help;
}

// All verbs under the app; the run of the one that is parsed ends up in `chosen`.
void declare_verbs(CLI::App& app, Run& chosen) {
  const std::map<std::string, std::string> groups{
      {"account", "accounts: their shares, their limits, and what was used of them"},
      {"image", "disk images that jobs boot"},
      {"knowledge", "what finished runs have taught of applications"},
      {"predictions", "what finished runs have taught of run times"},
      {"node", "nodes of the cluster"},
      {"maintenance", "times at which nodes are to be empty"},
      {"motd", "the message of the day"},
      {"ha", "several managers of the cluster"},
      {"key", "keys of clients on other machines, and tokens"},
      {"token", "tokens of the console in a browser"},
      {"audit", "what was asked of the manager, as its audit log has it"},
      {"policy", "the scheduling policy"},
      {"period", "the policy's period"},
      {"mode", "whether the manager decides and acts"},
      {"config", "the configuration file"}};
  std::map<std::string, CLI::App*> parents{{"", &app}};
  for (const Verb& verb : verbs()) {
    CLI::App*& parent = parents[verb.group];
    if (parent == nullptr) {
      parent = app.add_subcommand(verb.group, groups.at(verb.group));
      parent->require_subcommand(1)->fallthrough();
    }
    CLI::App* one = parent->add_subcommand(verb.name, verb.summary);
    one->fallthrough();
    Run run = verb.declare(*one);
    one->callback([&chosen, run] { chosen = run; });
  }
}

}  // namespace

std::variant<Chosen, Leave> parse_command_line(std::vector<std::string> arguments,
                                               const ClientConfig& config) {
  // The options of programs of their own are their own business.
  if (!arguments.empty() && (arguments.front() == "sim" || arguments.front() == "db")) {
    const std::string program = "aliquot-" + arguments.front();
    arguments.erase(arguments.begin());
    Chosen other;
    other.run = [program, arguments](Session&) { return run_beside(program, arguments); };
    return other;
  }
  const auto app = std::make_shared<CLI::App>(
      "Aliquot: jobs in virtual machines that share nodes in exact fractions.", "aliquot");
  GlobalText text;
  text.server = config.server.value_or(text.server);
  text.key = config.key.value_or(text.key);
  text.timeout = config.timeout.value_or(text.timeout);
  text.form = config.output.value_or(text.form);
  text.colour = config.color.value_or(text.colour);
  Run chosen;
  declare_globals(*app, text);
  declare_verbs(*app, chosen);
  app->require_subcommand(1);
  app->footer(
      "Exit codes: 0 done, 1 the job failed, 2 usage, 3 not found, 4 refused, 5 conflict,\n"
      "6 unreachable, 7 forbidden, 8 timeout.");
  const std::vector<std::string> given = arguments;
  std::reverse(arguments.begin(), arguments.end());
  try {
    app->parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return Leave{kExitDone, deepest(*app).help()};
  } catch (const CLI::ParseError& error) {
    return Leave{exit_code(ErrorKind::invalid_argument), explain(*app, given, error)};
  }
  auto globals = read_globals(text);
  if (!globals) return Leave{exit_code(globals.error().kind), globals.error().message};
  // A verb may look at its app when it runs.
  return Chosen{std::move(*globals), [app, chosen](Session& session) { return chosen(session); }};
}

}  // namespace aliquot::ctl
