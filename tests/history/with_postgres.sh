#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
# with_postgres.sh COMMAND…: runs COMMAND with ASSAY_TEST_POSTGRES, the URL of a server that lives as
# long as it does. 77 and a reason where no server is installed.
set -euo pipefail

binaries=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
if [[ -z $binaries ]]; then
  echo "skipped: no PostgreSQL server is installed (apt-get install postgresql)"
  exit 77
fi

room=$(mktemp -d /tmp/assay-postgres-XXXXXX)
# It refuses to run as root.
as_server=()
if [[ $EUID -eq 0 ]]; then
  chown postgres "$room"
  as_server=(runuser -u postgres --)
fi
stop() {
  server "$binaries/pg_ctl" --pgdata="$room/data" --mode=immediate --silent stop \
    >/dev/null 2>&1 || true
  rm -rf "$room"
}
trap stop EXIT

# Where the caller stands may be closed to the server's user.
server() { (cd "$room" && "${as_server[@]}" "$@"); }
server "$binaries/initdb" --pgdata="$room/data" --username=assay --auth=trust \
  --no-sync --encoding=UTF8 --locale=C >"$room/initdb.log" 2>&1 || {
  cat "$room/initdb.log"
  exit 1
}
server "$binaries/pg_ctl" --pgdata="$room/data" --silent --wait --log="$room/data/log" \
  --options="-k $room -c listen_addresses=''" start >/dev/null
ASSAY_TEST_POSTGRES="postgresql://assay@/postgres?host=$room" "$@"
