/* SPDX-FileCopyrightText: The Assay authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that knows nothing of Assay but its one header: it uploads buffers to a device of its
 * own, publishes three counters about that, and writes what the device did beside them.
 * docs/trace-format.md shows the part between the marks; tests keep the two equal. */
#define _POSIX_C_SOURCE 199309L
#include <time.h>

/* [begin example] */
#include "probes/trace/assay_trace.h"

static const char contract[] =
    "{\"counters\":["
    "{\"name\":\"demo.upload.h2d_bytes\",\"unit\":\"bytes\",\"kind\":\"count\",\"clock\":\"none\","
    "\"bracket\":\"bytes of each upload that was asked for\",\"blocks_host\":\"no\","
    "\"claims\":{\"activity\":\"copy\",\"direction\":\"h2d\",\"range\":\"any\","
    "\"measure\":\"bytes\"},\"pairs_with\":{\"reason\":\"not a duration\"},"
    "\"identity\":\"none: a sum of sizes\",\"reset\":\"per_process\"},"
    "{\"name\":\"demo.upload.h2d_copies_count\",\"unit\":\"count\",\"kind\":\"count\","
    "\"clock\":\"none\",\"bracket\":\"uploads that were asked for\",\"blocks_host\":\"no\","
    "\"claims\":{\"activity\":\"copy\",\"direction\":\"h2d\",\"range\":\"any\","
    "\"measure\":\"operations\"},\"pairs_with\":{\"reason\":\"not a duration\"},"
    "\"identity\":\"none: one an upload\",\"reset\":\"per_process\"},"
    "{\"name\":\"demo.upload.h2d_ns\",\"unit\":\"ns\",\"kind\":\"duration\",\"clock\":\"host\","
    "\"bracket\":\"entry to return of each upload, which waits\",\"blocks_host\":\"yes\","
    "\"claims\":{\"activity\":\"copy\",\"direction\":\"h2d\",\"range\":\"any\","
    "\"measure\":\"span\"},"
    "\"pairs_with\":{\"bytes_counter\":\"demo.upload.h2d_bytes\",\"link\":\"host_memcpy\"},"
    "\"identity\":\"none: a host span\",\"reset\":\"per_process\"}]}";

enum { H2D_BYTES, H2D_COPIES_COUNT, H2D_NS, COUNTERS };

/* What the program publishes. Only upload() writes it; nothing below reads it but snapshot(). */
static int64_t counters[COUNTERS];

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The device: copies, and tells what it moved by counting, when by its own clock reads, and what
 * arrived by a hash over the destination. It sees no counter. */
static uint64_t device_copy(unsigned char* to, const unsigned char* from, size_t bytes,
                            assay_record* record) {
  uint64_t hash = UINT64_C(14695981039346656037);
  record->kind = ASSAY_ACTIVITY;
  record->op = ASSAY_OP_COPY;
  record->direction = ASSAY_H2D;
  record->stream = 1;
  record->start_ns = now_ns();
  for (size_t i = 0; i < bytes; ++i, ++record->amount) {
    to[i] = from[i];
    hash = (hash ^ to[i]) * UINT64_C(1099511628211);
  }
  record->end_ns = now_ns();
  return hash;
}

/* One upload: the call is the SUBMISSION, the work is the ACTIVITY, `correlation` joins them. */
static uint64_t submit(assay_trace_writer* trace, uint16_t range, unsigned char* to,
                       const unsigned char* from, size_t bytes) {
  static uint64_t correlation;
  assay_record call = {0};
  assay_record work = {0};
  call.kind = ASSAY_SUBMISSION;
  call.op = ASSAY_OP_COPY;
  call.direction = ASSAY_H2D;
  call.stream = 1;
  call.range = range;
  call.amount = (int64_t)bytes;
  call.correlation = work.correlation = ++correlation;
  call.start_ns = now_ns();
  const uint64_t hash = device_copy(to, from, bytes, &work);
  call.end_ns = now_ns();
  assay_trace_record(trace, &call);
  assay_trace_record(trace, &work);
  return hash;
}

/* The subsystem under audit, with its counters. */
static uint64_t upload(assay_trace_writer* trace, unsigned char* to, const unsigned char* from,
                       size_t bytes) {
  const int64_t begin_ns = now_ns();
  const uint64_t hash = submit(trace, 0, to, from, bytes);
  counters[H2D_NS] += now_ns() - begin_ns;
  counters[H2D_BYTES] += (int64_t)bytes;
  counters[H2D_COPIES_COUNT] += 1;
  return hash;
}

static void snapshot(assay_trace_writer* trace) {
  assay_reading readings[COUNTERS] = {{0, 0, 0}};
  for (int i = 0; i < COUNTERS; ++i) {
    readings[i].bits = counters[i];
    readings[i].state = counters[i] == 0 ? ASSAY_ZERO : ASSAY_MEASURED;
  }
  assay_trace_snapshot(trace, now_ns(), readings, COUNTERS);
}

static void window(assay_trace_writer* trace, uint8_t kind, uint8_t which, uint64_t index) {
  assay_record record = {0};
  record.kind = kind;
  record.op = which;
  record.correlation = index;
  record.start_ns = record.end_ns = now_ns();
  if (kind == ASSAY_WINDOW_BEGIN) record.end_ns = 0;
  if (kind == ASSAY_WINDOW_END) record.start_ns = 0;
  assay_trace_record(trace, &record);
}

/* What somebody else says that a counter must have gained over the window that is open. */
static void observe(assay_trace_writer* trace, uint32_t row, uint8_t relation, uint8_t source,
                    int64_t value) {
  assay_record record = {0};
  record.kind = ASSAY_OBSERVATION;
  record.op = relation;
  record.direction = source;
  record.stream = row;
  record.amount = value;
  assay_trace_record(trace, &record);
}
/* [end example] */

enum { UPLOAD_BYTES = 256 * 1024 + 4099, SENTINEL_RANGE = 7, STEPS = 4 };

static unsigned char source_buffer[UPLOAD_BYTES];
static unsigned char device_buffer[UPLOAD_BYTES];
static unsigned char other_buffer[UPLOAD_BYTES];

static uint64_t hash_of(const unsigned char* bytes, size_t count) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

/* One upload in a window of its own, judged by what this function knows itself: the size that it
 * asked for, its own stamps, and the hash of what it sent. */
static void uploading_window(assay_trace_writer* trace, uint8_t which, uint64_t index) {
  for (size_t i = 0; i < UPLOAD_BYTES; ++i) source_buffer[i] = (unsigned char)(i * 31 + index);
  const uint64_t sent = hash_of(source_buffer, UPLOAD_BYTES);
  window(trace, ASSAY_WINDOW_BEGIN, which, index);
  const int64_t begin_ns = now_ns();
  const uint64_t arrived = upload(trace, device_buffer, source_buffer, UPLOAD_BYTES);
  const int64_t span_ns = now_ns() - begin_ns;
  observe(trace, H2D_BYTES, ASSAY_EQUAL, ASSAY_SOURCE_LEDGER, UPLOAD_BYTES);
  observe(trace, H2D_BYTES, ASSAY_EQUAL, ASSAY_SOURCE_CONTENT, arrived == sent ? UPLOAD_BYTES : 0);
  observe(trace, H2D_COPIES_COUNT, ASSAY_EQUAL, ASSAY_SOURCE_LEDGER, 1);
  observe(trace, H2D_NS, ASSAY_NEAR, ASSAY_SOURCE_HOST_SPAN, span_ns);
  snapshot(trace);
  window(trace, ASSAY_WINDOW_END, which, index);
}

/* The references on trial: how the device's clock lies to the host's, and a copy whose size and
 * content are known. */
static void controls(assay_trace_writer* trace) {
  assay_record clock = {0};
  clock.kind = ASSAY_CLOCK_SAMPLE;
  clock.start_ns = now_ns();
  clock.amount = now_ns();
  clock.end_ns = now_ns();
  assay_trace_record(trace, &clock);
  const uint64_t sent = hash_of(source_buffer, 4099);
  const uint64_t arrived = submit(trace, SENTINEL_RANGE, other_buffer, source_buffer, 4099);
  assay_record sentinel = {0};
  sentinel.kind = ASSAY_SENTINEL;
  sentinel.op = arrived == sent;
  sentinel.direction = ASSAY_H2D;
  sentinel.amount = 4099;
  assay_trace_record(trace, &sentinel);
}

/* What a copy of that size can reach at best, through no path of the subsystem under audit. */
static void link_samples(assay_trace_writer* trace) {
  for (int i = 0; i < 8; ++i) {
    assay_record sample = {0};
    sample.kind = ASSAY_LINK_SAMPLE;
    sample.direction = ASSAY_LINK_HOST_MEMCPY;
    sample.amount = UPLOAD_BYTES;
    sample.extra[0] = UPLOAD_BYTES;
    sample.start_ns = now_ns();
    memcpy(other_buffer, source_buffer, UPLOAD_BYTES);
    sample.end_ns = now_ns();
    assay_trace_record(trace, &sample);
  }
}

int main(int argc, char** argv) {
  static const char facts[] =
      "{\"facts\":[{\"name\":\"program\",\"value\":\"demo upload\"}],"
      "\"notes\":[\"a foreign program wrote this trace through assay_trace.h\"]}";
  if (argc != 2) return fputs("usage: foreign_program TRACE\n", stderr), 2;
  assay_trace_writer trace;
  int code = assay_trace_open(&trace, argv[1]);
  if (code != 0) return fprintf(stderr, "%s: %s\n", argv[1], strerror(code)), 3;
  assay_trace_contract(&trace, contract, sizeof contract - 1);
  assay_trace_facts(&trace, facts, sizeof facts - 1);
  link_samples(&trace);
  controls(&trace);
  uploading_window(&trace, ASSAY_WINDOW_LOAD, 0);
  for (uint64_t request = 0; request < 2; ++request) {
    window(&trace, ASSAY_WINDOW_BEGIN, ASSAY_WINDOW_REQUEST, request);
    uploading_window(&trace, ASSAY_WINDOW_PREFILL, request);
    for (uint64_t step = 0; step < STEPS; ++step)
      uploading_window(&trace, ASSAY_WINDOW_DECODE_STEP, step);
    snapshot(&trace);
    window(&trace, ASSAY_WINDOW_END, ASSAY_WINDOW_REQUEST, request);
    controls(&trace);
  }
  code = assay_trace_close(&trace); /* the first failure of any call above */
  if (code != 0) return fprintf(stderr, "%s: %s\n", argv[1], strerror(code)), 3;
  return 0;
}
