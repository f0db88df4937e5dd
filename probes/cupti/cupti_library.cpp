// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/cupti_library.h"

#include <dlfcn.h>

namespace assay::probes {
namespace {

constexpr const char* library_name = "libcupti.so.13";

// The one that the process has already, PyTorch's say: two copies would be two subscribers.
void* open_library() {
  if (void* loaded = dlopen(library_name, RTLD_NOW | RTLD_NOLOAD)) return loaded;
  for (const char* path :
       {library_name, "/usr/local/cuda/lib64/libcupti.so.13",
        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13", "/usr/local/cuda/lib/libcupti.so.13"})
    if (void* loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return loaded;
  return nullptr;
}

struct symbol_loader {
  void* library;
  std::string missing;

  template <class Function>
  void operator()(Function& into, const char* name) {
    into = reinterpret_cast<Function>(dlsym(library, name));
    if (into == nullptr && missing.empty()) missing = name;
  }
};

result<cupti_library> load_symbols() {
  void* handle = open_library();
  if (handle == nullptr)
    return ASSAY_FAIL(unavailable, std::string("CUPTI: ") + library_name +
                                       " was not found; install the CUDA 13.0 toolkit, or put its "
                                       "folder into LD_LIBRARY_PATH");
  cupti_library found;
  symbol_loader load{handle, {}};
  load(found.get_version, "cuptiGetVersion");
  load(found.get_result_string, "cuptiGetResultString");
  load(found.subscribe, "cuptiSubscribe_v2");
  load(found.unsubscribe, "cuptiUnsubscribe");
  load(found.enable_callback, "cuptiEnableCallback");
  load(found.register_callbacks, "cuptiActivityRegisterCallbacks");
  load(found.enable, "cuptiActivityEnable");
  load(found.disable, "cuptiActivityDisable");
  load(found.flush_all, "cuptiActivityFlushAll");
  load(found.next_record, "cuptiActivityGetNextRecord");
  load(found.dropped_records, "cuptiActivityGetNumDroppedRecords");
  load(found.get_timestamp, "cuptiGetTimestamp");
  load(found.get_callback_name, "cuptiGetCallbackName");
  load(found.push_id, "cuptiActivityPushExternalCorrelationId");
  load(found.pop_id, "cuptiActivityPopExternalCorrelationId");
  load(found.enable_event_times, "cuptiActivityEnableCudaEventDeviceTimestamps");
  load(found.enable_driver_call, "cuptiActivityEnableDriverApi");
  load(found.set_attribute, "cuptiActivitySetAttribute");
  if (!load.missing.empty())
    return ASSAY_FAIL(unavailable, "CUPTI: " + std::string(library_name) + " has no " +
                                       load.missing + "; install the CUDA 13.0 toolkit");
  std::uint32_t version = 0;
  ASSAY_TRY(found.attempt(found.get_version(&version), "cuptiGetVersion"));
  // Records have no version of their own: another one's fields would be read at the wrong places.
  if (version != CUPTI_API_VERSION)
    return ASSAY_FAIL(unavailable, "CUPTI: " + std::string(library_name) + " is version " +
                                       std::to_string(version) + ", this program reads " +
                                       std::to_string(CUPTI_API_VERSION) +
                                       "; rebuild it with that toolkit");
  return found;
}

}  // namespace

result<const cupti_library*> cupti_library::load() {
  static const result<cupti_library> loaded = load_symbols();
  if (!loaded) return failure(loaded.error());
  return &*loaded;
}

result<void> cupti_library::attempt(CUptiResult code, const char* call) const {
  if (code == CUPTI_SUCCESS) [[likely]]
    return {};
  const char* text = nullptr;
  if (get_result_string == nullptr || get_result_string(code, &text) != CUPTI_SUCCESS)
    text = "unknown error";
  return ASSAY_FAIL(unavailable, std::string("CUPTI: ") + call + ": " + text + " (" +
                                     std::to_string(static_cast<int>(code)) + ")");
}

}  // namespace assay::probes
