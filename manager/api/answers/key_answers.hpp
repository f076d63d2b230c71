// The requests about the keys of remote clients: carried out, and answered. A key is added or revoked when
// this returns, on disk too; the connections of a revoked one are closed. They are rare, and take the loop
// a few milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "manager/api/wire/job_server.hpp"

namespace aliquot {

template <class R>
concept KeyRequest =
    std::is_same_v<R, KeyAdd> || std::is_same_v<R, KeyList> || std::is_same_v<R, KeyRevoke>;

[[nodiscard]] Result<std::string> key_answer(JobServer& server, const KeyAdd& request,
                                             std::int64_t now_unix_s);
[[nodiscard]] Result<std::string> key_answer(JobServer& server, const KeyList& request,
                                             std::int64_t now_unix_s);
[[nodiscard]] Result<std::string> key_answer(JobServer& server, const KeyRevoke& request,
                                             std::int64_t now_unix_s);

}  // namespace aliquot
