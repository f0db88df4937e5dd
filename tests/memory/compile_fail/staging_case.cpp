// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A staging region whose copy may still run must not come back: each ASSAY_BREAK_… is a way in
// which one could, and none of them compiles.
#include <utility>

#include "runtime/memory/staging_ring.h"

namespace assay::memory {

result<void> pass_through(staging_ring& ring, completion_source& proofs, device::event reader,
                          device::stream writer) {
  staging_lease lease = std::move(*ring.lease(64));
  lease.read_until(reader);
#if defined(ASSAY_BREAK_given_back_without_proof)
  ring.give_back(std::move(lease));
#elif defined(ASSAY_BREAK_proof_made_up)
  ring.give_back(std::move(lease), completion(reader));
#elif defined(ASSAY_BREAK_quiescence_made_up)
  ring.clear(quiescence());
#elif defined(ASSAY_BREAK_lease_copied)
  const staging_lease twice = lease;
#endif
  ASSAY_TRY_ASSIGN(const completion proof, proofs.order(reader, writer));
  ring.give_back(std::move(lease), proof);
  return {};
}

}  // namespace assay::memory
