#include "manager/ha/etcd_client.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

namespace aliquot::ha {
namespace {

constexpr std::size_t kLongestAnswer = std::size_t{64} << 20;
// Codes of gRPC that say that this member cannot, though another might.
constexpr int kDeadlineExceeded = 4;
constexpr int kNotFound = 5;
constexpr int kResourceExhausted = 8;
constexpr int kUnavailable = 14;

// Has no code of its own: the member that leads was just handing this to another one.
constexpr const char* kDropped = "raft proposal dropped";

// Of version 3.4, and of later ones.
constexpr const char* kWordsOfGateway[] = {"connection closed", "SubConns", "connection error"};

void start_curl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

std::size_t take(char* bytes, std::size_t size, std::size_t count, void* target) {
  auto& answer = *static_cast<std::string*>(target);
  if (answer.size() + size * count > kLongestAnswer) return 0;  // ends the call
  answer.append(bytes, size * count);
  return size * count;
}

int ask_to_go_on(void* settings, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto& is_given_up = static_cast<const EtcdSettings*>(settings)->is_given_up;
  return is_given_up() ? 1 : 0;  // 1 ends the call
}

struct EndCurl {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

tl::unexpected<Error> refused(const std::string& endpoint, const EtcdRefusal& said, long status) {
  const bool passing = said.code == kDeadlineExceeded || said.code == kUnavailable || status == 503 ||
                       said.words.find(kDropped) != std::string::npos;
  const std::string words = said.words.empty() ? "HTTP status " + std::to_string(status) : said.words;
  // The gateway is a client of its own member, which asks for its certificate as for that of any client.
  const bool is_from_gateway = std::ranges::any_of(
      kWordsOfGateway, [&](const char* part) { return words.find(part) != std::string::npos; });
  if (passing && is_from_gateway)
    return fail(ErrorKind::unavailable,
                "etcd at " + endpoint + " does not let its own gateway in (" + words +
                    "): with --client-cert-auth the certificate of a member must be one for clients, too "
                    "(extendedKeyUsage clientAuth), from a CA of its --trusted-ca-file");
  if (passing)
    return fail(ErrorKind::unavailable, "etcd at " + endpoint + " cannot answer now (" + words +
                                            "): see `etcdctl endpoint status` of all members");
  if (said.code == kResourceExhausted)
    return fail(ErrorKind::no_space, "etcd at " + endpoint + " takes nothing more (" + words +
                                         "): compact and defragment it, then `etcdctl alarm disarm`");
  return fail(said.code == kNotFound ? ErrorKind::not_found : ErrorKind::refused,
              "etcd at " + endpoint + " refused: " + words);
}

// What to do about a call that was not answered.
std::string advice(CURLcode code, const std::string& endpoint) {
  const bool is_encrypted = endpoint.starts_with("https://");
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
      return "its certificate must be in force, from a CA of ha.ca, and name the host as ha.endpoints does";
    case CURLE_SSL_CACERT_BADFILE:
      return "ha.ca must be a file of certificates (PEM) that the manager's user can read";
    case CURLE_SSL_CERTPROBLEM:
      return "ha.cert and ha.key must be files (PEM) that the manager's user can read, of a certificate "
             "and its own key, which has no passphrase";
    case CURLE_SSL_CONNECT_ERROR:
      return "does it speak TLS there? If not, write http:// in ha.endpoints";
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      // With TLS 1.3 the client has finished its part of the handshake when the server refuses it.
      if (is_encrypted)
        return "it ends the connection, as it does with a client whose certificate it refuses: ha.cert "
               "must be in force, for clients, and from a CA of its --trusted-ca-file";
      return "it ends the connection: does it speak TLS? Then write https:// in ha.endpoints, and ha.ca";
    default:
      return "is it running, and is ha.endpoints right?";
  }
}

}  // namespace

struct EtcdClient::Connections {
  char words[CURL_ERROR_SIZE] = "";                       // libcurl's, of the last call
  std::unique_ptr<CURL, EndCurl> curl{curl_easy_init()};  // keeps a connection to each endpoint
  std::unique_ptr<curl_slist, FreeList> headers{
      curl_slist_append(nullptr, "Content-Type: application/json")};
};

EtcdClient::EtcdClient(EtcdSettings settings) : settings_(std::move(settings)) {
  start_curl();
  connections_ = std::make_unique<Connections>();
  // Else bodies above 1 MiB wait a second for a "100 Continue" that the gateway does not send.
  auto* more = curl_slist_append(connections_->headers.get(), "Expect:");
  static_cast<void>(connections_->headers.release());
  connections_->headers.reset(more);
}
EtcdClient::~EtcdClient() = default;

Result<std::string> EtcdClient::call_at(std::size_t endpoint, const char* path, const std::string& body) {
  const std::string& where = settings_.endpoints[endpoint];
  CURL* curl = connections_->curl.get();
  if (curl == nullptr) return fail(ErrorKind::internal, "libcurl gives no handle: is there memory left?");
  curl_easy_reset(curl);
  std::string answer;
  const std::string url = where + path;
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, connections_->headers.get());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(settings_.patience.raw / 1000));
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  // In version 2, which etcd has with TLS only, libcurl says less of a connection that fails.
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  if (settings_.is_given_up) {
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, ask_to_go_on);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &settings_);
  }
  // Each new connection reads the files, so that they can be renewed while the manager runs.
  curl_easy_setopt(curl, CURLOPT_CA_CACHE_TIMEOUT, 0L);
  if (!settings_.ca.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, settings_.ca.c_str());
  if (!settings_.cert.empty()) {
    curl_easy_setopt(curl, CURLOPT_SSLCERT, settings_.cert.c_str());
    curl_easy_setopt(curl, CURLOPT_SSLKEY, settings_.key.c_str());
    curl_easy_setopt(curl, CURLOPT_KEYPASSWD, "");  // else a key that has one is asked for at the terminal
  }
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, connections_->words);
  connections_->words[0] = '\0';
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) {
    const std::string words =
        connections_->words[0] != '\0' ? connections_->words : curl_easy_strerror(code);
    return fail(ErrorKind::unavailable,
                "etcd at " + where + " cannot be reached (" + words + "): " + advice(code, where));
  }
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) return refused(where, decode_refusal(answer), status);
  return answer;
}

Result<std::string> EtcdClient::call(const char* path, const std::string& body) {
  if (settings_.endpoints.empty())
    return fail(ErrorKind::invalid_argument, "no member of etcd is named: write ha.endpoints");
  const std::size_t count = settings_.endpoints.size();
  Result<std::string> answer;
  if (settings_.busy && settings_.busy->is(preferred_)) preferred_ = (preferred_ + 1) % count;
  for (std::size_t tried = 0; tried < count; ++tried) {
    answer = call_at(preferred_, path, body);
    if (answer || answer.error().kind != ErrorKind::unavailable) return answer;
    preferred_ = (preferred_ + 1) % count;
  }
  return answer;
}

Result<TransactionAnswer> EtcdClient::transact(const EtcdTransaction& transaction) {
  return call("/v3/kv/txn", encode_transaction(transaction)).and_then(decode_transaction);
}
Result<LeaseAnswer> EtcdClient::grant_lease(std::int64_t ttl_s) {
  return call("/v3/lease/grant", encode_lease_grant(ttl_s)).and_then(decode_lease_grant);
}
Result<LeaseAnswer> EtcdClient::keep_alive(std::int64_t lease) {
  return call("/v3/lease/keepalive", encode_lease(lease)).and_then(decode_keep_alive);
}
Result<void> EtcdClient::revoke_lease(std::int64_t lease) {
  return call("/v3/lease/revoke", encode_lease(lease)).map([](const std::string&) {});
}
Result<void> EtcdClient::compact(std::int64_t revision) {
  auto done = call("/v3/kv/compaction", encode_compaction(revision)).map([](const std::string&) {});
  if (!done && done.error().message.find("has been compacted") != std::string::npos) return {};
  return done;
}
std::vector<Result<MemberStatus>> EtcdClient::statuses() {
  std::vector<Result<MemberStatus>> all;
  for (std::size_t i = 0; i < settings_.endpoints.size(); ++i)
    all.push_back(call_at(i, "/v3/maintenance/status", "{}").and_then(decode_status));
  return all;
}
Result<std::size_t> EtcdClient::count_members() {
  return call("/v3/cluster/member/list", "{}").and_then(decode_members);
}
Result<void> EtcdClient::try_read(std::size_t endpoint) {
  return call_at(endpoint, "/v3/kv/range", encode_own_read("x")).map([](const std::string&) {});
}
Result<void> EtcdClient::defragment(std::size_t endpoint) {
  return call_at(endpoint, "/v3/maintenance/defragment", "{}").map([](const std::string&) {});
}
Result<void> EtcdClient::move_leadership(std::size_t endpoint, const std::string& to) {
  return call_at(endpoint, "/v3/maintenance/transfer-leadership", encode_move_of_leadership(to))
      .map([](const std::string&) {});
}

void EtcdClient::wait(Duration span) { std::this_thread::sleep_for(std::chrono::microseconds(span.raw)); }

OpenEtcd etcd_at(EtcdSettings settings) {
  return [settings = std::move(settings)](Duration patience) {
    EtcdSettings own = settings;
    own.patience = std::min(own.patience, patience);
    return std::make_unique<EtcdClient>(std::move(own));
  };
}

}  // namespace aliquot::ha
