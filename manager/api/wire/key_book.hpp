// The keys of remote clients: of which user a public key is, and what it may; and the manager's own keys.
// Each is a file of a few lines in one directory (docs/remote.md), which only the manager's user can read;
// a change is on disk before it is in force. The secret key of a client is not here. A token, with which
// the console acts over HTTP, is a key too; of it the hash is here. Belongs to the loop.
//
// All keys are also one text, by which several managers have the same ones (manager/shared_keys.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "manager/api/wire/auth.hpp"
#include "manager/keys/curve_keys.hpp"

namespace aliquot {

struct ClientKey {
  std::string user;
  KeyRole role = KeyRole::viewer;
  CurveKey public_key{};  // of a token: zeros
  std::int64_t created_unix_s = 0;
  std::optional<std::int64_t> expires_unix_s{};  // none: never
  std::string token_sha256{};                    // 64 hexadecimal digits; empty: it is no token
  friend bool operator==(const ClientKey&, const ClientKey&) = default;
};

class KeyBook {
 public:
  static constexpr std::size_t kMost = 10'000;

  // No directory is one without keys. An error names the file that is not understood.
  [[nodiscard]] static Result<KeyBook> open(std::string directory);
  // Reads the files again, and asks again which users there are. The names of the keys that are not what
  // they were; on an error all stay.
  [[nodiscard]] Result<std::set<std::string>> reload();

  [[nodiscard]] std::string text() const;
  // Makes the files those of such a text, and reads them. On an error of the text itself all stays.
  [[nodiscard]] Result<std::set<std::string>> become(const std::string& text);
  // Called with the text after each change that add(), revoke() and reload() make, which then return what
  // it returns.
  using Changed = std::function<Result<void>(std::string text)>;
  void on_change(Changed changed) { changed_ = std::move(changed); }

  // The manager's own; made at the first call.
  [[nodiscard]] Result<CurveKeys> server_keys();

  // Tokens that have expired go when one is added.
  // `conflict`: there is a key of that name, or the same key under another one. `invalid_argument`: no such
  // user, no name of a key.
  [[nodiscard]] Result<void> add(const std::string& name, const ClientKey& key);
  // `not_found`: there is no such key.
  [[nodiscard]] Result<void> revoke(const std::string& name);

  // The user of this key, on this machine, and what the key lets it do. `forbidden`: the key is not known,
  // has expired, or its user is gone.
  [[nodiscard]] Result<Credentials> admit(const CurveKey& key, std::int64_t now_unix_s) const;
  // The same of a token, as its client shows it.
  [[nodiscard]] Result<Credentials> admit_token(std::string_view token, std::int64_t now_unix_s) const;
  // Does the key of this name let its client in still?
  [[nodiscard]] bool is_in_force(const std::string& name, std::int64_t now_unix_s) const;

  [[nodiscard]] const std::map<std::string, ClientKey>& keys() const { return keys_; }

 private:
  explicit KeyBook(std::string directory) : directory_(std::move(directory)) {}
  [[nodiscard]] std::string file_of(const std::string& name) const;
  [[nodiscard]] Result<std::set<std::string>> read_files();
  [[nodiscard]] Result<void> write(const std::string& name, const ClientKey& key) const;
  [[nodiscard]] Result<void> remove(const std::string& name);
  [[nodiscard]] Result<void> remove_others(const std::map<std::string, ClientKey>& than) const;
  [[nodiscard]] Result<void> tell() const { return changed_ ? changed_(text()) : Result<void>{}; }
  [[nodiscard]] Result<Credentials> client_of(const std::string& name, std::int64_t now_unix_s) const;
  [[nodiscard]] Result<void> remove_expired_tokens(std::int64_t now_unix_s);

  std::string directory_;
  std::map<std::string, ClientKey> keys_;
  std::map<CurveKey, std::string> names_;
  std::map<std::string, std::string> tokens_;  // names by hash
  std::map<std::string, Credentials> users_;   // of the keys, that there are
  Changed changed_;
};

}  // namespace aliquot
