// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// CUPTI, as it is found where the program runs.
#pragma once

#include <string>

#include <cupti.h>

#include "runtime/telemetry/result.h"

namespace assay::probes {

/// The calls of CUPTI that the probe makes. Loaded once a process and never unloaded: the driver
/// keeps pointers into it.
/// Errors: unavailable: no libcupti.so.13, a function missing in it, or another version than the
/// one whose records this program was built to read.
struct cupti_library {
  decltype(&::cuptiGetVersion) get_version = nullptr;
  decltype(&::cuptiGetResultString) get_result_string = nullptr;
  decltype(&::cuptiSubscribe_v2) subscribe = nullptr;
  decltype(&::cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&::cuptiEnableCallback) enable_callback = nullptr;
  decltype(&::cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&::cuptiActivityEnable) enable = nullptr;
  decltype(&::cuptiActivityDisable) disable = nullptr;
  decltype(&::cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&::cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&::cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
  decltype(&::cuptiGetTimestamp) get_timestamp = nullptr;
  decltype(&::cuptiGetCallbackName) get_callback_name = nullptr;
  decltype(&::cuptiActivityPushExternalCorrelationId) push_id = nullptr;
  decltype(&::cuptiActivityPopExternalCorrelationId) pop_id = nullptr;
  decltype(&::cuptiActivityEnableCudaEventDeviceTimestamps) enable_event_times = nullptr;
  decltype(&::cuptiActivityEnableDriverApi) enable_driver_call = nullptr;
  decltype(&::cuptiActivitySetAttribute) set_attribute = nullptr;

  static result<const cupti_library*> load();

  /// A call's failure as an error: text of the call, CUPTI's sentence.
  result<void> attempt(CUptiResult code, const char* call) const;
};

}  // namespace assay::probes
