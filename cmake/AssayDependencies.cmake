# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
# Every library that is not ours. ci/install names the Debian package of each.

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(CLI11 2 REQUIRED)
find_package(tl-expected 1 REQUIRED)
find_package(SQLite3 3.35 REQUIRED)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto)
# A history on a server; without it --history takes files alone.
find_package(PostgreSQL QUIET)
find_package(benchmark 1.7 REQUIRED)
