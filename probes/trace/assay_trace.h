/* SPDX-License-Identifier: Apache-2.0
 *
 * The Assay trace format, version 1, and a writer for it in one C99 header. docs/trace-format.md is
 * its specification. Any program can include this file to write counters, their contract and
 * records that `assay audit FILE` judges.
 *
 * Layout: a 16-byte file header, then blocks. A block is a 24-byte header and its payload, with a
 * CRC-32 over the payload: a reader takes everything up to the last complete block, so a file cut
 * off by a crash is still good up to there. Little-endian. All times are ns.
 */
#ifndef ASSAY_TRACE_H
#define ASSAY_TRACE_H

#include <stdint.h>

#define ASSAY_TRACE_MAGIC "ASSAYTRC"
#define ASSAY_TRACE_VERSION 1u
#define ASSAY_BLOCK_MAGIC 0x4b4c4241u /* "ABLK" */
#define ASSAY_BLOCK_MAX_BYTES (1u << 20)

typedef struct assay_file_header {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes; /* of this struct: where the first block starts */
} assay_file_header;

typedef enum assay_block_type {
  ASSAY_BLOCK_CONTRACT = 1, /* JSON: the counters' contracts, once, before any snapshot */
  ASSAY_BLOCK_FACTS = 2,    /* JSON: what was run, on what, ceilings; may come more than once */
  ASSAY_BLOCK_RECORDS = 3,  /* array of assay_record */
  ASSAY_BLOCK_SNAPSHOT = 4, /* assay_snapshot_header, then one assay_reading a contract row */
  ASSAY_BLOCK_END = 5       /* empty: the writer closed the file; without it the run was cut off */
} assay_block_type;

typedef struct assay_block_header {
  uint32_t magic;
  uint32_t type;
  uint32_t payload_bytes;
  uint32_t payload_crc32; /* CRC-32 (IEEE 802.3) */
  uint64_t sequence;      /* 0, 1, 2 …: a gap means that blocks were lost */
} assay_block_header;

typedef enum assay_record_kind {
  ASSAY_SUBMISSION = 1, /* start/end: the call; op; amount: bytes asked; correlation */
  ASSAY_ACTIVITY = 2,   /* start/end: the work; op; amount: bytes moved; correlation;
                           extra[0] blocks, extra[1] weight bytes, extra[2] kv bytes */
  ASSAY_MEMORY = 3, /* start: when; op 1 allocate, 2 free; amount: bytes; correlation: address */
  ASSAY_WINDOW_BEGIN = 4, /* start: harness stamp; op: assay_window; correlation: index */
  ASSAY_WINDOW_END = 5,   /* end: harness stamp; op: assay_window; correlation: index */
  ASSAY_OBSERVATION = 6,  /* another reference for a counter over the window that is open:
                             stream: contract row; op: assay_relation; direction: assay_source;
                             amount: the value as int64 or bits of a double */
  ASSAY_CLOCK_SAMPLE = 7, /* start/end: host clock before/after; amount: device clock between */
  ASSAY_SENTINEL = 8,     /* a known-answer operation was made: correlation; amount: bytes that must
                             show; op: 1 if its content was verified, 0 if it was wrong */
  ASSAY_THREAD = 9, /* stream: tid; amount: run ns; extra[0]: wait ns; start: when; op: role */
  ASSAY_LINK_SAMPLE =
      10,         /* direction: assay_link; amount: bytes; start/end; extra[0] working set */
  ASSAY_LOSS = 11 /* direction: assay_source; amount: records lost since the last LOSS */
} assay_record_kind;

typedef enum assay_op {
  ASSAY_OP_COPY = 1,
  ASSAY_OP_LAUNCH = 2,
  ASSAY_OP_EVENT = 3,
  ASSAY_OP_WAIT = 4,
  ASSAY_OP_SYNC = 5
} assay_op;

typedef enum assay_direction { ASSAY_H2D = 1, ASSAY_D2H = 2, ASSAY_D2D = 3 } assay_direction;

typedef enum assay_window {
  ASSAY_WINDOW_LOAD = 1,
  ASSAY_WINDOW_REQUEST = 2, /* holds one prefill and its decode steps */
  ASSAY_WINDOW_PREFILL = 3,
  ASSAY_WINDOW_DECODE_STEP = 4,
  ASSAY_WINDOW_OTHER = 5
} assay_window;

typedef enum assay_relation {
  ASSAY_EQUAL = 1,   /* exact */
  ASSAY_NEAR = 2,    /* equal within the time tolerance */
  ASSAY_AT_MOST = 3, /* the counter must not exceed the value */
  ASSAY_AT_LEAST = 4 /* the counter must not be below the value */
} assay_relation;

/* Who made a reference. Two sources share no code. */
typedef enum assay_source {
  ASSAY_SOURCE_DEVICE_RECORDS = 1, /* what the device's workers report */
  ASSAY_SOURCE_EVENTS = 2,         /* event stamps, read independently of the records */
  ASSAY_SOURCE_HOST_SPAN = 3,      /* the harness's own stamps around a call */
  ASSAY_SOURCE_LEDGER = 4,         /* closed form from the checkpoint's header and config */
  ASSAY_SOURCE_CONTENT = 5,        /* what came out: ids, text, bytes compared */
  ASSAY_SOURCE_PROCESS = 6,        /* the kernel's accounts: schedstat, CPU time, stat */
  ASSAY_SOURCE_LINK = 7,           /* a bandwidth measured by the harness's own copies */
  ASSAY_SOURCE_ORACLE = 8          /* an answer fixed beforehand by another implementation */
} assay_source;

typedef enum assay_link {
  ASSAY_LINK_HOST_MEMCPY = 1,
  ASSAY_LINK_HOST_READ = 2,
  ASSAY_LINK_PCIE = 3
} assay_link;

/* 72 bytes. Fields that a kind does not name are 0. */
typedef struct assay_record {
  uint8_t kind;      /* assay_record_kind */
  uint8_t op;        /* by kind */
  uint8_t direction; /* assay_direction, or by kind */
  uint8_t flags;     /* bit 0: the call was refused (SUBMISSION) */
  uint16_t range;    /* label that was open at the submission; 0 none */
  uint16_t reserved;
  uint32_t stream; /* or by kind */
  uint32_t tid;
  uint64_t correlation;
  int64_t start_ns;
  int64_t end_ns;
  int64_t amount;
  int64_t extra[3];
} assay_record;

/* State of a reading: as runtime/telemetry/reading.h. */
typedef enum assay_reading_state {
  ASSAY_NEVER_WRITTEN = 0,
  ASSAY_MEASURED = 1,
  ASSAY_ZERO = 2,
  ASSAY_NOT_APPLICABLE = 3,
  ASSAY_LOWER_BOUND = 4,
  ASSAY_LOST = 5
} assay_reading_state;

typedef struct assay_reading {
  int64_t bits; /* int64, or bits of a double where the contract's unit is a ratio or a rate */
  uint32_t state;
  uint32_t reason; /* index into the reasons of the last FACTS block, or 0 for none */
} assay_reading;

typedef struct assay_snapshot_header {
  int64_t at_ns;
  uint32_t reading_count;
  uint32_t reserved;
} assay_snapshot_header;

#endif /* ASSAY_TRACE_H */
