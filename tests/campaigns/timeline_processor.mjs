// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// timeline_processor.mjs ENGINE TIMELINE: what Perfetto's own trace processor, the parser behind
// ui.perfetto.dev, reads out of a timeline, as JSON. ENGINE: a folder with its WebAssembly and the
// scripts that speak to it, as npm has them. The scripts are of a worker in a browser: what they ask
// their scope for is put into this one, and nothing of theirs is changed.
import fs from 'node:fs';
import path from 'node:path';
import url from 'node:url';
import vm from 'node:vm';

const [engine_folder, timeline] = process.argv.slice(2);
const in_engine = name => path.resolve(engine_folder, name);

class FileRequest {
  open(_, name) { this.name = name; }
  send() {
    const bytes = fs.readFileSync(in_engine(path.basename(this.name)));
    this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    this.status = 200;
    this.onload?.();
  }
}

const started = async () => {
  const { EngineBase } = await import(url.pathToFileURL(in_engine('engine.mjs')).href);
  Object.assign(globalThis, {
    self: globalThis, location: { href: url.pathToFileURL(in_engine('.')).href + '/' },
    WorkerGlobalScope: class {}, XMLHttpRequest: FileRequest,
  });
  globalThis.fetch = async name => new Response(fs.readFileSync(in_engine(path.basename(name))),
                                                { headers: { 'Content-Type': 'application/wasm' } });
  const warnings = [];
  console.warn = (...words) => warnings.push(words.map(String).join(' '));
  vm.runInThisContext(fs.readFileSync(in_engine('engine_bundle.node.js'), 'utf8'));
  const { port1, port2 } = new MessageChannel();
  class Engine extends EngineBase {
    rpcSendRequestBytes(bytes) { port2.postMessage(bytes); }
  }
  const made = new Engine();
  port2.onmessage = message => made.onRpcResponseBytes(message.data);
  globalThis.onmessage({ data: port1 });
  return { made, warnings, close: () => port2.close() };
};

const { made, warnings, close } = await started();
const rows_of = async sql => {
  const result = await made.query(sql);
  if (result.error()) throw new Error(`${sql}: ${result.error()}`);
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next())
    rows.push(result.columns().map(name => typeof row.get(name) === 'bigint' ? Number(row.get(name))
                                                                              : row.get(name)));
  return rows;
};

const bytes = fs.readFileSync(timeline);
const part_bytes = 16 << 20;
const before_ms = performance.now();
for (let at = 0; at < bytes.length; at += part_bytes)
  await made.parse(new Uint8Array(bytes.subarray(at, at + part_bytes)));
await made.notifyEof();
const told = {
  load_ms: performance.now() - before_ms,
  // Whatever the parser could not place: a slice that does not nest, an end without a begin, an
  // arrow in no slice.
  complaints: await rows_of("select name, severity, value from stats where value != 0 and severity != 'info'"),
  infos: await rows_of("select name, value from stats where value != 0 and severity = 'info'"),
  processes: await rows_of('select pid, name from process where name is not null order by pid'),
  slices: await rows_of(`select p.pid, t.tid, t.name, s.name, count(*), min(s.dur), sum(s.dur), max(s.depth)
                         from slice s join thread_track k on s.track_id = k.id join thread t using (utid)
                         join process p using (upid) group by 1, 2, 3, 4 order by 1, 2, 4`),
  elsewhere: await rows_of(`select k.type, s.name, count(*) from slice s join track k on s.track_id = k.id
                            where k.id not in (select id from thread_track) group by 1, 2 order by 1, 2`),
  counters: await rows_of(`select k.name, count(*), max(c.value) from counter c join counter_track k
                           on c.track_id = k.id group by 1 order by 1`),
  flows: await rows_of(`select a.name, b.name, count(*) from flow f join slice a on f.slice_out = a.id
                        join slice b on f.slice_in = b.id group by 1, 2 order by 1, 2`),
  arguments: await rows_of(`select s.name, g.key, count(*), sum(coalesce(g.int_value, 0)) from slice s
                            join args g using (arg_set_id) group by 1, 2 order by 1, 2`),
  warnings,
};
close();
process.stdout.write(JSON.stringify(told, null, 1) + '\n');
