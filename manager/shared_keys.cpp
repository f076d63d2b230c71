#include "manager/shared_keys.hpp"

#include <utility>

#include "manager/store/recovery.hpp"

namespace aliquot {
namespace {

constexpr const char* kClientKeys = "client_keys";  // the name of the text in the store
constexpr std::chrono::seconds kLookEvery{1};

}  // namespace

Result<void> share_keys(KeyBook& keys, Store& store, const Recovered& recovered, bool is_replicated) {
  const auto kept = recovered.learned.find(kClientKeys);
  const bool is_kept = kept != recovered.learned.end();
  if (is_replicated && is_kept) {
    if (auto became = keys.become(kept->second); !became) return tl::unexpected<Error>(became.error());
  } else if (is_kept ? kept->second != keys.text() : is_replicated || !keys.keys().empty()) {
    store.keep_learned(kClientKeys, keys.text());
  }
  keys.on_change([&store, is_replicated](std::string text) -> Result<void> {
    store.keep_learned(kClientKeys, std::move(text));
    if (!is_replicated || store.flush()) return {};
    return fail(
        ErrorKind::unavailable,
        "the keys have changed on this manager, and the others do not know it yet: its log says why "
        "nothing can be stored; see `aliquot key list` when it can");
  });
  return {};
}

void FollowedKeys::look(std::uint64_t batch) {
  const auto now = std::chrono::steady_clock::now();
  if (batch == batch_ || now - looked_ < kLookEvery) return;
  looked_ = now;
  if (const auto followed = follow(); !followed)
    return log_.say(LogLevel::warning, "keys_not_followed " + followed.error().message);
  batch_ = batch;
}

Result<void> FollowedKeys::follow() {
  auto text = read_learned(store_, kClientKeys);
  if (!text) return tl::unexpected<Error>(text.error());
  if (text->empty() || *text == text_) return {};
  const auto changed = server_.keys().become(*text);
  if (!changed) return tl::unexpected<Error>(changed.error());
  server_.close_those_without_key(*changed);
  text_ = std::move(*text);
  return {};
}

}  // namespace aliquot
