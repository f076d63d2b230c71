#include "manager/ha/shared_log.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "monitor/sha256.hpp"

namespace aliquot::ha {
namespace {

using Json = nlohmann::json;

// With keys and base64 half of what a transaction may have.
constexpr std::size_t kPartBytes = kMaxTransactionBytes / 2;
constexpr std::int64_t kBatchesAtOnce = 32;
constexpr Duration kTryAgain{100'000};
constexpr int kForm = 1;  // raised when an older reader would misunderstand

std::size_t parts_of(const std::string& bytes) { return (bytes.size() + kPartBytes - 1) / kPartBytes; }

// The first line of a batch or a copy; what follows it are the bytes, if they are not in parts.
struct Title {
  std::string cluster;
  std::int64_t schema = 0;
  std::uint64_t number = 0;
  std::size_t parts = 0;
  std::string sha256;  // of the bytes in the parts
};

std::string encode(const Title& title) {
  return Json{{"form", kForm},          {"cluster", title.cluster}, {"schema", title.schema},
              {"number", title.number}, {"parts", title.parts},     {"sha256", title.sha256}}
             .dump() +
         "\n";
}

tl::unexpected<Error> not_ours(const std::string& key) {
  return fail(ErrorKind::unsupported, "the value of " + key +
                                          " in etcd is not understood: it was written by a newer Aliquot, "
                                          "or by another program: name another ha.prefix");
}

Result<std::pair<Title, std::string>> decode_titled(const KeyValue& row) {
  const std::size_t end = row.value.find('\n');
  if (end == std::string::npos) return not_ours(row.key);
  const Json json = Json::parse(row.value.substr(0, end), nullptr, false);
  try {
    if (json.at("form").get<int>() != kForm) return not_ours(row.key);
    Title title{json.at("cluster").get<std::string>(), json.at("schema").get<std::int64_t>(),
                json.at("number").get<std::uint64_t>(), json.at("parts").get<std::size_t>(),
                json.at("sha256").get<std::string>()};
    return std::pair(std::move(title), row.value.substr(end + 1));
  } catch (const Json::exception&) {
    return not_ours(row.key);
  }
}

tl::unexpected<Error> another_leads(std::int64_t epoch) {
  return fail(ErrorKind::not_leader,
              "this manager does not lead any more: its epoch " + std::to_string(epoch) + " is over");
}

}  // namespace

// While it may be written, etcd may just be choosing a leader of its own.
Result<TransactionAnswer> SharedLog::insist(const EtcdTransaction& transaction) {
  for (;;) {
    auto answer = etcd_->transact(transaction);
    if (answer || answer.error().kind != ErrorKind::unavailable || !may_write_()) return answer;
    etcd_->wait(kTryAgain);
  }
}

Result<LogView> SharedLog::read(std::uint64_t after) {
  const auto answer = etcd_->transact(
      {{},
       {Get{keys_.leader()}, Get{keys_.base()},
        Get{.key = keys_.batch(0),
            .end = keys_.end_of_log(),
            .limit = 1,
            .newest_first = true,
            .keys_only = true},
        Get{.key = keys_.batch(after + 1), .end = keys_.end_of_log(), .limit = kBatchesAtOnce}}});
  if (!answer) return tl::unexpected<Error>(answer.error());
  if (answer->found.size() != 4)
    return fail(ErrorKind::unsupported, "etcd answers only a part of a transaction");
  LogView view;
  const auto& [leader, base, newest, next] =
      std::tie(answer->found[0], answer->found[1], answer->found[2], answer->found[3]);
  if (!leader.empty()) {
    view.leader = decode_leader(leader.front().value);
    view.epoch = leader.front().created;
  }
  if (!base.empty()) {
    const auto title = decode_titled(base.front());
    if (!title) return tl::unexpected<Error>(title.error());
    view.has_base = true;
    view.base = title->first.number;
  }
  view.newest = std::max(view.base, newest.empty() ? 0 : Keys::number_of(newest.front().key));
  for (const KeyValue& row : next) {
    auto batch = decode(row);
    if (!batch) return tl::unexpected<Error>(batch.error());
    view.next.push_back(std::move(*batch));
  }
  return view;
}

Result<std::uint64_t> SharedLog::length() {
  constexpr std::uint64_t kNoBatch = std::numeric_limits<std::int64_t>::max();
  return read(kNoBatch).map([](const LogView& view) { return view.newest - view.base; });
}

Result<ChangeBatch> SharedLog::decode(const KeyValue& row) {
  auto titled = decode_titled(row);
  if (!titled) return tl::unexpected<Error>(titled.error());
  Title& title = titled->first;
  std::string& bytes = titled->second;
  if (title.parts > 0) {
    auto parts = read_parts([&](std::size_t i) { return keys_.part(title.number, i); }, title.parts);
    if (!parts) return tl::unexpected<Error>(parts.error());
    if (sha256_hex(*parts) != title.sha256)
      return fail(ErrorKind::unavailable, "a batch is being replaced");
    bytes = std::move(*parts);
  }
  return ChangeBatch{title.number, title.schema, std::move(title.cluster), std::move(bytes)};
}

Result<std::string> SharedLog::read_parts(const std::function<std::string(std::size_t)>& key,
                                          std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto answer = etcd_->transact({{}, {Get{key(i)}}});
    if (!answer) return tl::unexpected<Error>(answer.error());
    if (answer->found.size() != 1 || answer->found[0].empty())
      return fail(ErrorKind::unavailable, key(i) + " is not in etcd: it is being replaced");
    bytes += answer->found[0].front().value;
  }
  return bytes;
}

Result<StoreCopy> SharedLog::read_base() {
  const auto answer = etcd_->transact({{}, {Get{keys_.base()}}});
  if (!answer) return tl::unexpected<Error>(answer.error());
  if (answer->found.size() != 1 || answer->found[0].empty())
    return fail(ErrorKind::not_found, "etcd has no copy of the store");
  const auto titled = decode_titled(answer->found[0].front());
  if (!titled) return tl::unexpected<Error>(titled.error());
  const Title& title = titled->first;
  auto bytes = read_parts([&](std::size_t i) { return keys_.base_part(title.number, i); }, title.parts);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  if (sha256_hex(*bytes) != title.sha256)
    return fail(ErrorKind::unavailable, "the copy of the store in etcd is being replaced");
  return StoreCopy{title.number, std::move(*bytes)};
}

Result<void> SharedLog::write_parts(const CreatedAt& condition,
                                    const std::function<std::string(std::size_t)>& key,
                                    const std::string& bytes) {
  for (std::size_t i = 0; i < parts_of(bytes); ++i) {
    const auto done = insist({{condition}, {Put{key(i), bytes.substr(i * kPartBytes, kPartBytes)}}});
    if (!done) return tl::unexpected<Error>(done.error());
    if (!done->succeeded) return another_leads(condition.revision);
  }
  return {};
}

Result<void> SharedLog::append(const CreatedAt& condition, const ChangeBatch& batch) {
  Title title{batch.cluster, batch.schema, batch.number, 0, ""};
  const bool is_long = batch.changes.size() > kPartBytes;
  if (is_long) {
    title.parts = parts_of(batch.changes);
    title.sha256 = sha256_hex(batch.changes);
    auto written = write_parts(
        condition, [&](std::size_t i) { return keys_.part(batch.number, i); }, batch.changes);
    if (!written) return written;
  }
  const std::string key = keys_.batch(batch.number);
  const std::string value = encode(title) + (is_long ? "" : batch.changes);
  const auto done = insist({{condition, {key, 0}}, {Put{key, value}}, {Get{keys_.leader()}, Get{key}}});
  if (!done) return tl::unexpected<Error>(done.error());
  if (done->succeeded) return {};
  if (done->found.size() != 2 || done->found[0].empty() ||
      done->found[0].front().created != condition.revision)
    return another_leads(condition.revision);
  // It was written before, and its answer lost.
  if (!done->found[1].empty() && done->found[1].front().value == value) return {};
  return fail(ErrorKind::conflict,
              key + " in etcd has other changes than this store: a bug, please report it");
}

Result<void> SharedLog::write_base(const CreatedAt& condition, const StoreCopy& copy) {
  const Title title{"", 0, copy.batch, parts_of(copy.bytes), sha256_hex(copy.bytes)};
  auto written = write_parts(
      condition, [&](std::size_t i) { return keys_.base_part(copy.batch, i); }, copy.bytes);
  if (!written) return written;
  // Up to this batch; the parts of earlier copies go, too.
  const auto done =
      insist({{condition},
              {Put{keys_.base(), encode(title)}, Erase{keys_.batch(0), keys_.batch(copy.batch + 1)},
               Erase{keys_.part(0, 0), keys_.part(copy.batch + 1, 0)},
               Erase{keys_.base_part(0, 0), keys_.base_part(copy.batch, 0)}}});
  if (!done) return tl::unexpected<Error>(done.error());
  if (!done->succeeded) return another_leads(condition.revision);
  // What was removed takes room until it is compacted.
  return etcd_->compact(done->revision);
}

}  // namespace aliquot::ha
