// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The runtime's own product, launched on its own device as a prefill launches it.
#include <cstring>
#include <string>
#include <utility>

#include "runtime/device/host_device.h"
#include "runtime/ops/isa.h"
#include "runtime/ops/multiply.h"
#include "tests/campaigns/product.h"

namespace assay::campaigns {
namespace {

struct product_arguments {
  ops::weight w;
  const float* x;
  float* out;
  std::uint32_t tokens;
};

void product_body(const product_arguments& a, device::block_context& context) {
  ops::multiply(a.w, ops::rows_at(a.w, context.block, a.tokens), a.x, a.tokens, a.out,
                ops::into::store, context);
}

class own_product final : public product {
 public:
  own_product(const product_problem& of, ops::isa set, std::unique_ptr<device::host_device> on,
              device::stream stream)
      : of_(of),
        set_(set),
        device_(std::move(on)),
        stream_(stream),
        weights_(of.weights.size_bytes() * of.copies) {
    for (std::uint32_t copy = 0; copy < of.copies; ++copy)
      std::memcpy(at(copy), of.weights.data(), of.weights.size_bytes());
  }

  // Neither call can fail: the stream is the device's, and the kernel has blocks.
  void run(float* out, int calls) override {
    ops::limit_isa(set_);
    for (int i = 0; i < calls; ++i) {
      const ops::weight w{at(next_), of_.rows, of_.columns, checkpoint::dtype::bf16};
      next_ = (next_ + 1) % of_.copies;
      const auto what = device::kernel::bind<product_arguments, product_body>(
          "product", {w, of_.x.data(), out, of_.tokens}, ops::blocks_of(w, of_.tokens));
      static_cast<void>(device_->launch(stream_, what));
    }
    static_cast<void>(device_->synchronize(stream_));
  }

  double bytes() const override {
    return static_cast<double>(of_.weights.size_bytes() + of_.x.size_bytes()) +
           4.0 * of_.tokens * of_.rows;
  }

 private:
  std::byte* at(std::uint32_t copy) const {
    return weights_.as<std::byte>() + copy * of_.weights.size_bytes();
  }

  product_problem of_;
  ops::isa set_;
  std::unique_ptr<device::host_device> device_;
  device::stream stream_;
  huge_block weights_;
  std::uint32_t next_ = 0;
};

template <ops::isa Set>
result<std::unique_ptr<product>> make(const product_problem& of, std::uint32_t threads) {
  if (ops::best_isa() < Set)
    return ASSAY_FAIL(
        unavailable, "this processor has no " + std::string(ops::to_string(Set)) + "; use another");
  ASSAY_TRY_ASSIGN(auto on, device::host_device::create({std::uint64_t{1} << 20, 20'000, threads}));
  ASSAY_TRY_ASSIGN(const device::stream stream, on->create_stream());
  return std::make_unique<own_product>(of, Set, std::move(on), stream);
}

}  // namespace

std::vector<product_maker> own_makers() {
  const product_maker best = ops::best_isa() == ops::isa::avx512
                                 ? product_maker{"ours", false, false, make<ops::isa::avx512>}
                                 : product_maker{"ours", false, false, make<ops::isa::avx2>};
  if (ops::best_isa() == ops::isa::portable)
    return {{"ours", false, false, make<ops::isa::portable>}};
  return {best,
          {"ours, AVX2", false, true, make<ops::isa::avx2>},
          {"ours, portable", false, true, make<ops::isa::portable>}};
}

}  // namespace assay::campaigns
