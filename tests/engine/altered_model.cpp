// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/altered_model.h"

#include "tests/engine/reference_file.h"

namespace assay::engine_test {

double difference_with(const std::filesystem::path& folder, const std::string& ids,
                       const std::string& logits, const alteration& alter) {
  const reference_file reference(folder / "reference.safetensors");
  running_engine engine(folder, alter);
  const auto got = expect(engine->forward(reference.ids(ids)));
  const auto& want = reference.reals(logits);
  return relative_difference(std::span(got.logits).last(want.size()), want);
}

double tiny_difference(const std::string& name, const alteration& alter) {
  return difference_with(tiny(name), "input_ids", "logits_last32", alter);
}

}  // namespace assay::engine_test
