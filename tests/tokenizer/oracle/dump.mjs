// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Writes FOLDER/VOCABULARY.vectors: texts with the ids that Hugging Face's own binding gives them,
// and ids with the text that it decodes them to, for tests/tokenizer/oracle_test.cpp.
//
//   node tests/tokenizer/oracle/dump.mjs FOLDER VOCABULARY [TEXTS [SEED [whole]]]
//
// whole: each scalar value also alone, and every run a megabyte.
//
// FOLDER is what ci/oracle fills. A record is: 'E' or 'D', the text's bytes as u32, the text, the
// count of ids as u32, the ids as i32; little-endian. 'E': the text encodes to the ids, what the
// post-processor adds included. 'D': the ids decode to the text, special tokens left out.
import {createRequire} from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

import {generator, lone_scalars, long_texts, scalar_texts, short_texts} from './texts.mjs';

const [folder, name, texts = '20000', seed = '1', extra = ''] = process.argv.slice(2);
if (!name) throw new Error('name the folder that ci/oracle fills, and a vocabulary');
const {Tokenizer} = createRequire(path.resolve(folder) + '/')('./tokenizers');
const file = path.join(folder, name, 'tokenizer.json');
const tokenizer = Tokenizer.fromFile(file);
const json = JSON.parse(fs.readFileSync(file, 'utf8'));
const added = json.added_tokens.map((token) => token.content);

const output = path.join(folder, name + '.vectors');
const out = fs.openSync(output + '.part', 'w');
let records = 0;
function write(kind, text, ids) {
  const head = Buffer.alloc(5), count = Buffer.alloc(4);
  head.write(kind, 0);
  head.writeUInt32LE(text.length, 1);
  count.writeUInt32LE(ids.length);
  fs.writeSync(out, Buffer.concat([head, text, count, Buffer.from(Int32Array.from(ids).buffer)]));
  records++;
}

// In batches: a call for each text costs more than the text.
async function dump(list, batch, decodes) {
  const flush = async (some) => {
    const ids = (await tokenizer.encodeBatch(some.map((t) => t.toString('utf8'))))
      .map((encoding) => encoding.getIds());
    some.forEach((text, i) => write('E', text, ids[i]));
    if (!decodes) return;
    const decoded = await tokenizer.decodeBatch(ids, true);
    decoded.forEach((text, i) => write('D', Buffer.from(text), ids[i]));
  };
  let some = [];
  for (const text of list) {
    some.push(text);
    if (some.length === batch) { await flush(some); some = []; }
  }
  if (some.length > 0) await flush(some);
}

async function dump_random_ids(count) {
  const g = generator(Number(seed) + 1);
  const size = tokenizer.getVocabSize(true);
  const special = json.added_tokens.map((token) => token.id);
  const bytes = Object.entries(json.model.vocab).filter(([text]) => [...text].length === 1)
    .map(([, id]) => id);
  const one = () => (g.below(8) ? g.below(3) ? g.below(size) : g.pick(bytes) : g.pick(special));
  const list = Array.from({length: count}, () => Array.from({length: 1 + g.below(12)}, one));
  (await tokenizer.decodeBatch(list, true)).forEach((text, i) =>
    write('D', Buffer.from(text), list[i]));
}

await dump(short_texts(Number(texts), Number(seed), added), 1000, true);
await dump_random_ids(Number(texts) / 4);
await dump(scalar_texts(512), 64, false);
await dump(long_texts(extra === 'whole' ? 1_000_000 : 50_000, Number(seed), added), 1, true);
if (extra === 'whole') await dump(lone_scalars(), 10000, true);
fs.closeSync(out);
fs.renameSync(output + '.part', output);
console.log(`${name}: ${records} records`);
