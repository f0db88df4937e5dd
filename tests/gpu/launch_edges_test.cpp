// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a launch could be taken for one that may begin early, or one that may for one that
// must wait: the audit's order of a stream rests on it.
#include <thread>

#include <gtest/gtest.h>

#include "probes/cupti/launch_edges.h"

namespace assay::test {
namespace {

using probes::launch_edges;

/// CUPTI's side: calls that it tells of, with arguments as they reach the API.
class LaunchEdges : public testing::Test {
 protected:
  LaunchEdges() {
    runtime_attribute_.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    runtime_attribute_.val.programmaticStreamSerializationAllowed = 1;
    runtime_config_.attrs = &runtime_attribute_;
    runtime_config_.numAttrs = 1;
    runtime_params_.config = &runtime_config_;
    driver_attribute_.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    driver_attribute_.value.programmaticStreamSerializationAllowed = 1;
    driver_config_.attrs = &driver_attribute_;
    driver_config_.numAttrs = 1;
    driver_params_.config = &driver_config_;
  }
  void runtime(CUpti_ApiCallbackSite site, std::uint32_t correlation) {
    CUpti_CallbackData call{};
    call.callbackSite = site;
    call.functionParams = &runtime_params_;
    call.correlationId = correlation;
    edges_.on_call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
                   call);
  }
  void driver(CUpti_ApiCallbackSite site, std::uint32_t correlation) {
    CUpti_CallbackData call{};
    call.callbackSite = site;
    call.functionParams = &driver_params_;
    call.correlationId = correlation;
    edges_.on_call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, call);
  }

  cudaLaunchAttribute runtime_attribute_{};
  cudaLaunchConfig_t runtime_config_{};
  cudaLaunchKernelExC_v11060_params runtime_params_{};
  CUlaunchAttribute driver_attribute_{};
  CUlaunchConfig driver_config_{};
  cuLaunchKernelEx_params driver_params_{};
  launch_edges edges_;
};

TEST_F(LaunchEdges, are_those_of_calls_that_asked_for_one_and_taken_once) {
  runtime(CUPTI_API_ENTER, 7);
  runtime(CUPTI_API_EXIT, 7);
  driver(CUPTI_API_ENTER, 8);
  driver(CUPTI_API_EXIT, 8);
  EXPECT_TRUE(edges_.take(7));
  EXPECT_FALSE(edges_.take(7));
  EXPECT_TRUE(edges_.take(8)) << "a library that launches past the runtime";
  runtime_attribute_.val.programmaticStreamSerializationAllowed = 0;
  driver_config_.numAttrs = 0;
  runtime(CUPTI_API_ENTER, 9);
  runtime(CUPTI_API_EXIT, 9);
  driver(CUPTI_API_ENTER, 10);
  EXPECT_FALSE(edges_.take(9));
  EXPECT_FALSE(edges_.take(10));
}

// The driver's part has an id that no kernel carries: noted, it would never be taken again.
TEST_F(LaunchEdges, of_a_call_of_the_runtime_are_not_those_of_the_drivers_part) {
  runtime(CUPTI_API_ENTER, 7);
  driver(CUPTI_API_ENTER, 8);
  driver(CUPTI_API_EXIT, 8);
  runtime(CUPTI_API_EXIT, 7);
  EXPECT_TRUE(edges_.take(7));
  EXPECT_FALSE(edges_.take(8));
}

TEST_F(LaunchEdges, of_a_call_that_made_another_are_still_not_the_drivers) {
  runtime(CUPTI_API_ENTER, 7);
  runtime(CUPTI_API_ENTER, 8);
  runtime(CUPTI_API_EXIT, 8);
  driver(CUPTI_API_ENTER, 9);
  driver(CUPTI_API_EXIT, 9);
  runtime(CUPTI_API_EXIT, 7);
  EXPECT_FALSE(edges_.take(9)) << "the outer call has not returned yet";
  driver(CUPTI_API_ENTER, 10);
  EXPECT_TRUE(edges_.take(10)) << "now it has";
}

TEST_F(LaunchEdges, outlast_an_end_whose_beginning_nobody_saw) {
  runtime(CUPTI_API_EXIT, 6);
  runtime(CUPTI_API_ENTER, 7);
  driver(CUPTI_API_ENTER, 8);
  runtime(CUPTI_API_EXIT, 7);
  EXPECT_TRUE(edges_.take(7));
  EXPECT_FALSE(edges_.take(8)) << "7 was under way";
}

TEST_F(LaunchEdges, of_one_thread_are_not_hidden_by_a_call_of_another) {
  runtime(CUPTI_API_ENTER, 7);
  std::thread([&] { driver(CUPTI_API_ENTER, 8); }).join();
  runtime(CUPTI_API_EXIT, 7);
  EXPECT_TRUE(edges_.take(8));
}

}  // namespace
}  // namespace assay::test
