/* SPDX-FileCopyrightText: The Assay authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The Assay trace format, version 1, and its writer in one C99 header; docs/trace-format.md is its
 * specification. With it any program writes what `assay audit FILE` judges.
 *
 * Layout: a 16-byte file header, then blocks. A block is a 24-byte header and its payload, with a
 * CRC-32 over both: a file cut off by a crash is good up to there. Little-endian. Times are ns.
 */
#ifndef ASSAY_TRACE_H
#define ASSAY_TRACE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <wmmintrin.h>
#define ASSAY_TRACE_FOLDS 1
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the Assay trace format is little-endian: this writer does not swap bytes"
#endif

#define ASSAY_TRACE_MAGIC "ASSAYTRC"
#define ASSAY_TRACE_VERSION 1u
#define ASSAY_BLOCK_MAGIC 0x4b4c4241u    /* "ABLK" */
#define ASSAY_BLOCK_MAX_BYTES (1u << 20) /* of a payload; a reader refuses more */

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
  uint32_t crc32;    /* CRC-32 (IEEE 802.3) of this header with 0 here, then the payload */
  uint64_t sequence; /* 0, 1, 2 …: a gap means that blocks were lost */
} assay_block_header;

typedef enum assay_record_kind {
  ASSAY_SUBMISSION = 1, /* start/end: the call; op; amount: bytes asked; correlation */
  ASSAY_ACTIVITY = 2,   /* start/end: the work; op; amount: bytes moved; correlation;
                           extra[0] blocks, extra[1] weight bytes, extra[2] kv bytes */
  ASSAY_MEMORY = 3,     /* start: when; op 1 allocate, 2 free; amount: bytes; correlation: address;
                           extra[0] ns inside the call up to then, 0: not told */
  ASSAY_WINDOW_BEGIN = 4, /* start: harness stamp; op: assay_window; correlation: index */
  ASSAY_WINDOW_END = 5,   /* end: harness stamp; op: assay_window; correlation: index */
  ASSAY_OBSERVATION = 6,  /* another reference for a counter over the window that is open:
                             stream: contract row; op: assay_relation; direction: assay_source;
                             amount: value as int64 or bits of a double; range: whose records */
  ASSAY_CLOCK_SAMPLE = 7, /* start/end: host clock before/after; amount: device clock between */
  ASSAY_SENTINEL = 8,     /* a known-answer operation: correlation; amount: bytes that must show,
                             or blocks; op: 1 content verified, 0 wrong; start/end: when; extra[0]:
                             1 copy, 2 launch, 3 copy made to look; extra[1]: ns of a launch */
  ASSAY_THREAD = 9, /* stream: tid; amount: run ns; extra[0]: wait ns; extra[1]: how often it got a
                       core, 0: not told; start: when; op: role */
  ASSAY_LINK_SAMPLE = 10, /* direction: link; amount: bytes; start/end; extra[0]: working set */
  ASSAY_LOSS = 11,        /* direction: assay_source; amount: records lost since the last LOSS */
  ASSAY_EVENT_SPAN = 12,  /* events of the harness's own around the work of a range, or, where op is
                             ASSAY_OP_WAIT, around a wait of it; range; stream;
                             amount: ns between those around all of its calls; extra[0]: ns between
                             those right around the work; extra[1]: ns that either may be off */
  ASSAY_OVERHEAD = 13, /* start/end: what a recorder or a driver did for itself; op: assay_overhead;
                         tid: the thread, or 0 for one that the run's calls do not come from */
  ASSAY_CONDITION = 15 /* what state the machine was in: op: assay_condition; start: when;
                          amount: in the condition's unit */
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

/* What a recorder of a GPU's work, or its driver, did beside the work. */
typedef enum assay_overhead {
  ASSAY_OVERHEAD_OTHER = 0,
  ASSAY_OVERHEAD_COMPILER = 1,
  ASSAY_OVERHEAD_BUFFER_FLUSH = 2,
  ASSAY_OVERHEAD_INSTRUMENTATION = 3,
  ASSAY_OVERHEAD_RESOURCE = 4,
  ASSAY_OVERHEAD_MODULE_LOADING = 5,
  ASSAY_OVERHEAD_LAZY_LOADING = 6,
  ASSAY_OVERHEAD_COMMAND_BUFFER_FULL = 7,
  ASSAY_OVERHEAD_BUFFER_REQUEST = 8,
  ASSAY_OVERHEAD_UNIFIED_MEMORY = 9
} assay_overhead;

/* Who made a reference. Two sources share no code. */
typedef enum assay_source {
  ASSAY_SOURCE_DEVICE_RECORDS = 1, /* what the device's workers report */
  ASSAY_SOURCE_EVENTS = 2,         /* event stamps, read independently of the records */
  ASSAY_SOURCE_HOST_SPAN = 3,      /* the harness's own stamps around a call */
  ASSAY_SOURCE_LEDGER = 4,         /* closed form from the checkpoint's header and config */
  ASSAY_SOURCE_CONTENT = 5,        /* what came out: ids, text, bytes compared */
  ASSAY_SOURCE_PROCESS = 6,        /* the kernel's accounts: schedstat, CPU time, stat */
  ASSAY_SOURCE_LINK = 7,           /* a bandwidth measured by the harness's own copies */
  ASSAY_SOURCE_ORACLE = 8,         /* an answer fixed beforehand by another implementation */
  ASSAY_SOURCE_HARNESS_EVENTS = 9, /* events that the harness recorded and read itself */
  ASSAY_SOURCE_NVML = 10           /* the driver's management library: bytes over the link */
} assay_source;

/* pcie: pinned host memory to or from a GPU; device: its own memory, read by kernels or copied. */
typedef enum assay_link {
  ASSAY_LINK_HOST_MEMCPY = 1,
  ASSAY_LINK_HOST_READ = 2,
  ASSAY_LINK_PCIE = 3,
  ASSAY_LINK_DEVICE_READ = 4,
  ASSAY_LINK_DEVICE_COPY = 5,
  ASSAY_LINK_PCIE_PAGEABLE = 6
} assay_link;

/* What of the machine was looked at, and in which unit. Those of the second group are gained since
 * the machine, the process or its control group began; all others are as they are now. */
typedef enum assay_condition {
  ASSAY_CORE_CLOCK_TIMED = 1,   /* Hz, by timing additions of which each waits for the one before */
  ASSAY_CORE_CLOCK_CPUFREQ = 2, /* Hz, by the kernel's cpufreq, of the caller's core */
  ASSAY_LOAD_AVERAGE = 3,       /* runnable threads over a minute, in thousandths */
  ASSAY_RUNNABLE_THREADS = 4,   /* of the machine, now */
  ASSAY_ALLOWED_CORES = 5,      /* by the caller's affinity mask */
  ASSAY_AVAILABLE_MEMORY = 6,   /* bytes that can be had without swapping */

  ASSAY_THERMAL_THROTTLES = 32, /* of the allowed cores and their packages */
  ASSAY_GROUP_THROTTLES = 33,   /* periods in which the control group was held back */
  ASSAY_GROUP_THROTTLED = 34,   /* ns for which it was */
  ASSAY_STOLEN_TIME = 35,       /* ns that a hypervisor took, of all cores */
  ASSAY_LOST_CORES = 36,        /* context switches that no thread of the process asked for */
  ASSAY_MAJOR_FAULTS = 37,      /* of the process: pages that came from a disk */
  ASSAY_CORE_PRESSURE = 38,     /* ns in which some task of the machine waited for a core */
  ASSAY_MEMORY_PRESSURE = 39,   /* ns in which one waited for memory */

  ASSAY_SM_CLOCK = 64,         /* Hz; from here on of the GPU, by NVML */
  ASSAY_GPU_MEMORY_CLOCK = 65, /* Hz */
  ASSAY_CLOCK_EVENTS = 66,     /* what holds the clocks down: bits as NVML gives them */
  ASSAY_GPU_TEMPERATURE = 67,  /* degrees Celsius */
  ASSAY_GPU_POWER = 68,        /* mW */
  ASSAY_LINK_GENERATION = 69,  /* of PCIe, while bytes move */
  ASSAY_LINK_WIDTH = 70,       /* lanes, while bytes move */
  ASSAY_GPU_USED_MEMORY = 71   /* bytes */
} assay_condition;

/* Of a SUBMISSION. refused: nothing was enqueued. split: parts of a copy, or amount kernels of a
 * launch (0: nobody said how many) follow, and copies that a graph hides in it. */
enum assay_flag { ASSAY_REFUSED = 1, ASSAY_SPLIT = 2 };
/* Of an ACTIVITY, a copy. pageable: its end on the host is memory that is not pinned. */
enum assay_copy_flag { ASSAY_PAGEABLE = 1 };
/* Of an ACTIVITY, a launch. programmatic: its call allowed it to begin while the kernel right
 * before it on the stream still runs; it waits inside for that one's end, and ends no earlier. */
enum assay_launch_flag { ASSAY_PROGRAMMATIC = 1 };

/* 72 bytes. Fields that a kind does not name are 0. */
typedef struct assay_record {
  uint8_t kind;      /* assay_record_kind */
  uint8_t op;        /* by kind */
  uint8_t direction; /* assay_direction, or by kind */
  uint8_t flags;     /* SUBMISSION: assay_flag; ACTIVITY: assay_copy_flag or assay_launch_flag */
  uint16_t range;    /* label that was open at the submission; 0 none */
  uint16_t reserved;
  uint32_t stream; /* or by kind */
  uint32_t tid;
  uint64_t correlation;
  int64_t start_ns;
  int64_t end_ns;
  int64_t amount;
  int64_t extra[3]; /* by kind; SUBMISSION of a wait: [0] call that recorded its event, or 0 */
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

/* A static assertion that C99 has too. */
#define ASSAY_TRACE_SIZE(type_, bytes_) \
  typedef char assay_size_of_##type_[sizeof(type_) == (bytes_) ? 1 : -1]
ASSAY_TRACE_SIZE(assay_file_header, 16);
ASSAY_TRACE_SIZE(assay_block_header, 24);
ASSAY_TRACE_SIZE(assay_record, 72);
ASSAY_TRACE_SIZE(assay_reading, 16);
ASSAY_TRACE_SIZE(assay_snapshot_header, 16);
#undef ASSAY_TRACE_SIZE

/* ---- CRC-32 (IEEE 802.3, reflected) ---------------------------------------------------------
 *
 * Eight bytes a step by tables; on x86-64 with carry-less multiplication, 64 bytes a step. The
 * checksum is what writing and reading a trace cost most, so that the second path is worth it. */

typedef struct assay_crc32_table {
  uint32_t of[8][256]; /* of[k][b]: the remainder of byte b followed by k zero bytes */
  uint64_t by_64[2];   /* what shifts 8 bytes by 64 bytes: for the low half of 16, for the high */
  uint64_t by_16[2];
  int can_fold; /* this processor multiplies without carry */
} assay_crc32_table;

/* x to the power of n modulo the polynomial, bits reflected, as the multiplication wants it. */
static inline uint64_t assay_crc32_power(int n) {
  uint32_t power = 0x80000000u;
  for (; n > 0; --n) power = (power >> 1) ^ (0xedb88320u & (0u - (power & 1u)));
  return (uint64_t)power << 1;
}

static inline void assay_crc32_init(assay_crc32_table* table) {
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
    table->of[0][b] = crc;
  }
  for (int k = 1; k < 8; ++k)
    for (uint32_t b = 0; b < 256; ++b) {
      const uint32_t crc = table->of[k - 1][b];
      table->of[k][b] = (crc >> 8) ^ table->of[0][crc & 0xffu];
    }
  table->by_64[0] = assay_crc32_power(64 * 8 + 32);
  table->by_64[1] = assay_crc32_power(64 * 8 - 32);
  table->by_16[0] = assay_crc32_power(16 * 8 + 32);
  table->by_16[1] = assay_crc32_power(16 * 8 - 32);
#ifdef ASSAY_TRACE_FOLDS
  table->can_fold = __builtin_cpu_supports("pclmul") != 0;
#else
  table->can_fold = 0;
#endif
}

#ifdef ASSAY_TRACE_FOLDS
__attribute__((target("pclmul"))) static inline __m128i assay_crc32_shift(__m128i lane,
                                                                          __m128i by) {
  return _mm_xor_si128(_mm_clmulepi64_si128(lane, by, 0x00), _mm_clmulepi64_si128(lane, by, 0x11));
}

/* Replaces `crc` and the next `bytes` bytes, a multiple of 16 and at least 64, by 16 bytes with the
 * same remainder. */
__attribute__((target("pclmul"))) static inline void assay_crc32_fold(
    const assay_crc32_table* table, uint32_t crc, const unsigned char* at, size_t bytes,
    unsigned char* folded) {
  const __m128i* from = (const __m128i*)(const void*)at;
  const __m128i* const end = from + bytes / 16;
  const __m128i by_64 = _mm_loadu_si128((const __m128i*)(const void*)table->by_64);
  const __m128i by_16 = _mm_loadu_si128((const __m128i*)(const void*)table->by_16);
  __m128i lane[4];
  for (int i = 0; i < 4; ++i) lane[i] = _mm_loadu_si128(from++);
  lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128((int)crc));
  while (end - from >= 4)
    for (int i = 0; i < 4; ++i)
      lane[i] = _mm_xor_si128(assay_crc32_shift(lane[i], by_64), _mm_loadu_si128(from++));
  for (int i = 1; i < 4; ++i) lane[0] = _mm_xor_si128(assay_crc32_shift(lane[0], by_16), lane[i]);
  while (from < end)
    lane[0] = _mm_xor_si128(assay_crc32_shift(lane[0], by_16), _mm_loadu_si128(from++));
  _mm_storeu_si128((__m128i*)(void*)folded, lane[0]);
}
#endif

/* The remainder after `bytes` more bytes, by the tables. */
static inline uint32_t assay_crc32_step(const assay_crc32_table* table, uint32_t crc,
                                        const unsigned char* at, size_t bytes) {
  for (; bytes >= 8; bytes -= 8, at += 8) {
    uint32_t low, high;
    memcpy(&low, at, 4);
    memcpy(&high, at + 4, 4);
    low ^= crc;
    crc = table->of[7][low & 0xffu] ^ table->of[6][(low >> 8) & 0xffu] ^
          table->of[5][(low >> 16) & 0xffu] ^ table->of[4][low >> 24] ^ table->of[3][high & 0xffu] ^
          table->of[2][(high >> 8) & 0xffu] ^ table->of[1][(high >> 16) & 0xffu] ^
          table->of[0][high >> 24];
  }
  for (; bytes > 0; --bytes, ++at) crc = (crc >> 8) ^ table->of[0][(crc ^ *at) & 0xffu];
  return crc;
}

/* The CRC of `bytes` bytes at `data`, going on from `crc`: 0 to begin with. */
static inline uint32_t assay_crc32(const assay_crc32_table* table, uint32_t crc, const void* data,
                                   size_t bytes) {
  const unsigned char* at = (const unsigned char*)data;
  crc = ~crc;
#ifdef ASSAY_TRACE_FOLDS
  if (table->can_fold && bytes >= 64) {
    unsigned char folded[16];
    const size_t whole = bytes - bytes % 16;
    assay_crc32_fold(table, crc, at, whole, folded);
    crc = assay_crc32_step(table, 0, folded, sizeof folded);
    at += whole;
    bytes -= whole;
  }
#endif
  return ~assay_crc32_step(table, crc, at, bytes);
}

/* The CRC that belongs into `header`, whatever stands there now. */
static inline uint32_t assay_block_crc32(const assay_crc32_table* table,
                                         const assay_block_header* header, const void* payload) {
  assay_block_header blank = *header;
  blank.crc32 = 0;
  return assay_crc32(table, assay_crc32(table, 0, &blank, sizeof blank), payload,
                     header->payload_bytes);
}

/* ---- The writer --------------------------------------------------------------------------------
 *
 * Every function returns 0 or an errno. The first failure sticks: each later call returns it and
 * assay_trace_close leaves the END block out, so a program may look at the result of close alone.
 * One thread at a time. Memory: 73 KiB, whatever the trace's length. What is lost in a crash: the
 * last 64 KiB, or the last second if snapshots come more often than that. */

#define ASSAY_TRACE_BUFFER_BYTES (64u * 1024u)
#define ASSAY_TRACE_FLUSH_BYTES (48u * 1024u)     /* a snapshot behind this much is written out */
#define ASSAY_TRACE_FLUSH_NS UINT64_C(1000000000) /* and so is one this long after the last */

typedef struct assay_trace_memory {
  assay_crc32_table crc;
  uint64_t bytes[ASSAY_TRACE_BUFFER_BYTES / 8]; /* whole blocks, then at most one open one */
} assay_trace_memory;

/* Set up by assay_trace_open; its members are the writer's own. */
typedef struct assay_trace_writer {
  FILE* file; /* NULL where it is not open */
  assay_trace_memory* memory;
  int error;             /* the first failure */
  uint64_t sequence;     /* of the next block */
  size_t used_bytes;     /* in memory->bytes */
  size_t open_bytes;     /* of used_bytes, the open RECORDS block with its header; 0: none */
  int64_t flushed_at_ns; /* time of the snapshot that was written out last */
} assay_trace_writer;

static inline int assay_trace_fail(assay_trace_writer* w, int code) {
  if (w->error == 0) w->error = code != 0 ? code : EIO;
  return w->error;
}

static inline int assay_trace_check(const assay_trace_writer* w) {
  return w->file == NULL ? EBADF : w->error;
}

static inline unsigned char* assay_trace_end(assay_trace_writer* w) {
  return (unsigned char*)w->memory->bytes + w->used_bytes;
}

/* Hands bytes to the file. */
static inline int assay_trace_put(assay_trace_writer* w, const void* data, size_t bytes) {
  for (size_t done = 0; done < bytes; clearerr(w->file)) {
    errno = 0;
    done += fwrite((const unsigned char*)data + done, 1, bytes - done, w->file);
    if (done < bytes && errno != EINTR) return assay_trace_fail(w, errno);
  }
  return 0;
}

static inline assay_block_header assay_trace_header(assay_trace_writer* w, uint32_t type,
                                                    size_t payload_bytes) {
  assay_block_header header;
  header.magic = ASSAY_BLOCK_MAGIC;
  header.type = type;
  header.payload_bytes = (uint32_t)payload_bytes;
  header.crc32 = 0;
  header.sequence = w->sequence++;
  return header;
}

/* Closes the open RECORDS block, if there is one: its header gets its size and its CRC. */
static inline void assay_trace_seal(assay_trace_writer* w) {
  if (w->open_bytes == 0) return;
  unsigned char* at = assay_trace_end(w) - w->open_bytes;
  assay_block_header header =
      assay_trace_header(w, ASSAY_BLOCK_RECORDS, w->open_bytes - sizeof(assay_block_header));
  header.crc32 = assay_block_crc32(&w->memory->crc, &header, at + sizeof header);
  memcpy(at, &header, sizeof header);
  w->open_bytes = 0;
}

/* Writes out everything that was given so far. */
static inline int assay_trace_flush(assay_trace_writer* w) {
  const int code = assay_trace_check(w);
  if (code != 0) return code;
  assay_trace_seal(w);
  const size_t bytes = w->used_bytes;
  w->used_bytes = 0;
  return assay_trace_put(w, w->memory->bytes, bytes);
}

/* Adds one whole block whose payload is `head` followed by `body`. */
static inline int assay_trace_block(assay_trace_writer* w, uint32_t type, const void* head,
                                    size_t head_bytes, const void* body, size_t body_bytes) {
  const size_t payload_bytes = head_bytes + body_bytes;
  int code = assay_trace_check(w);
  if (code != 0) return code;
  if (body_bytes > ASSAY_BLOCK_MAX_BYTES || payload_bytes > ASSAY_BLOCK_MAX_BYTES)
    return assay_trace_fail(w, EINVAL);
  assay_trace_seal(w);
  if (sizeof(assay_block_header) + payload_bytes > ASSAY_TRACE_BUFFER_BYTES - w->used_bytes) {
    code = assay_trace_flush(w);
    if (code != 0) return code;
  }
  assay_block_header header = assay_trace_header(w, type, payload_bytes);
  uint32_t crc = assay_crc32(&w->memory->crc, 0, &header, sizeof header);
  crc = assay_crc32(&w->memory->crc, crc, head, head_bytes);
  header.crc32 = assay_crc32(&w->memory->crc, crc, body, body_bytes);
  if (sizeof header + payload_bytes > ASSAY_TRACE_BUFFER_BYTES) {
    code = assay_trace_put(w, &header, sizeof header);
    if (code == 0) code = assay_trace_put(w, head, head_bytes);
    return code == 0 ? assay_trace_put(w, body, body_bytes) : code;
  }
  unsigned char* at = assay_trace_end(w);
  memcpy(at, &header, sizeof header);
  if (head_bytes > 0) memcpy(at + sizeof header, head, head_bytes);
  if (body_bytes > 0) memcpy(at + sizeof header + head_bytes, body, body_bytes);
  w->used_bytes += sizeof header + payload_bytes;
  return 0;
}

/* Adds JSON, filled up with spaces: every block then begins at a multiple of 8 in the file, and a
 * reader need not copy the records behind it. */
static inline int assay_trace_json(assay_trace_writer* w, uint32_t type, const char* json,
                                   size_t json_bytes) {
  return assay_trace_block(w, type, json, json_bytes, "       ", (8 - json_bytes % 8) % 8);
}

/* Creates or empties the file at `path` and writes the file header at once, so that a path that
 * cannot be written shows before anything is measured. */
static inline int assay_trace_open(assay_trace_writer* w, const char* path) {
  memset(w, 0, sizeof *w);
  errno = 0;
  w->file = fopen(path, "wb");
  if (w->file == NULL) return errno != 0 ? errno : EIO;
  setvbuf(w->file, NULL, _IONBF, 0); /* the writer has its own buffer */
  w->memory = (assay_trace_memory*)malloc(sizeof *w->memory);
  assay_file_header header;
  memcpy(header.magic, ASSAY_TRACE_MAGIC, sizeof header.magic);
  header.version = ASSAY_TRACE_VERSION;
  header.header_bytes = sizeof header;
  int code = w->memory == NULL ? ENOMEM : assay_trace_put(w, &header, sizeof header);
  if (code == 0) {
    assay_crc32_init(&w->memory->crc);
    return 0;
  }
  fclose(w->file);
  free(w->memory);
  memset(w, 0, sizeof *w);
  return code;
}

/* The counters' contracts: once, and before the first snapshot. */
static inline int assay_trace_contract(assay_trace_writer* w, const char* json, size_t json_bytes) {
  return assay_trace_json(w, ASSAY_BLOCK_CONTRACT, json, json_bytes);
}

/* Facts of the run: any number of times. */
static inline int assay_trace_facts(assay_trace_writer* w, const char* json, size_t json_bytes) {
  return assay_trace_json(w, ASSAY_BLOCK_FACTS, json, json_bytes);
}

static inline int assay_trace_records(assay_trace_writer* w, const assay_record* records,
                                      size_t count) {
  int code = assay_trace_check(w);
  while (code == 0 && count > 0) {
    if (w->open_bytes == 0 &&
        ASSAY_TRACE_BUFFER_BYTES - w->used_bytes >= sizeof(assay_block_header) + sizeof *records) {
      w->used_bytes += sizeof(assay_block_header);
      w->open_bytes = sizeof(assay_block_header);
    }
    size_t fitting = (ASSAY_TRACE_BUFFER_BYTES - w->used_bytes) / sizeof *records;
    if (w->open_bytes == 0 || fitting == 0) {
      code = assay_trace_flush(w);
      continue;
    }
    if (fitting > count) fitting = count;
    memcpy(assay_trace_end(w), records, fitting * sizeof *records);
    w->used_bytes += fitting * sizeof *records;
    w->open_bytes += fitting * sizeof *records;
    records += fitting;
    count -= fitting;
  }
  return code;
}

static inline int assay_trace_record(assay_trace_writer* w, const assay_record* record) {
  return assay_trace_records(w, record, 1);
}

/* The counters' state at `at_ns`: one reading a row of the contract, in its order. */
static inline int assay_trace_snapshot(assay_trace_writer* w, int64_t at_ns,
                                       const assay_reading* readings, uint32_t reading_count) {
  assay_snapshot_header head;
  head.at_ns = at_ns;
  head.reading_count = reading_count;
  head.reserved = 0;
  const int code = assay_trace_block(w, ASSAY_BLOCK_SNAPSHOT, &head, sizeof head, readings,
                                     (size_t)reading_count * sizeof *readings);
  if (code != 0) return code;
  /* Unsigned, so that a clock that was set back counts as long ago. */
  const uint64_t waited_ns = (uint64_t)at_ns - (uint64_t)w->flushed_at_ns;
  if (w->used_bytes < ASSAY_TRACE_FLUSH_BYTES && waited_ns < ASSAY_TRACE_FLUSH_NS) return 0;
  w->flushed_at_ns = at_ns;
  return assay_trace_flush(w);
}

/* Writes out what was given and closes the file without an END block: a reader takes all of it and
 * says that the trace was cut off. For a run that stopped early. */
static inline int assay_trace_abandon(assay_trace_writer* w) {
  if (w->file == NULL) return EBADF;
  (void)assay_trace_flush(w);
  errno = 0;
  if (fclose(w->file) != 0) (void)assay_trace_fail(w, errno);
  free(w->memory);
  w->file = NULL;
  w->memory = NULL;
  return w->error;
}

/* Writes out what was given and the END block, and closes the file. */
static inline int assay_trace_close(assay_trace_writer* w) {
  (void)assay_trace_block(w, ASSAY_BLOCK_END, NULL, 0, NULL, 0);
  return assay_trace_abandon(w);
}

#endif /* ASSAY_TRACE_H */
