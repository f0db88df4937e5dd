/* SPDX-FileCopyrightText: The Assay authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A library with NVML's names. Built twice: whole, and with FAKE_NVML_IS_POOR without the functions
 * that a driver may lack and one that none lacks, by FAKE_NVML_LACKS_DEVICES. Its structs are
 * written out anew: a probe whose layout was wrong would not read them right. */
#include "tests/probes/fake_nvml.h"

#include <string.h>

struct fake_nvml_state fake_nvml;
static int device;

struct field_value { /* nvmlFieldValue_t */
  unsigned int field_id, scope_id;
  long long timestamp, latency_us;
  int value_type, nvml_return;
  union {
    double d;
    unsigned int ui;
    unsigned long long ull;
  } value;
};
struct memory { /* nvmlMemory_t */
  unsigned long long total, free, used;
};

int nvmlInit_v2(void) {
  if (fake_nvml.init_code == 0) ++fake_nvml.open_count;
  return fake_nvml.init_code;
}
int nvmlShutdown(void) {
  --fake_nvml.open_count;
  return 0;
}
const char* nvmlErrorString(int code) {
  return code == 3 ? "Not Supported" : code == 15 ? "GPU is lost" : "Unknown Error";
}
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void** into) {
  *into = &device;
  return index == 0 ? fake_nvml.device_code : 2;
}
#ifndef FAKE_NVML_LACKS_DEVICES
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** into) {
  strncpy(fake_nvml.asked_bus_id, bus_id, sizeof fake_nvml.asked_bus_id - 1);
  *into = &device;
  return fake_nvml.device_code;
}
#endif

static int number(const void* of, unsigned int* into, unsigned int value) {
  if (of != &device) return 2;
  if (fake_nvml.code == 0) *into = value;
  return fake_nvml.code;
}

/* Some drivers have only the older name. */
int nvmlDeviceGetCurrentClocksThrottleReasons(void* of, unsigned long long* into) {
  if (of != &device) return 2;
  if (fake_nvml.code == 0) *into = fake_nvml.throttle_mask;
  return fake_nvml.code;
}

#ifndef FAKE_NVML_IS_POOR
int nvmlDeviceGetCount_v2(unsigned int* into) {
  *into = 8;
  return fake_nvml.code;
}
int nvmlSystemGetDriverVersion(char* into, unsigned int bytes) {
  strncpy(into, "580.1.2", bytes);
  return fake_nvml.code;
}
int nvmlDeviceGetFieldValues(void* of, int count, struct field_value* values) {
  if (of != &device) return 2;
  for (int i = 0; i < count && !fake_nvml.leaves_field_alone; ++i) {
    const unsigned long long bytes = values[i].field_id == 197   ? fake_nvml.tx_bytes
                                     : values[i].field_id == 198 ? fake_nvml.rx_bytes
                                                                 : 0;
    if (values[i].field_id == 198) fake_nvml.rx_bytes += fake_nvml.rx_bytes_a_read;
    values[i].nvml_return = fake_nvml.field_code;
    values[i].value_type = fake_nvml.field_type;
    values[i].value.ull = 0xdeadbeef00000000; /* of 32 bits, the rest is anything */
    if (fake_nvml.field_type == 1)
      values[i].value.ui = (unsigned int)bytes;
    else
      values[i].value.ull = bytes;
  }
  return fake_nvml.code;
}
int nvmlDeviceGetCurrPcieLinkGeneration(void* of, unsigned int* into) {
  return number(of, into, fake_nvml.generation);
}
int nvmlDeviceGetMaxPcieLinkGeneration(void* of, unsigned int* into) {
  return number(of, into, 5);
}
int nvmlDeviceGetCurrPcieLinkWidth(void* of, unsigned int* into) {
  return number(of, into, fake_nvml.width);
}
int nvmlDeviceGetMaxPcieLinkWidth(void* of, unsigned int* into) {
  return number(of, into, 16);
}
int nvmlDeviceGetClockInfo(void* of, int which, unsigned int* into) {
  return number(of, into, which == 1 ? 1980 : which == 2 ? 3201 : 7);
}
int nvmlDeviceGetTemperature(void* of, int sensor, unsigned int* into) {
  return number(of, into, sensor == 0 ? 64 : 7);
}
int nvmlDeviceGetPowerUsage(void* of, unsigned int* into) {
  return number(of, into, 412345);
}
int nvmlDeviceGetMemoryInfo(void* of, struct memory* into) {
  if (of != &device) return 2;
  if (fake_nvml.code == 0) *into = (struct memory){1000, 400, 600};
  return fake_nvml.code;
}
#endif
