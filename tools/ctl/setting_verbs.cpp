// policy, period and mode: show, set and reset.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "config/quantities.hpp"
#include "monitor/codec_words.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

// Where the setting comes from, and, if a command has set it, the way back to the configuration.
std::string origin_text(const json& answer, const std::string& setting) {
  const std::string since = answer["since"].get<std::string>();
  if (answer["by_uid"].is_null()) return "as configured, since " + since + "\n";
  return "set by user id " + answer["by_uid"].dump() + " on " + since + "; the configuration says " +
         answer["configured"].get<std::string>() + ": `aliquot " + setting + " reset` goes back to it\n";
}

std::string policy_line(const json& answer) {
  std::string out = answer["policy"].get<std::string>();
  if (!answer["period_s"].is_null()) out += ", every " + short_seconds(answer["period_s"]);
  return out + "\n";
}

std::string period_text(const json& answer) {
  if (answer["period_s"].is_null())
    return answer["policy"].get<std::string>() + " has no period: it decides when something happens\n";
  return short_seconds(answer["period_s"]) + "\n" + origin_text(answer, "policy");
}

std::string policy_text(const json& answer, const TableStyle& style) {
  Table known{{{"NAME"}, {"WHAT"}, {"SOURCE"}}, {}};
  for (const json& policy : answer["known"])
    known.rows.push_back({policy["name"].get<std::string>(), policy["summary"].get<std::string>(),
                          policy["source"].get<std::string>()});
  return policy_line(answer) + origin_text(answer, "policy") + "\n" + to_text(known, style);
}

std::string set_policy_text(const json& answer) {
  return "policy " + policy_line(answer) + origin_text(answer, "policy");
}

std::string mode_text(const json& answer) {
  return answer["mode"].get<std::string>() + ": " + answer["meaning"].get<std::string>() + "\n" +
         origin_text(answer, "mode");
}

// Asks, and shows the answer; `key` is the field that -o name prints.
Result<int> ask_and_show(Session& session, Request request, const char* key,
                         const std::function<std::string(const json&)>& text) {
  const auto answer = session.ask(std::move(request));
  if (!answer) return tl::unexpected<Error>(answer.error());
  const json& body = answer->body;
  const auto name = [&body, key] {
    const json& value = body[key];
    return std::vector{value.is_string() ? value.get<std::string>() : value.dump()};
  };
  return session.show(body, {[&](bool) { return text(body); }, name});
}

}  // namespace

Run declare_policy_show(CLI::App&) {
  return [](Session& session) {
    return ask_and_show(session, PolicyShow{}, "policy",
                        [&session](const json& body) { return policy_text(body, session.style()); });
  };
}

Run declare_policy_set(CLI::App& app) {
  auto request = std::make_shared<PolicySet>();
  app.add_option("SPEC", request->spec, "as in `aliquot policy show`, for example DYNMCB8-PER-600")
      ->required();
  return [request](Session& session) { return ask_and_show(session, *request, "policy", set_policy_text); };
}

Run declare_policy_reset(CLI::App&) {
  return [](Session& session) { return ask_and_show(session, PolicyReset{}, "policy", set_policy_text); };
}

Run declare_period_show(CLI::App&) {
  return [](Session& session) { return ask_and_show(session, PolicyShow{}, "period_s", period_text); };
}

Run declare_period_set(CLI::App& app) {
  auto text = std::make_shared<std::string>();
  app.add_option("SECONDS", *text, "a number of seconds, or a duration such as 10m")->required();
  return [text](Session& session) -> Result<int> {
    const bool bare = text->find_first_not_of("0123456789.") == std::string::npos;
    const auto period = parse_duration(bare ? *text + "s" : *text);
    if (!period) return tl::unexpected<Error>(period.error());
    if (*period < seconds(1))
      return fail(ErrorKind::invalid_argument,
                  "a period of " + print_duration(*period) + " is too short; give 1 second or more");
    return ask_and_show(session, PeriodSet{*period}, "period_s", set_policy_text);
  };
}

Run declare_mode_reset(CLI::App&) {
  return [](Session& session) { return ask_and_show(session, ModeReset{}, "mode", mode_text); };
}

Run declare_mode_show(CLI::App&) {
  return [](Session& session) { return ask_and_show(session, ModeShow{}, "mode", mode_text); };
}

Run declare_mode_set(CLI::App& app) {
  auto mode = std::make_shared<std::string>();
  const auto known = words<Mode>();
  app.add_option("MODE", *mode, "off, advise or auto")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(known.begin(), known.end())));
  return [mode](Session& session) {
    return ask_and_show(session, ModeSet{from_word<Mode>(*mode).value_or(Mode::automatic)}, "mode",
                        mode_text);
  };
}

}  // namespace aliquot::ctl
