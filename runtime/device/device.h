// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The device that the runtime decodes on: memory, streams, events, copies and launches, with
// CUDA's semantics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>

#include "runtime/device/observer.h"
#include "runtime/device/records.h"
#include "runtime/telemetry/result.h"

namespace assay::device {

struct stream {
  std::uint32_t index = 0;
};

struct event {
  std::uint32_t index = 0;
};

/// A buffer of device memory. A plain address with its length, so kernels can take it as an
/// argument; the owner is whoever called allocate (see runtime/memory for RAII).
struct buffer {
  std::byte* address = nullptr;
  std::uint64_t bytes = 0;
};

/// What a kernel's body sees of the block that it runs, and the tallies that it keeps. A body adds
/// to a tally where it reads the bytes, inside its loops: a tally computed from the arguments would
/// be the caller's closed form under another name.
struct block_context {
  std::uint32_t block = 0;  ///< index of this block, 0..blocks-1
  std::uint32_t blocks = 0;
  std::uint64_t weight_bytes = 0;
  std::uint64_t kv_bytes = 0;
};

/// Where a block begins to read: up to four places that it reads forwards, none where null. A
/// device may ask the memory for what lies there while the launch is still queued.
struct first_reads {
  static constexpr std::size_t capacity = 4;
  std::array<const std::byte*, capacity> places{};
  std::uint64_t bytes = 0;  ///< behind each place, of this block and of those that follow it
};

/// A kernel with its arguments by value, ready to enqueue.
/// Shapes: `blocks` independent blocks; the device runs each exactly once, in any order and on any
/// number of threads. `prepare`, where there is one, runs once and whole before the first block: it
/// is what all blocks share. It is no block, and its tallies count.
struct kernel {
  using body_function = void (*)(const void* arguments, block_context& context);
  using reads_function = first_reads (*)(const void* arguments, std::uint32_t block);
  static constexpr std::size_t argument_capacity = 256;

  std::string_view name;  ///< static storage
  body_function body = nullptr;
  body_function prepare = nullptr;
  reads_function reads = nullptr;  ///< null: nothing of it is worth fetching ahead
  std::uint32_t blocks = 1;
  alignas(16) std::array<std::byte, argument_capacity> arguments{};

  /// Binds a trivially copyable argument struct to a body that takes it.
  template <class Arguments, void (*Body)(const Arguments&, block_context&)>
  static kernel bind(std::string_view name, const Arguments& arguments, std::uint32_t blocks) {
    static_assert(std::is_trivially_copyable_v<Arguments>);
    static_assert(sizeof(Arguments) <= argument_capacity);
    kernel k;
    k.name = name;
    k.blocks = blocks;
    std::memcpy(k.arguments.data(), &arguments, sizeof arguments);
    k.body = &call<Arguments, Body>;
    return k;
  }

  template <class Arguments, void (*Prepare)(const Arguments&, block_context&),
            void (*Body)(const Arguments&, block_context&)>
  static kernel bind_prepared(std::string_view name, const Arguments& arguments,
                              std::uint32_t blocks) {
    kernel k = bind<Arguments, Body>(name, arguments, blocks);
    k.prepare = &call<Arguments, Prepare>;
    return k;
  }

  /// The same kernel, which says where its blocks begin to read.
  template <class Arguments, first_reads (*Reads)(const Arguments&, std::uint32_t block)>
  kernel reading() const {
    kernel k = *this;
    k.reads = [](const void* raw, std::uint32_t block) {
      Arguments typed;
      std::memcpy(&typed, raw, sizeof typed);
      return Reads(typed, block);
    };
    return k;
  }

 private:
  template <class Arguments, void (*Function)(const Arguments&, block_context&)>
  static void call(const void* raw, block_context& context) {
    Arguments typed;
    std::memcpy(&typed, raw, sizeof typed);
    Function(typed, context);
  }
};

/// Enqueues on a stream of the device's own kind, a cudaStream_t, and on nothing else.
using native_submit = std::function<result<void>(void* native_stream)>;

/// The device interface. All members return at once unless they say that they wait.
/// Ownership: the device owns streams and events; buffers live until free() or the device's end.
/// Threads: one thread submits to a given stream; different streams may have different threads.
/// Errors: out_of_memory from allocate, naming the limit, what is live and what was asked; usage
/// for a stream, event or address that the device does not know.
class device {
 public:
  virtual ~device() = default;

  /// Takes `bytes` from the arena, 64-byte aligned, uninitialised.
  virtual result<buffer> allocate(std::uint64_t bytes) = 0;
  virtual result<void> free(buffer what) = 0;
  virtual std::uint64_t memory_limit_bytes() const = 0;

  virtual result<stream> create_stream() = 0;
  virtual result<event> create_event() = 0;

  /// Enqueues a copy and returns. Both ends must stay valid until the copy is done. Error: usage,
  /// where an end does not lie where the direction says, or the two overlap.
  virtual result<void> copy_async(stream on, void* destination, const void* source,
                                  std::uint64_t bytes, copy_direction direction) = 0;
  virtual result<void> launch(stream on, const kernel& what) = 0;
  /// One call, whatever it enqueues: `kernels` of them, a graph's say. Errors: those of `submit`,
  /// and nothing may be enqueued then; unavailable, where kernels are functions of the host.
  virtual result<void> submit_kernels(stream, std::uint32_t, const native_submit&) {
    return ASSAY_FAIL(unavailable, "device: it has no stream of another's; launch() takes kernels");
  }
  /// The event is stamped when the stream reaches it, with a clock read of its own.
  virtual result<void> record_event(stream on, event what) = 0;
  /// Work enqueued on `on` after this waits for the latest record of `what`; the caller does not.
  /// An event that was never recorded holds nothing up.
  virtual result<void> wait_event(stream on, event what) = 0;

  /// Has the stream reached the event's latest record? Does not wait. Error: usage, where the event
  /// was never recorded: nobody would ever reach it.
  virtual result<bool> is_reached(event what) = 0;
  /// Waits until everything enqueued on the stream has run. Bounded spin, then sleep.
  virtual result<void> synchronize(stream on) = 0;
  /// Time between two events that were reached. Clock: device event. Error: usage, where either was
  /// never recorded or is not reached yet: a stale value is never returned in its place.
  virtual result<std::int64_t> elapsed_ns(event from, event to) = 0;

  /// Label of the submissions and allocations that the calling thread makes from now on; returns
  /// the label before, for the caller to restore.
  virtual range_label set_range(range_label label) noexcept = 0;

  /// Null for none. Not owned. Set before the first submission, or while all streams are
  /// synchronised.
  virtual void set_observer(observer* who) noexcept = 0;
};

/// Opens a range for a scope.
class scoped_range {
 public:
  template <class Label>
  scoped_range(device& on, Label label)
      : on_(on), before_(on.set_range(static_cast<range_label>(label))) {}
  ~scoped_range() { on_.set_range(before_); }
  scoped_range(const scoped_range&) = delete;
  scoped_range& operator=(const scoped_range&) = delete;

 private:
  device& on_;
  range_label before_;
};

}  // namespace assay::device
