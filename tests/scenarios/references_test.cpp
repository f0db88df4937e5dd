// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a reference could carry the wrong relation, source or bound: too wide, and a
// lie passes; too narrow, and a busy machine accuses an honest counter.
#include "harness/cli/references.h"

#include <gtest/gtest.h>

#include <bit>
#include <optional>

#include "scenarios/embedded.h"

namespace assay::cli {
namespace {

using id = telemetry::counter_id;
using telemetry::range;

// The one reference of that counter, source and relation.
std::optional<std::int64_t> value_of(const std::vector<reference_value>& from, id counter,
                                     assay_source source, assay_relation relation) {
  std::optional<std::int64_t> found;
  for (const reference_value& each : from) {
    if (each.counter != counter || each.source != source || each.relation != relation) continue;
    EXPECT_FALSE(found.has_value()) << "said twice";
    found = each.bits;
  }
  return found;
}

double real_of(const std::optional<std::int64_t>& bits) {
  return bits ? std::bit_cast<double>(*bits) : -1.0;
}

assay_record copy(range of, std::int64_t start_ns, std::int64_t end_ns, std::int64_t bytes) {
  assay_record record{};
  record.kind = ASSAY_ACTIVITY;
  record.op = ASSAY_OP_COPY;
  record.range = static_cast<std::uint16_t>(of);
  record.start_ns = start_ns;
  record.end_ns = end_ns;
  record.amount = bytes;
  return record;
}

// A prompt of 8 ids and 2 decode steps: three logits copies, 40 us from the first to the last.
request_evidence made_up_request() {
  request_evidence seen;
  seen.model = scenarios::read_model_shape(scenarios::embedded_checkpoint()).value();
  seen.cache = {2048, 16};
  seen.prompt_ids = 8;
  seen.received_ids = 3;
  seen.asked_steps = 2;
  seen.text_bytes = 11;
  seen.vocabulary_bytes = 11;
  seen.pages_by_walk = 1;
  seen.prefill = {1'000'000, 1'060'000};
  seen.decode_steps_ns = 39'000;
  seen.first_to_last_token_ns = 41'000;
  seen.prefill_input_bytes = 32;
  seen.prefill_busy_ns = 50'000;
  seen.decode_busy_ns = 30'000;
  seen.prefill_caller = {20'000, 700, 90, 5, 45'000};
  seen.decode_caller = {10'000, 3000, 400, 60};
  seen.activity.take({{copy(range::inputs, 1'000'100, 1'000'200, 32),
                       copy(range::logits, 1'049'000, 1'050'000, 8192),
                       copy(range::inputs, 1'060'100, 1'060'200, 4),
                       copy(range::logits, 1'069'000, 1'070'000, 8192),
                       copy(range::inputs, 1'080'100, 1'080'200, 4),
                       copy(range::logits, 1'089'000, 1'090'000, 8192)}});
  return seen;
}

TEST(References, of_a_request_say_what_each_source_saw) {
  const auto said = references_of(made_up_request());
  const auto exact = [&](id counter, assay_source source) {
    return value_of(said, counter, source, ASSAY_EQUAL);
  };
  EXPECT_EQ(exact(id::engine_prompt_tokens, ASSAY_SOURCE_LEDGER), 8);
  EXPECT_EQ(exact(id::engine_prompt_tokens, ASSAY_SOURCE_CONTENT), 8);
  EXPECT_EQ(exact(id::engine_prompt_tokens, ASSAY_SOURCE_DEVICE_RECORDS), 8);
  EXPECT_EQ(exact(id::engine_generated_tokens, ASSAY_SOURCE_CONTENT), 3);
  EXPECT_EQ(exact(id::engine_generated_tokens, ASSAY_SOURCE_DEVICE_RECORDS), 3);
  EXPECT_EQ(exact(id::engine_decode_steps_count, ASSAY_SOURCE_CONTENT), 2);
  EXPECT_EQ(exact(id::engine_decode_steps_count, ASSAY_SOURCE_DEVICE_RECORDS), 2);
  EXPECT_EQ(exact(id::engine_requests_count, ASSAY_SOURCE_CONTENT), 1);
  EXPECT_EQ(exact(id::sampling_draws_count, ASSAY_SOURCE_LEDGER), 3);
  EXPECT_EQ(exact(id::sampling_candidates_count, ASSAY_SOURCE_LEDGER), 3 * 2048);
  EXPECT_EQ(exact(id::sampling_candidates_count, ASSAY_SOURCE_DEVICE_RECORDS), 3 * 2048);
  EXPECT_EQ(exact(id::kv_allocated_pages, ASSAY_SOURCE_CONTENT), 1);
  EXPECT_EQ(exact(id::kv_freed_pages, ASSAY_SOURCE_CONTENT), 1);
  EXPECT_EQ(exact(id::kv_append_bytes, ASSAY_SOURCE_LEDGER), 10 * 4096);
  EXPECT_EQ(exact(id::tokenizer_decoded_tokens, ASSAY_SOURCE_DEVICE_RECORDS), 3);
  EXPECT_EQ(exact(id::tokenizer_decoded_bytes, ASSAY_SOURCE_CONTENT), 11);
  EXPECT_EQ(exact(id::tokenizer_decoded_bytes, ASSAY_SOURCE_LEDGER), 11);
  EXPECT_EQ(exact(id::device_submissions_count, ASSAY_SOURCE_DEVICE_RECORDS), 6);
}

TEST(References, name_the_records_that_they_rest_on) {
  const auto rests_on = [](id counter) {
    for (const reference_value& each : references_of(made_up_request()))
      if (each.counter == counter && each.source == ASSAY_SOURCE_DEVICE_RECORDS)
        return each.rests_on;
    return range::sentinel;
  };
  EXPECT_EQ(rests_on(id::engine_prompt_tokens), range::inputs);
  EXPECT_EQ(rests_on(id::engine_decode_steps_count), range::inputs);
  EXPECT_EQ(rests_on(id::sampling_draws_count), range::logits);
  EXPECT_EQ(rests_on(id::tokenizer_decoded_tokens), range::logits);
  EXPECT_EQ(rests_on(id::device_submissions_count), range::any);
}

// The harness's stamps come after the engine's, the device's before them: a hold-up at the first
// token shortens the one and lengthens the other.
TEST(References, give_each_end_of_an_interval_its_own_allowance) {
  const auto said = references_of(made_up_request());
  const auto bound = [&](id counter, assay_source source, assay_relation relation) {
    return value_of(said, counter, source, relation);
  };
  const auto harness = ASSAY_SOURCE_HOST_SPAN;
  const auto device = ASSAY_SOURCE_DEVICE_RECORDS;
  EXPECT_EQ(bound(id::engine_itl_ns, harness, ASSAY_AT_LEAST), 41'000 - (3000 + 60));
  EXPECT_EQ(bound(id::engine_itl_ns, harness, ASSAY_AT_MOST), 41'000 + (700 + 5));
  // The harness's next stamps come 10 and 11 us behind the device's: longer than what the accounts
  // tell, and so the bound.
  EXPECT_EQ(bound(id::engine_itl_ns, device, ASSAY_AT_LEAST), 40'000 - 10'000);
  EXPECT_EQ(bound(id::engine_itl_ns, device, ASSAY_AT_MOST), 40'000 + 11'000);
  const auto rate = [&](assay_source source, assay_relation relation) {
    return real_of(bound(id::engine_decode_tokens_per_s, source, relation));
  };
  EXPECT_DOUBLE_EQ(rate(harness, ASSAY_AT_LEAST), 2e9 / 41'705);
  EXPECT_DOUBLE_EQ(rate(harness, ASSAY_AT_MOST), 2e9 / 37'940);
  EXPECT_DOUBLE_EQ(rate(device, ASSAY_AT_LEAST), 2e9 / 51'000);
  EXPECT_DOUBLE_EQ(rate(device, ASSAY_AT_MOST), 2e9 / 30'000);
}

// A GPU stamps its records by a clock of its own: only the accounts tell how far behind they are.
TEST(References, of_a_gpu_hold_no_stamp_of_the_harness_against_the_devices) {
  request_evidence seen = made_up_request();
  seen.on = telemetry::device_class::cuda;
  seen.mode.is_sampled = true;
  const auto said = references_of(seen);
  const auto device = ASSAY_SOURCE_DEVICE_RECORDS;
  EXPECT_EQ(value_of(said, id::engine_itl_ns, device, ASSAY_AT_LEAST), 40'000 - (700 + 5 + 90));
  EXPECT_EQ(value_of(said, id::engine_itl_ns, device, ASSAY_AT_MOST), 40'000 + (3000 + 60 + 400));
}

// 3 ms that a hypervisor took within a tick, between the device's first logits and the engine's
// stamp of the first token: one honest run of 300 was called wrong for it.
TEST(References, bound_a_hold_up_that_is_in_nobodys_account) {
  request_evidence seen = made_up_request();
  seen.prefill.end_ns += 3'000'000;
  const auto said = references_of(seen);
  EXPECT_EQ(value_of(said, id::engine_itl_ns, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_AT_LEAST), 0);
}

TEST(References, enclose_what_the_harness_itself_bracketed) {
  request_evidence seen = made_up_request();
  seen.prefill.end_ns += 400'000;
  seen.decode_steps_ns += 400'000;
  const auto said = references_of(seen);
  const auto harness = ASSAY_SOURCE_HOST_SPAN;
  EXPECT_EQ(value_of(said, id::engine_ttft_ns, harness, ASSAY_AT_LEAST), 460'000 - 705 - 200'000);
  EXPECT_EQ(value_of(said, id::engine_ttft_ns, harness, ASSAY_AT_MOST), 460'000);
  EXPECT_EQ(value_of(said, id::engine_decode_step_ns, harness, ASSAY_AT_LEAST),
            439'000 - 3060 - 200'000);
  EXPECT_EQ(value_of(said, id::engine_decode_step_ns, harness, ASSAY_AT_MOST), 439'000);
  EXPECT_EQ(value_of(said, id::engine_ttft_ns, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_AT_LEAST),
            50'000);
  EXPECT_EQ(value_of(said, id::engine_ttft_ns, ASSAY_SOURCE_PROCESS, ASSAY_AT_MOST),
            20'000 + 700 + 90 + 5 + 45'000 + 1'000'000);
  EXPECT_EQ(value_of(said, id::sampling_host_ns, harness, ASSAY_AT_MOST), 460'000 + 439'000);
}

TEST(References, of_a_request_without_steps_say_nothing_of_steps) {
  request_evidence seen = made_up_request();
  seen.asked_steps = 0;
  seen.received_ids = 1;
  for (const reference_value& each : references_of(seen)) {
    EXPECT_NE(each.counter, id::engine_itl_ns);
    EXPECT_NE(each.counter, id::engine_decode_step_ns);
    EXPECT_NE(each.counter, id::engine_decode_tokens_per_s);
  }
}

// Malformed bytes come out as U+FFFD: three bytes for one to three.
TEST(References, bound_the_bytes_of_text_that_was_mended) {
  request_evidence seen = made_up_request();
  seen.text_bytes = 15;
  seen.is_text_mended = true;
  const auto said = references_of(seen);
  const auto of = [&](assay_relation relation) {
    return value_of(said, id::tokenizer_decoded_bytes, ASSAY_SOURCE_LEDGER, relation);
  };
  EXPECT_EQ(of(ASSAY_EQUAL), std::nullopt);
  EXPECT_EQ(of(ASSAY_AT_LEAST), 11);
  EXPECT_EQ(of(ASSAY_AT_MOST), 33);
}

TEST(References, of_an_encode_use_the_vocabulary_only_for_text_that_stays_as_it_is) {
  encode_evidence seen;
  seen.text_bytes = 17;
  seen.vocabulary_bytes = 16;
  seen.ids = 10;
  const auto ledger = [](const encode_evidence& of) {
    return value_of(references_of(of), id::tokenizer_encoded_bytes, ASSAY_SOURCE_LEDGER,
                    ASSAY_EQUAL);
  };
  EXPECT_EQ(ledger(seen), std::nullopt);
  seen.is_text_normal = true;
  EXPECT_EQ(ledger(seen), 16);
}

// An interrupt that hits beside the call is CPU time of the thread all the same, and what a
// hypervisor takes within a tick is nobody's.
TEST(References, of_the_encodes_time_accuse_nobody_of_time_that_no_account_tells) {
  encode_time_evidence seen;
  seen.calls = 1;
  seen.span_ns = 90'000;
  seen.cpu_ns = 130'000;
  seen.around_ns = 50'000;
  seen.caller = {89'000, 999, 0, 0};
  const auto said = references_of(seen);
  const auto time = [&](assay_relation relation) {
    return value_of(said, id::tokenizer_encode_ns, ASSAY_SOURCE_PROCESS, relation);
  };
  EXPECT_EQ(time(ASSAY_AT_LEAST), 0) << "an interruption's worth of account is no floor";
  EXPECT_EQ(time(ASSAY_AT_MOST), std::nullopt) << "the accounts do not explain the harness's span";
}

TEST(References, of_an_encode_are_the_text_its_ids_and_what_the_oracle_made_of_it) {
  encode_evidence seen;
  seen.text_bytes = 17;
  seen.ids = 11;
  seen.oracle_ids = 10;
  const auto said = references_of(seen);
  const auto tokens = [&](assay_source source) {
    return value_of(said, id::tokenizer_encoded_tokens, source, ASSAY_EQUAL);
  };
  EXPECT_EQ(tokens(ASSAY_SOURCE_CONTENT), 11);
  EXPECT_EQ(tokens(ASSAY_SOURCE_ORACLE), 10);
}

TEST(References, of_the_encodes_time_bound_it_from_both_sides) {
  encode_time_evidence seen;
  seen.calls = 3;
  seen.span_ns = 900'000;
  seen.cpu_ns = 880'000;
  seen.around_ns = 600;
  seen.caller = {899'000, 2000, 0, 0};
  const auto said = references_of(seen);
  const auto time = [&](assay_source source, assay_relation relation) {
    return value_of(said, id::tokenizer_encode_ns, source, relation);
  };
  EXPECT_EQ(time(ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_LEAST), 900'000 - 2000 - 2 * 2000 - 200'000);
  EXPECT_EQ(time(ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST), 900'000);
  EXPECT_EQ(time(ASSAY_SOURCE_PROCESS, ASSAY_AT_LEAST), (880'000 - 600 - 200'000) / 2);
  EXPECT_EQ(time(ASSAY_SOURCE_PROCESS, ASSAY_AT_MOST), 901'000);
}

TEST(References, of_a_load_take_the_cache_from_what_the_arena_granted) {
  load_evidence seen;
  seen.model = scenarios::read_model_shape(scenarios::embedded_checkpoint()).value();
  seen.cache = {2048, 16};
  seen.stat_file_bytes = 6'956'864;
  seen.arena_bytes = 37'639'168;
  seen.weights.copies = 46;
  seen.weights.busy_ns = 900;
  seen.operations = 48;
  seen.span = {0, 305'000};
  seen.caller = {303'000, 200, 10, 0, 800};
  const auto said = references_of(seen);
  EXPECT_EQ(value_of(said, id::kv_capacity_pages, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL), 128);
  EXPECT_EQ(value_of(said, id::checkpoint_tensor_bytes, ASSAY_SOURCE_CONTENT, ASSAY_EQUAL),
            6'951'936);
  EXPECT_EQ(
      value_of(said, id::checkpoint_unused_tensors_count, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL),
      0);
  EXPECT_EQ(value_of(said, id::checkpoint_load_ns, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_LEAST),
            305'000 - 200 - 200'000);
  EXPECT_EQ(value_of(said, id::weights_h2d_ns, ASSAY_SOURCE_LEDGER, ASSAY_AT_LEAST), std::nullopt)
      << "nobody measured a ceiling";
  seen.copy_ceiling_bytes_per_s = 2e9;
  EXPECT_EQ(value_of(references_of(seen), id::weights_h2d_ns, ASSAY_SOURCE_LEDGER, ASSAY_AT_LEAST),
            6'951'936 / 2);
  EXPECT_EQ(value_of(said, id::checkpoint_load_ns, ASSAY_SOURCE_PROCESS, ASSAY_AT_MOST),
            303'000 + 200 + 10 + 800 + 1'000'000);
  // What came from a disk kept the caller waiting in a way that no account tells.
  seen.major_faults_count = 1;
  EXPECT_EQ(
      value_of(references_of(seen), id::checkpoint_load_ns, ASSAY_SOURCE_PROCESS, ASSAY_AT_MOST),
      std::nullopt);
}

TEST(References, of_a_load_bound_its_bytes_by_what_crossed_the_link_where_that_tells) {
  load_evidence seen;
  seen.model = scenarios::read_model_shape(scenarios::embedded_checkpoint()).value();
  seen.cache = {2048, 16};
  const auto bound = [&](assay_relation relation) {
    return value_of(references_of(seen), id::weights_h2d_bytes, ASSAY_SOURCE_NVML, relation);
  };
  EXPECT_EQ(bound(ASSAY_AT_MOST), std::nullopt) << "nobody counted";
  seen.link_bytes = (std::uint64_t{256} << 20) - 1;
  EXPECT_EQ(bound(ASSAY_AT_MOST), std::nullopt) << "too few to tell";
  EXPECT_EQ(bound(ASSAY_AT_LEAST), std::nullopt);
  seen.link_bytes = 1'300'000'000;
  EXPECT_EQ(bound(ASSAY_AT_MOST), 1'326'000'000);
  EXPECT_EQ(bound(ASSAY_AT_LEAST), 1'000'000'000 - (64 << 20));
}

TEST(References, of_levels_compare_the_context_with_what_was_appended) {
  const auto model = scenarios::read_model_shape(scenarios::embedded_checkpoint()).value();
  request_evidence seen;
  seen.model = model;
  seen.cache = {2048, 16};
  assay_record appended{};
  appended.kind = ASSAY_ACTIVITY;
  appended.op = ASSAY_OP_COPY;
  appended.range = static_cast<std::uint16_t>(telemetry::range::kv_append);
  appended.amount = 17 * 4096;
  activity_tally activity;
  activity.take({&appended, 1});
  const auto said = references_of_levels(seen, activity, 17, {2, 0});
  EXPECT_EQ(value_of(said, id::kv_live_pages, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL), 2);
  EXPECT_EQ(value_of(said, id::kv_live_pages, ASSAY_SOURCE_CONTENT, ASSAY_EQUAL), 2);
  EXPECT_EQ(value_of(said, id::engine_context_tokens, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL),
            17);
}

// Kernels of one call, as the driver recorded them.
void launch(activity_tally& to, std::uint64_t call, int kernels) {
  for (int i = 0; i < kernels; ++i) {
    assay_record record = copy(range::compute, 1'000'000, 1'000'001, 0);
    record.op = ASSAY_OP_LAUNCH;
    record.correlation = call;
    to.take({&record, 1});
  }
}

// On a GPU, by a pass: 38 calls, two products of which are two kernels; then two replays of 21.
request_evidence made_up_pass() {
  request_evidence seen = made_up_request();
  seen.on = telemetry::device_class::cuda;
  seen.prefill_input_bytes = 32 + 4 * (16 + 1) + 32;
  seen.activity.clear();
  for (std::uint64_t call = 1; call <= 38; ++call) launch(seen.activity, call, call < 3 ? 2 : 1);
  seen.prefill_launches = 40;
  seen.prefill_launch_calls = 38;
  for (const std::uint64_t call : {39U, 40U}) launch(seen.activity, call, 21);
  for (int i = 0; i < 3; ++i) {
    assay_record chosen = copy(range::choices, 1'050'000 + i * 20'000, 1'051'000 + i * 20'000, 4);
    chosen.correlation = static_cast<std::uint64_t>(50 + i);
    seen.activity.take({&chosen, 1});
  }
  seen.device_steps = 3;
  return seen;
}

TEST(References, of_a_pass_tell_its_calls_from_replays) {
  const request_evidence seen = made_up_pass();
  const auto said = references_of(seen);
  const auto exact = [&](id counter, assay_source source) {
    return value_of(said, counter, source, ASSAY_EQUAL);
  };
  EXPECT_EQ(exact(id::prefill_calls_count, ASSAY_SOURCE_LEDGER), 38);
  EXPECT_EQ(exact(id::prefill_calls_count, ASSAY_SOURCE_DEVICE_RECORDS), 38);
  EXPECT_EQ(exact(id::graph_replays_count, ASSAY_SOURCE_LEDGER), 2);
  EXPECT_EQ(exact(id::graph_replays_count, ASSAY_SOURCE_DEVICE_RECORDS), 2);
  EXPECT_EQ(exact(id::graph_replays_count, ASSAY_SOURCE_CONTENT), 2)
      << "the device counted the pass's head as well";
  EXPECT_EQ(exact(id::engine_prompt_tokens, ASSAY_SOURCE_DEVICE_RECORDS), 8);
  EXPECT_EQ(exact(id::engine_generated_tokens, ASSAY_SOURCE_DEVICE_RECORDS), 3);
  EXPECT_EQ(exact(id::compute_launches_count, ASSAY_SOURCE_LEDGER), std::nullopt);
  EXPECT_EQ(value_of(said, id::compute_launches_count, ASSAY_SOURCE_LEDGER, ASSAY_AT_LEAST),
            38 + 42);
  EXPECT_EQ(value_of(said, id::compute_launches_count, ASSAY_SOURCE_LEDGER, ASSAY_AT_MOST),
            38 + 16 + 42);
  EXPECT_EQ(value_of(references_of_levels(seen, seen.activity, 10, {1, 0}),
                     id::engine_context_tokens, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL),
            10);
}

// Token by token every call is a replay, and every kernel is known.
TEST(References, without_passes_have_a_replay_a_position) {
  request_evidence seen = made_up_pass();
  seen.mode.has_passes = false;
  seen.activity.clear();
  for (std::uint64_t call = 1; call <= 10; ++call) launch(seen.activity, call, 21);
  seen.prefill_launches = 8 * 21;
  seen.prefill_launch_calls = 8;
  seen.device_steps = 10;
  const auto said = references_of(seen);
  for (const assay_source source :
       {ASSAY_SOURCE_LEDGER, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_SOURCE_CONTENT})
    EXPECT_EQ(value_of(said, id::graph_replays_count, source, ASSAY_EQUAL), 10);
  EXPECT_EQ(value_of(said, id::compute_launches_count, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL), 210);
  EXPECT_EQ(value_of(said, id::prefill_calls_count, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL), 0);
}

TEST(References, of_drawn_ids_rest_on_logits) {
  request_evidence seen = made_up_pass();
  seen.mode.is_sampled = true;
  seen.activity.take({{copy(range::logits, 1'049'000, 1'050'000, 8192)}});
  const auto said = references_of(seen);
  EXPECT_EQ(value_of(said, id::engine_generated_tokens, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL),
            1);
  EXPECT_EQ(value_of(said, id::sampling_candidates_count, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL),
            2048);
  EXPECT_EQ(value_of(said, id::sampling_host_ns, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST),
            60'000 + 39'000);
}

}  // namespace
}  // namespace assay::cli
