// key new|list|revoke|server. Tokens are keys too (token_verb.cpp).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "manager/api/wire/key_role.hpp"
#include "tools/ctl/begin_time.hpp"
#include "tools/ctl/remote_key.hpp"
#include "tools/ctl/table.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

struct NewKey {
  KeyAdd add;
  std::string role;
  std::string expires;
  std::string at;
  std::string file;
};

std::string text_or(const json& value, const std::string& otherwise) {
  return value.is_string() ? value.get<std::string>() : otherwise;
}

std::string this_host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Where clients find the manager: what the user says, or where it listens. All addresses are one host.
Result<std::string> address_of(const NewKey& asked, const json& answer) {
  std::string at = asked.at.empty() ? text_or(answer["address"], "") : asked.at;
  for (const std::string every : {"tcp://0.0.0.0:", "tcp://[::]:"})
    if (at.starts_with(every)) at = "tcp://" + this_host() + ":" + at.substr(every.size());
  if (at.empty())
    return fail(ErrorKind::refused,
                "the manager does not listen for clients of other machines: set api.remote and start it "
                "anew, or say with --at where it will listen");
  if (auto good = check_tcp_address(at); !good) return tl::unexpected<Error>(good.error());
  return at;
}

Result<json> add_key(Session& session, const NewKey& asked, const CurveKeys& own) {
  KeyAdd add = asked.add;
  add.role = key_role(asked.role).value_or(KeyRole::viewer);
  add.public_key = aliquot::to_text(own.public_key);
  if (!asked.expires.empty()) {
    const auto expires = parse_begin(asked.expires, std::time(nullptr));
    if (!expires) return fail(ErrorKind::invalid_argument, "--expires: " + expires.error().message);
    add.expires_unix_s = *expires;
  }
  auto answer = session.ask(add);
  if (!answer) return tl::unexpected<Error>(answer.error());
  return std::move(answer->body);
}

// The secret key is made here, and stays in the file; without the file the key is of no use to anybody.
Result<int> make_key(Session& session, NewKey asked) {
  if (asked.file.empty()) asked.file = asked.add.name + ".key";
  if (access(asked.file.c_str(), F_OK) == 0)
    return fail(ErrorKind::conflict, asked.file + " exists already: choose another file with --to");
  const auto own = make_keys();
  if (!own) return tl::unexpected<Error>(own.error());
  const auto answer = add_key(session, asked, *own);
  if (!answer) return tl::unexpected<Error>(answer.error());
  const auto at = address_of(asked, *answer);
  const auto server = parse_key(text_or((*answer)["server_key"], ""));
  Result<void> written = !at ? tl::unexpected<Error>(at.error()) : Result<void>{};
  if (written && !server) written = tl::unexpected<Error>(server.error());
  if (written) written = write_remote_key(asked.file, {asked.add.name, *at, *server, *own});
  if (!written) {
    const auto revoked = session.ask(KeyRevoke{asked.add.name});
    const std::string left = revoked ? "" : "; revoke it: `aliquot key revoke " + asked.add.name + "`";
    return fail(written.error().kind, written.error().message + left);
  }
  json shown = *answer;
  shown["file"] = asked.file;
  shown["at"] = *at;
  const std::string text =
      "key " + asked.add.name + " of " + asked.add.user + " (" + asked.role + ") is in " + asked.file +
      ": give the file to its user over a safe way, for\n  " + "aliquot --key " + asked.file + " list\n";
  return session.show(shown, {[&](bool) { return text; }, [&] { return std::vector{asked.add.name}; }});
}

Table key_table(const json& keys) {
  Table table{{{"KEY"}, {"KIND"}, {"USER"}, {"ROLE"}, {"CREATED"}, {"EXPIRES"}, {"IN FORCE"}}, {}};
  for (const json& key : keys)
    table.rows.push_back({key["key"].get<std::string>(), key["public_key"].is_null() ? "token" : "key",
                          key["user"].get<std::string>(), key["role"].get<std::string>(),
                          key["created_at"].get<std::string>(), text_or(key["expires_at"], "-"),
                          key["in_force"] == true ? "yes" : "no"});
  return table;
}

}  // namespace

Run declare_key_new(CLI::App& app) {
  auto asked = std::make_shared<NewKey>();
  app.add_option("NAME", asked->add.name, "of the key: a word for the machine or program that gets it")
      ->required();
  app.add_option("--user", asked->add.user, "the user of the manager's machine that it stands for")
      ->required();
  app.add_option("--role", asked->role, "viewer, user, operator or admin: never more than its user may")
      ->required()
      ->check(CLI::IsMember(key_roles()));
  app.add_option("--expires", asked->expires, "a date, 2027-01-31, or for example now+90d (never)");
  app.add_option("--to", asked->file, "the file to write (NAME.key)");
  app.add_option("--at", asked->at, "where clients find the manager (api.remote of this host)");
  return [asked](Session& session) { return make_key(session, *asked); };
}

Run declare_key_list(CLI::App&) {
  return [](Session& session) -> Result<int> {
    const auto answer = session.ask(KeyList{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& keys = answer->body["keys"];
    if (keys.empty() && session.globals.form <= Form::wide)
      Session::say("there are no keys; `aliquot key new` makes one");
    const auto names = [&keys] {
      std::vector<std::string> all;
      for (const json& key : keys) all.push_back(key["key"].get<std::string>());
      return all;
    };
    return session.show(answer->body,
                        {[&](bool) { return to_text(key_table(keys), session.style()); }, names});
  };
}

Run declare_key_revoke(CLI::App& app) {
  auto request = std::make_shared<KeyRevoke>();
  app.add_option("NAME", request->name, "name of the key")->required();
  return [request](Session& session) -> Result<int> {
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const auto text = [&](bool) {
      return "key " + request->name + " is revoked, and its connections are closed\n";
    };
    return session.show(answer->body, {text, [&] { return std::vector{request->name}; }});
  };
}

Run declare_key_server(CLI::App&) {
  return [](Session& session) -> Result<int> {
    auto answer = session.ask(KeyList{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    json& body = answer->body;
    body.erase("keys");
    const std::string key = text_or(body["server_key"], "");
    return session.show(body, {[&](bool) { return key + "\n"; }, [&] { return std::vector{key}; }});
  };
}

}  // namespace aliquot::ctl
