// The keys of a cluster in etcd. All begin with the prefix of its configuration.
//
//   leader             the leading manager, with its lease: its create revision is the epoch
//   log/NUMBER         a batch of changes, or its first line if it is long
//   parts/NUMBER/I     the pieces of a long batch
//   standbys/NAME      a manager that stands by, with a lease of its own
//   base               which copy of the store the log goes on from
//   base-parts/NUMBER/I  its pieces
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace aliquot::ha {

class Keys {
 public:
  explicit Keys(std::string prefix) : prefix_(std::move(prefix)) {
    if (!prefix_.ends_with('/')) prefix_ += '/';
  }
  // All of them: from the first on, without the end.
  [[nodiscard]] const std::string& first() const { return prefix_; }
  [[nodiscard]] std::string end() const { return prefix_.substr(0, prefix_.size() - 1) + "0"; }
  [[nodiscard]] std::string leader() const { return prefix_ + "leader"; }
  [[nodiscard]] std::string batch(std::uint64_t number) const { return prefix_ + "log/" + padded(number); }
  [[nodiscard]] std::string end_of_log() const { return prefix_ + "log0"; }  // '0' follows '/'
  [[nodiscard]] std::string part(std::uint64_t number, std::size_t index) const {
    return prefix_ + "parts/" + padded(number) + "/" + padded(index);
  }
  [[nodiscard]] std::string standby(const std::string& name) const { return prefix_ + "standbys/" + name; }
  [[nodiscard]] std::string end_of_standbys() const { return prefix_ + "standbys0"; }
  [[nodiscard]] std::string base() const { return prefix_ + "base"; }
  [[nodiscard]] std::string base_part(std::uint64_t number, std::size_t index) const {
    return prefix_ + "base-parts/" + padded(number) + "/" + padded(index);
  }

  // Of batch(number); 0: of no batch.
  [[nodiscard]] static std::uint64_t number_of(const std::string& batch_key) {
    const std::size_t digits = batch_key.rfind('/');
    return digits == std::string::npos ? 0 : std::strtoull(batch_key.c_str() + digits + 1, nullptr, 10);
  }

 private:
  // So that the order of the keys is that of the numbers.
  static std::string padded(std::uint64_t number) {
    char text[24];
    std::snprintf(text, sizeof text, "%020llu", static_cast<unsigned long long>(number));
    return text;
  }
  std::string prefix_;
};

}  // namespace aliquot::ha
