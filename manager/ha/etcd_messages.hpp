// What is said to an etcd over its JSON gateway, and what it answers, as pure functions between values and
// text. Only calls and fields that etcd 3.4, 3.5 and 3.6 share.
//
// The gateway writes 64-bit numbers as decimal text, keys and values as base64, and leaves out what is 0,
// empty or false.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot::ha {

// etcd's own limits by default, with which it refuses a transaction; both sides of the limit in bytes leave
// room for keys and encoding.
inline constexpr std::size_t kMaxOperations = 128;
inline constexpr std::size_t kMaxTransactionBytes = std::size_t{1} << 20;

// The condition that this key has this create revision; 0: that there is no such key.
struct CreatedAt {
  std::string key;
  std::int64_t revision = 0;
};
struct Put {
  std::string key;
  std::string value;
  std::int64_t lease = 0;  // with which the key ends; 0: it stays
};
// The keys from `key` up to `end`, without it; no end: this key alone.
struct Get {
  std::string key;
  std::string end{};
  std::int64_t limit = 0;     // 0: none
  bool newest_first = false;  // by key
  bool keys_only = false;
};
struct Erase {
  std::string key;
  std::string end{};
};
using Operation = std::variant<Put, Get, Erase>;

// All of `then` if every condition holds, else all of `otherwise`; at one revision.
struct EtcdTransaction {
  std::vector<CreatedAt> conditions;
  std::vector<Operation> then;
  std::vector<Operation> otherwise{};
};

struct KeyValue {
  std::string key;
  std::string value;
  std::int64_t created = 0;
  std::int64_t modified = 0;
};
struct TransactionAnswer {
  bool succeeded = false;  // the conditions held
  std::int64_t revision = 0;
  std::vector<std::vector<KeyValue>> found;  // of each Get of what was done, in order
};
struct LeaseAnswer {
  std::int64_t id = 0;
  std::int64_t ttl_s = 0;  // 0: there is no such lease any more
};
struct MemberStatus {
  std::string version;
  std::int64_t db_bytes = 0;
  bool has_leader = false;  // of etcd's own; without it nothing can be written
  bool leads = false;
  std::string id{};                  // of the member
  std::int64_t db_bytes_in_use = 0;  // the rest is free, and is used again
  [[nodiscard]] std::int64_t db_bytes_free() const { return db_bytes - db_bytes_in_use; }
};

// The end of the range of all keys that begin with this.
[[nodiscard]] std::string end_of_prefix(std::string prefix);

[[nodiscard]] std::string encode_base64(std::string_view bytes);
[[nodiscard]] Result<std::string> decode_base64(std::string_view text);

[[nodiscard]] std::string encode_transaction(const EtcdTransaction& transaction);
[[nodiscard]] std::string encode_lease_grant(std::int64_t ttl_s);
[[nodiscard]] std::string encode_lease(std::int64_t id);
[[nodiscard]] std::string encode_compaction(std::int64_t revision);
// To this member.
[[nodiscard]] std::string encode_move_of_leadership(const std::string& to);
[[nodiscard]] std::string encode_own_read(const std::string& key);

[[nodiscard]] Result<TransactionAnswer> decode_transaction(std::string_view text);
[[nodiscard]] Result<LeaseAnswer> decode_lease_grant(std::string_view text);
[[nodiscard]] Result<LeaseAnswer> decode_keep_alive(std::string_view text);
[[nodiscard]] Result<MemberStatus> decode_status(std::string_view text);
// How many members etcd has.
[[nodiscard]] Result<std::size_t> decode_members(std::string_view text);
// What an answer with an HTTP status other than 200 says: etcd's code of gRPC, and its words.
struct EtcdRefusal {
  int code = 0;
  std::string words;
};
[[nodiscard]] EtcdRefusal decode_refusal(std::string_view text);

}  // namespace aliquot::ha
