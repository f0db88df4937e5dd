// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/process/condition_probe.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "probes/process/host_account.h"
#include "probes/process/kernel_text.h"
#include "probes/process/open_file.h"
#include "runtime/telemetry/clock.h"

namespace assay::probes {
namespace {

constexpr std::size_t head_bytes = 4096;
constexpr std::int64_t hz_per_khz = 1000;
constexpr std::int64_t kib_bytes = 1024;

using text_parser = std::function<result<std::int64_t>(std::string_view, const std::string&)>;

// Files whose numbers add up. Kept open: a sample is a read.
class summed_files {
 public:
  summed_files(const std::vector<std::string>& paths, text_parser take, std::string absence)
      : take_(std::move(take)), absence_(std::move(absence)) {
    for (const std::string& path : paths) {
      auto file = open_file::open(path);
      if (file && number(*file))
        files_.push_back(std::move(*file));
      else if (!file)
        absence_ += "; " + file.error().message;
    }
  }
  result<std::int64_t> read() const {
    if (files_.empty()) return ASSAY_FAIL(unavailable, absence_);
    std::int64_t total = 0;
    for (const open_file& each : files_) {
      ASSAY_TRY_ASSIGN(const std::int64_t more, number(each));
      if (__builtin_add_overflow(total, more, &total))
        return ASSAY_FAIL(unavailable, each.path() + ": more than can be counted in");
    }
    return total;
  }

 private:
  result<std::int64_t> number(const open_file& file) const {
    std::array<char, head_bytes> buffer;
    ASSAY_TRY_ASSIGN(const std::string_view text, file.read(buffer));
    return take_(text, file.path());
  }

  text_parser take_;
  std::string absence_;
  std::vector<open_file> files_;
};

result<std::string> head_of(const std::string& path) {
  ASSAY_TRY_ASSIGN(const open_file file, open_file::open(path));
  std::array<char, head_bytes> buffer;
  ASSAY_TRY_ASSIGN(const std::string_view text, file.read(buffer));
  return std::string(text);
}

condition_reader one_file(const std::string& path, text_parser take) {
  auto file = std::make_shared<result<open_file>>(open_file::open(path));
  return [file, take = std::move(take)]() -> result<std::int64_t> {
    if (!*file) return failure((*file).error());
    std::array<char, head_bytes> buffer;
    ASSAY_TRY_ASSIGN(const std::string_view text, (*file)->read(buffer));
    return take(text, (*file)->path());
  };
}

condition_reader many_files(const std::vector<std::string>& paths, text_parser take,
                            std::string absence) {
  auto files = std::make_shared<summed_files>(paths, std::move(take), std::move(absence));
  return [files] { return files->read(); };
}

result<cpu_set_t> allowed_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return ASSAY_FAIL(unavailable,
                      "sched_getaffinity: refused; a machine with more than 1024 cores needs a "
                      "larger mask");
  return allowed;
}

// Of each core, and of each package once: all of its cores show the same count.
std::vector<std::string> thermal_files(const std::string& sys) {
  std::vector<std::string> files;
  std::vector<std::int64_t> packages;
  const auto allowed = allowed_cores();
  for (std::size_t core = 0; allowed && core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &*allowed)) continue;
    const std::string folder = sys + "/devices/system/cpu/cpu" + std::to_string(core);
    files.push_back(folder + "/thermal_throttle/core_throttle_count");
    // A machine without them is told by one sentence, not by one a core.
    if (files.size() == 1 && !open_file::open(files.front())) return files;
    const std::string named = folder + "/topology/physical_package_id";
    const auto package =
        head_of(named).and_then([&](const std::string& text) { return parse_whole(text, named); });
    const std::int64_t id = package ? *package : -1;
    if (std::find(packages.begin(), packages.end(), id) != packages.end()) continue;
    packages.push_back(id);
    files.push_back(folder + "/thermal_throttle/package_throttle_count");
  }
  return files;
}

// A group is held back by the quota of each group around it, and each counts its own.
std::vector<std::string> group_files(const std::string& proc, const std::string& sys) {
  std::vector<std::string> files;
  const auto groups = head_of(proc + "/self/cgroup");
  const group_folders folders = groups ? parse_cgroup(*groups) : group_folders{};
  const std::string mount = sys + "/fs/cgroup";
  for (const std::string& each : folders.unified) files.push_back(mount + each + "/cpu.stat");
  for (const std::string& each : folders.cpu) files.push_back(mount + each + "/cpu.stat");
  std::erase_if(files, [](const std::string& each) { return access(each.c_str(), F_OK) != 0; });
  return files;
}

result<std::int64_t> own_usage(std::int64_t rusage::*field) {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0)
    return ASSAY_FAIL(unavailable, "getrusage of this process: refused");
  return usage.*field;
}

text_parser count_in(std::int64_t scale) {
  return [scale](std::string_view text, const std::string& from) {
    return parse_whole(text, from, scale);
  };
}

// One number of what a text says.
template <class Parsed>
text_parser field_of(result<Parsed> (*take)(std::string_view, const std::string&),
                     std::int64_t Parsed::*field) {
  return [take, field](std::string_view text, const std::string& from) {
    return take(text, from).map([field](const Parsed& seen) { return seen.*field; });
  };
}

void add_clocks(condition_probe& to, const std::string& sys) {
  to.add(ASSAY_CORE_CLOCK_CPUFREQ, [sys]() -> result<std::int64_t> {
    const std::string path = sys + "/devices/system/cpu/cpu" + std::to_string(sched_getcpu()) +
                             "/cpufreq/scaling_cur_freq";
    const auto text = head_of(path);
    if (!text)
      return ASSAY_FAIL(
          unavailable, "no frequency driver exposes a core's clock, as in most virtual machines; " +
                           text.error().message);
    return parse_whole(*text, path, hz_per_khz);
  });
  to.add(ASSAY_THERMAL_THROTTLES,
         many_files(thermal_files(sys), count_in(1),
                    "thermal throttle counts are not exposed on this machine"));
}

void add_throttling(condition_probe& to, const std::string& proc, const std::string& sys) {
  const std::vector<std::string> groups = group_files(proc, sys);
  const std::string no_group = "no control group of this process counts how it was held back";
  to.add(
      ASSAY_GROUP_THROTTLES,
      many_files(groups, field_of(parse_cpu_stat, &group_throttling::throttles_count), no_group));
  to.add(ASSAY_GROUP_THROTTLED,
         many_files(groups, field_of(parse_cpu_stat, &group_throttling::throttled_ns), no_group));
  to.add(ASSAY_STOLEN_TIME, [proc]() -> result<std::int64_t> {
    ASSAY_TRY_ASSIGN(const std::int64_t ticks, steal_ticks(proc));
    const long ticks_per_s = sysconf(_SC_CLK_TCK);
    std::int64_t ns = 0;
    if (ticks_per_s <= 0 || ticks < 0 ||
        __builtin_mul_overflow(ticks, 1'000'000'000 / ticks_per_s, &ns))
      return ASSAY_FAIL(unavailable, proc + "/stat: stolen time that cannot be counted in");
    return ns;
  });
}

void add_load(condition_probe& to, const std::string& proc) {
  to.add(ASSAY_LOAD_AVERAGE,
         one_file(proc + "/loadavg", field_of(parse_loadavg, &load_reading::average_milli)));
  to.add(ASSAY_RUNNABLE_THREADS,
         one_file(proc + "/loadavg", field_of(parse_loadavg, &load_reading::runnable_count)));
  to.add(ASSAY_ALLOWED_CORES, [] {
    return allowed_cores().map([](const cpu_set_t& set) { return std::int64_t{CPU_COUNT(&set)}; });
  });
  to.add(ASSAY_LOST_CORES, [] { return own_usage(&rusage::ru_nivcsw); });
  to.add(ASSAY_MAJOR_FAULTS, [] { return own_usage(&rusage::ru_majflt); });
}

void add_pressure(condition_probe& to, const std::string& proc) {
  to.add(ASSAY_CORE_PRESSURE, one_file(proc + "/pressure/cpu", parse_pressure_ns));
  to.add(ASSAY_MEMORY_PRESSURE, one_file(proc + "/pressure/memory", parse_pressure_ns));
  to.add(ASSAY_AVAILABLE_MEMORY,
         one_file(proc + "/meminfo", [](std::string_view text, const std::string& from) {
           return parse_keyed(text, "MemAvailable", from, kib_bytes);
         }));
}

}  // namespace

void condition_probe::add(assay_condition which, condition_reader read) {
  sources_.push_back({which, std::move(read)});
}

result<void> condition_probe::sample(trace::sink& to) {
  std::vector<assay_record> batch;
  batch.reserve(sources_.size());
  for (source& each : sources_) {
    const auto value = each.read();
    if (value)
      batch.push_back(trace::condition_record(each.which, host_now().ns, *value));
    else if (!each.is_seen)
      each.reason = value.error().message;
    each.is_seen = each.is_seen || value;
  }
  return batch.empty() ? result<void>{} : to.records(batch);
}

std::vector<trace::absent_condition> condition_probe::absent() const {
  std::vector<trace::absent_condition> out;
  for (const source& each : sources_)
    if (!each.is_seen)
      out.push_back({std::string(trace::condition_rows()[*trace::condition_index(
                                                             static_cast<std::uint8_t>(each.which))]
                                     .name),
                     each.reason.empty() ? "nobody looked" : each.reason});
  return out;
}

condition_probe condition_probe::of_host(const std::string& proc, const std::string& sys) {
  condition_probe made;
  add_clocks(made, sys);
  add_throttling(made, proc, sys);
  add_load(made, proc);
  add_pressure(made, proc);
  return made;
}

}  // namespace assay::probes
