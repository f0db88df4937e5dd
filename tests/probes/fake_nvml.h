/* SPDX-FileCopyrightText: The Assay authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the fake NVML answers: exported as `fake_nvml`, for the test to set. */
#pragma once

struct fake_nvml_state {
  int init_code;          /* of nvmlInit_v2 */
  int device_code;        /* of looking for a device */
  int code;               /* of every other call */
  int field_code;         /* of a field within a call that succeeds */
  int field_type;         /* 1: u32, 3: u64 */
  int leaves_field_alone; /* succeeds and writes nothing */
  unsigned long long tx_bytes;
  unsigned long long rx_bytes;
  unsigned long long rx_bytes_a_read; /* that each reading adds */
  unsigned int generation;
  unsigned int width;
  unsigned long long throttle_mask;
  char asked_bus_id[32];
  int open_count; /* inits less shutdowns */
};
