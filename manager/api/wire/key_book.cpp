#include "manager/api/wire/key_book.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "config/file_text.hpp"
#include "config/form.hpp"
#include "manager/api/wire/key_role.hpp"
#include "manager/api/wire/message_text.hpp"
#include "manager/hypervisor/files.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 4096;  // of a file
const std::string kSuffix = ".key";
const std::string kServer = "/manager.keys";
const std::string kForm = "keys 1";  // the first line of all keys as one text; another number, another form

std::optional<std::int64_t> number_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string text_of(const ClientKey& key) {
  std::string text =
      "user " + key.user + "\nrole " + std::string(word_of(key.role)) +
      (key.token_sha256.empty() ? "\npublic " + to_text(key.public_key) : "\ntoken " + key.token_sha256) +
      "\ncreated " + std::to_string(key.created_unix_s) + "\n";
  if (key.expires_unix_s) text += "expires " + std::to_string(*key.expires_unix_s) + "\n";
  return text;
}

// What is wrong with this line; empty: nothing, and the key has it.
std::string read_line(const std::string& word, const std::string& value, ClientKey& key) {
  if (word == "user") {
    key.user = value;
    return user_name().parse(value) ? "" : "has no user";
  }
  if (word == "role") {
    key.role = key_role(value).value_or(KeyRole::viewer);
    return key_role(value) ? "" : "has a role that is none of " + wire::comma_list(key_roles());
  }
  if (word == "public") {
    const auto parsed = parse_key(value);
    key.public_key = parsed.value_or(CurveKey{});
    return parsed ? "" : "has a public key that is not 64 hexadecimal digits";
  }
  if (word == "token") {
    key.token_sha256 = value;
    return parse_key(value) ? "" : "has a token that is not 64 hexadecimal digits";
  }
  const auto number = number_of(value);
  if (word == "created")
    key.created_unix_s = number.value_or(0);
  else if (word == "expires")
    key.expires_unix_s = number;
  else
    return "has the word " + wire::in_quotes(word) + ", which is not known";
  return number ? "" : "has a time that is no number of seconds since 1970";
}

// The word that a line begins with, and the rest.
std::pair<std::string, std::string> halves(const std::string& line) {
  const auto blank = std::min(line.find(' '), line.size());
  return {line.substr(0, blank), line.substr(std::min(blank + 1, line.size()))};
}

// `where` stands before what is wrong.
Result<ClientKey> parse_lines(const std::string& text, const std::string& where) {
  ClientKey key;
  std::istringstream lines(text);
  std::string wrong;
  for (std::string line; wrong.empty() && std::getline(lines, line);) {
    const auto [word, value] = halves(line);
    wrong = read_line(word, value, key);
  }
  const bool is_token = !key.token_sha256.empty();
  if (wrong.empty() && (key.user.empty() || is_token != (key.public_key == CurveKey{})))
    wrong = "has no line `user`, or not one of the lines `public` and `token`";
  if (wrong.empty()) return key;
  return fail(ErrorKind::invalid_argument,
              where + " " + wrong + "; correct it or remove it (docs/remote.md)");
}

Result<ClientKey> read_key(const std::string& path) {
  const auto text = read_file_text(path, kMostBytes);
  if (!text) return tl::unexpected<Error>(as_error({text.error()}));
  return parse_lines(*text, path);
}

// Of what KeyBook::text() has written.
Result<std::map<std::string, ClientKey>> parse_all(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kForm)
    return fail(ErrorKind::unsupported,
                "the keys of remote clients in the store are of a newer Aliquot: upgrade this manager");
  std::map<std::string, std::string> texts;
  std::string* of_key = nullptr;
  while (std::getline(lines, line)) {
    const auto [word, name] = halves(line);
    if (word == "key" && simple_name().parse(name))
      of_key = &texts[name];
    else if (of_key != nullptr)
      *of_key += line + "\n";
    else
      return fail(ErrorKind::invalid_argument, "the keys of remote clients in the store begin with none");
  }
  std::map<std::string, ClientKey> keys;
  for (const auto& [name, its] : texts) {
    auto key = parse_lines(its, "the key " + name + " in the store");
    if (!key) return tl::unexpected<Error>(key.error());
    keys.emplace(name, std::move(*key));
  }
  return keys;
}

// Its files say what users may do.
Result<void> make_private(const std::string& directory) {
  if (auto made = make_directories(directory); !made) return made;
  if (chmod(directory.c_str(), S_IRWXU) == 0) return {};
  return fail(ErrorKind::refused, "cannot close " + directory + " to others: " + std::strerror(errno));
}

bool is_same(const Credentials& a, const Credentials& b) {
  return a.uid == b.uid && a.gid == b.gid && a.groups == b.groups;
}

std::string end_of(const ClientKey& key, std::int64_t now_unix_s) {
  return key.expires_unix_s && *key.expires_unix_s <= now_unix_s ? "it has expired" : "";
}

}  // namespace

Result<KeyBook> KeyBook::open(std::string directory) {
  KeyBook book(std::move(directory));
  if (auto read = book.read_files(); !read) return tl::unexpected<Error>(read.error());
  return book;
}

Result<std::set<std::string>> KeyBook::reload() {
  const auto before = keys_;
  auto changed = read_files();
  if (!changed || keys_ == before) return changed;
  if (auto told = tell(); !told) return tl::unexpected<Error>(told.error());
  return changed;
}

std::string KeyBook::text() const {
  std::string text = kForm + "\n";
  for (const auto& [name, key] : keys_) text += "key " + name + "\n" + text_of(key);
  return text;
}

Result<std::set<std::string>> KeyBook::become(const std::string& text) {
  const auto keys = parse_all(text);
  if (!keys) return tl::unexpected<Error>(keys.error());
  if (*keys == keys_) return std::set<std::string>{};
  if (auto made = make_private(directory_); !made) return tl::unexpected<Error>(made.error());
  if (auto removed = remove_others(*keys); !removed) return tl::unexpected<Error>(removed.error());
  for (const auto& [name, key] : *keys) {
    const auto there = read_file_text(file_of(name), kMostBytes);
    if (there && *there == text_of(key)) continue;
    if (auto written = write(name, key); !written) return tl::unexpected<Error>(written.error());
  }
  if (auto flushed = flush_directory(directory_); !flushed) return tl::unexpected<Error>(flushed.error());
  return read_files();
}

Result<void> KeyBook::remove_others(const std::map<std::string, ClientKey>& than) const {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory_, none)) {
    const std::string file = entry.path().filename();
    if (!file.ends_with(kSuffix) || than.contains(file.substr(0, file.size() - kSuffix.size()))) continue;
    if (unlink(entry.path().c_str()) != 0 && errno != ENOENT)
      return fail(ErrorKind::unavailable,
                  "cannot remove " + entry.path().string() + ": " + std::strerror(errno));
  }
  return {};
}

Result<void> KeyBook::write(const std::string& name, const ClientKey& key) const {
  const auto fill = [&key](const Writer& write) { return write(text_of(key)); };
  if (auto written = write_atomically(file_of(name), fill); !written) return written;
  chmod(file_of(name).c_str(), S_IRUSR | S_IWUSR);
  return {};
}

Result<std::set<std::string>> KeyBook::read_files() {
  std::map<std::string, ClientKey> keys;
  std::map<CurveKey, std::string> names;
  std::map<std::string, std::string> tokens;
  std::map<std::string, Credentials> users;
  struct stat about {};
  if (stat(directory_.c_str(), &about) == 0 && (about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(ErrorKind::refused, "other users can write to " + directory_ +
                                        ", and so make keys: chmod 700 " + directory_ +
                                        ", after a look at its files");
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory_, none)) {
    const std::string file = entry.path().filename();
    if (!file.ends_with(kSuffix)) continue;
    auto key = read_key(entry.path());
    if (!key) return tl::unexpected<Error>(key.error());
    const std::string name = file.substr(0, file.size() - kSuffix.size());
    const bool is_token = !key->token_sha256.empty();
    const bool is_new = is_token ? tokens.emplace(key->token_sha256, name).second
                                 : names.emplace(key->public_key, name).second;
    if (!is_new)
      return fail(ErrorKind::conflict, entry.path().string() + " and the key `" +
                                           (is_token ? tokens[key->token_sha256] : names[key->public_key]) +
                                           "` are the same key; remove one of the two");
    if (auto user = local_user(key->user)) users[key->user] = std::move(*user);
    keys[name] = std::move(*key);
  }
  std::set<std::string> changed;
  for (const auto& [name, before] : keys_) {
    const auto now = keys.find(name);
    const auto was = users_.find(before.user), is = users.find(before.user);
    const bool same_user =
        was == users_.end() ? is == users.end() : is != users.end() && is_same(was->second, is->second);
    if (now == keys.end() || now->second != before || !same_user) changed.insert(name);
  }
  keys_ = std::move(keys);
  names_ = std::move(names);
  tokens_ = std::move(tokens);
  users_ = std::move(users);
  return changed;
}

Result<CurveKeys> KeyBook::server_keys() {
  const std::string path = directory_ + kServer;
  if (access(path.c_str(), F_OK) == 0) return read_keys(path);
  if (auto made = make_private(directory_); !made) return tl::unexpected<Error>(made.error());
  const auto keys = make_keys();
  if (!keys) return keys;
  if (auto written = write_keys(path, *keys); !written) return tl::unexpected<Error>(written.error());
  if (auto flushed = flush_directory(directory_); !flushed) return tl::unexpected<Error>(flushed.error());
  return keys;
}

Result<void> KeyBook::add(const std::string& name, const ClientKey& key) {
  const auto parsed = simple_name().parse(name);
  if (!parsed) return fail(ErrorKind::invalid_argument, "the name of a key: " + parsed.error().message);
  auto user = local_user(key.user);
  if (!user) return tl::unexpected<Error>(user.error());
  if (keys_.contains(name))
    return fail(ErrorKind::conflict, "there is a key " + name +
                                         " already; choose another name, or `aliquot key revoke` it first");
  const bool is_token = !key.token_sha256.empty();
  if (const auto same = names_.find(key.public_key); !is_token && same != names_.end())
    return fail(ErrorKind::conflict, "this key is there already, as " + same->second);
  if (is_token && tokens_.contains(key.token_sha256))
    return fail(ErrorKind::conflict, "this token is there already, as " + tokens_[key.token_sha256]);
  if (auto removed = remove_expired_tokens(key.created_unix_s); !removed) return removed;
  if (keys_.size() >= kMost)
    return fail(ErrorKind::refused, "there are " + std::to_string(kMost) + " keys; revoke some first");
  if (auto made = make_private(directory_); !made) return made;
  if (auto written = write(name, key); !written) return written;
  if (auto flushed = flush_directory(directory_); !flushed) return flushed;
  keys_[name] = key;
  if (is_token)
    tokens_[key.token_sha256] = name;
  else
    names_[key.public_key] = name;
  users_[key.user] = std::move(*user);
  return tell();
}

Result<void> KeyBook::revoke(const std::string& name) {
  auto removed = remove(name);
  return removed ? tell() : removed;
}

Result<void> KeyBook::remove(const std::string& name) {
  const auto at = keys_.find(name);
  if (at == keys_.end())
    return fail(ErrorKind::not_found,
                "there is no key " + wire::in_quotes(name) + "; see `aliquot key list`");
  if (unlink(file_of(name).c_str()) != 0 && errno != ENOENT)
    return fail(ErrorKind::unavailable, "cannot remove " + file_of(name) + ": " + std::strerror(errno) +
                                            "; the key is in force still");
  if (at->second.token_sha256.empty())
    names_.erase(at->second.public_key);
  else
    tokens_.erase(at->second.token_sha256);
  keys_.erase(at);
  return flush_directory(directory_);
}

Result<Credentials> KeyBook::admit(const CurveKey& key, std::int64_t now_unix_s) const {
  const auto at = names_.find(key);
  if (at == names_.end()) return fail(ErrorKind::forbidden, "the key is not known, or was revoked");
  return client_of(at->second, now_unix_s);
}

Result<Credentials> KeyBook::admit_token(std::string_view token, std::int64_t now_unix_s) const {
  const auto at = tokens_.find(sha256_hex(token));
  if (at == tokens_.end())
    return fail(ErrorKind::forbidden, "the token is not known, was revoked, or expired long ago");
  return client_of(at->second, now_unix_s);
}

Result<Credentials> KeyBook::client_of(const std::string& name, std::int64_t now_unix_s) const {
  const ClientKey& known = keys_.at(name);
  if (const std::string end = end_of(known, now_unix_s); !end.empty())
    return fail(ErrorKind::forbidden, "the key " + name + ": " + end);
  const auto user = users_.find(known.user);
  if (user == users_.end())
    return fail(ErrorKind::forbidden, "the key " + name + ": there is no user " + known.user);
  Credentials who = user->second;
  who.role = known.role;
  who.key = name;
  return who;
}

Result<void> KeyBook::remove_expired_tokens(std::int64_t now_unix_s) {
  std::vector<std::string> expired;
  for (const auto& [hash, name] : tokens_)
    if (!end_of(keys_.at(name), now_unix_s).empty()) expired.push_back(name);
  for (const std::string& name : expired)
    if (auto removed = remove(name); !removed) return removed;
  return {};
}

bool KeyBook::is_in_force(const std::string& name, std::int64_t now_unix_s) const {
  const auto at = keys_.find(name);
  return at != keys_.end() && end_of(at->second, now_unix_s).empty() && users_.contains(at->second.user);
}

std::string KeyBook::file_of(const std::string& name) const { return directory_ + "/" + name + kSuffix; }

}  // namespace aliquot
