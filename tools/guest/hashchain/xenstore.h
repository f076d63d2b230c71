/* A client of xenstore, the small database in which a Xen domain and its host tell each other of
   themselves. Paths are relative to the domain's own directory. Every call waits for the answer. */
#pragma once

#include <stdint.h>

#include "xen_interface.h"

/* At the start, and again after a suspension: the page may be empty and the port another one. */
void store_connect(volatile struct store_page* page, uint32_t port);

/* A change of `path`, and the watch itself, makes store_has_news true. */
void store_watch(const char* path);
/* Costs a look at memory. */
int store_has_news(void);
void store_forget_news(void);

/* `transaction`: 0 for none. */
void store_write(uint32_t transaction, const char* path, const char* value);
/* The value, cut to the buffer; empty if there is none. */
void store_read(uint32_t transaction, const char* path, char* value, uint32_t size);
uint32_t store_begin(void);
/* 0: another client has changed what the transaction read or wrote, and nothing has been written. */
int store_end(uint32_t transaction);
