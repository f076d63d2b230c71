// How the members of etcd are, asked once in a while: a scrape must not wait for one that does not answer.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "manager/ha/etcd_messages.hpp"
#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot::ha {

class MemberWatch {
 public:
  using Statuses = std::vector<Result<MemberStatus>>;
  // `ask` is called on a thread of this object; it may take its time.
  MemberWatch(std::function<Statuses()> ask, Duration every);
  MemberWatch(const MemberWatch&) = delete;
  MemberWatch& operator=(const MemberWatch&) = delete;
  ~MemberWatch();

  // Of each member, as it was when it was asked last. Any thread.
  [[nodiscard]] Statuses newest() const;

 private:
  void run(Duration every);

  const std::function<Statuses()> ask_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  Statuses newest_;
  std::thread thread_;
};

}  // namespace aliquot::ha
