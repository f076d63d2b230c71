#include "xenstore.h"

#include "xen_calls.h"

enum { kRingBytes = 1024 };

static volatile struct store_page* page;
static uint32_t port;
static int has_news; /* an event has been received */

static void send(const void* bytes, uint32_t length) {
  for (uint32_t i = 0; i < length; ++i) {
    while (page->request_produced - page->request_consumed == kRingBytes) {
      xen_notify(port);
      xen_yield();
    }
    page->requests[page->request_produced % kRingBytes] = ((const char*)bytes)[i];
    ++page->request_produced;
  }
}

/* Keeps the first bytes, as many as there is room for. */
static void receive(void* bytes, uint32_t length, uint32_t room) {
  for (uint32_t i = 0; i < length; ++i) {
    while (page->reply_produced == page->reply_consumed) xen_yield();
    const char byte = page->replies[page->reply_consumed % kRingBytes];
    ++page->reply_consumed;
    if (i < room) ((char*)bytes)[i] = byte;
  }
}

static uint32_t length_of(const char* text) {
  uint32_t length = 0;
  while (text[length]) ++length;
  return length;
}

/* Sends a request of one or two texts, the first with its NUL, and waits for the reply, of which `answer`
   gets the beginning as a text. 0: it is an error. */
static int ask(enum store_message type, uint32_t transaction, const char* first, const char* second,
               uint32_t second_length, char* answer, uint32_t size) {
  static uint32_t last_request;
  const uint32_t first_length = length_of(first) + 1;
  const struct store_header question = {type, ++last_request, transaction, first_length + second_length};
  send(&question, sizeof question);
  send(first, first_length);
  send(second, second_length);
  xen_notify(port);
  for (;;) {
    struct store_header reply;
    receive(&reply, sizeof reply, sizeof reply);
    const int is_answer = reply.type != kStoreEvent && reply.request == last_request;
    const uint32_t room = is_answer ? size - 1 : 0;
    receive(answer, reply.length, room);
    xen_notify(port);
    if (reply.type == kStoreEvent) has_news = 1;
    if (!is_answer) continue;
    const int is_good = reply.type != kStoreError;
    answer[is_good && reply.length < room ? reply.length : is_good ? room : 0] = 0;
    return is_good;
  }
}

void store_connect(volatile struct store_page* at, uint32_t event_port) {
  page = at;
  port = event_port;
}

void store_watch(const char* path) {
  static const char kToken[] = "chain";
  char answer[4];
  ask(kStoreWatch, 0, path, kToken, sizeof kToken, answer, sizeof answer);
}

int store_has_news(void) { return has_news || page->reply_produced != page->reply_consumed; }

void store_forget_news(void) { has_news = 0; }

void store_write(uint32_t transaction, const char* path, const char* value) {
  char answer[4];
  ask(kStoreWrite, transaction, path, value, length_of(value), answer, sizeof answer);
}

void store_read(uint32_t transaction, const char* path, char* value, uint32_t size) {
  ask(kStoreRead, transaction, path, "", 0, value, size);
}

uint32_t store_begin(void) {
  char digits[12];
  uint32_t transaction = 0;
  ask(kStoreBegin, 0, "", "", 0, digits, sizeof digits);
  for (const char* at = digits; *at >= '0' && *at <= '9'; ++at)
    transaction = transaction * 10 + (uint32_t)(*at - '0');
  return transaction;
}

int store_end(uint32_t transaction) {
  char answer[4];
  return ask(kStoreEnd, transaction, "T", "", 0, answer, sizeof answer);
}
