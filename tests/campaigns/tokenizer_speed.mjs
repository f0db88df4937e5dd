// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Our encode beside that of Hugging Face's binding, on the same texts in alternating pairs, as
// Markdown on standard output.
//
//   TOKENIZERS_PARALLELISM=false node tests/campaigns/tokenizer_speed.mjs FOLDER PROGRAM [PAIRS]
//
// FOLDER is what ci/oracle fills, PROGRAM is tokenizer_speed. Ours runs in a child that waits while
// the binding is measured. Of the binding only encode() is timed: reading the ids out of its result
// costs more, and is left out in its favour.
import {spawn} from 'node:child_process';
import {createRequire} from 'node:module';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

import {generator} from '../tokenizer/oracle/texts.mjs';

const [folder, program, pairs = '12'] = process.argv.slice(2);
const {BPE, Tokenizer} = createRequire(path.resolve(folder) + '/')('./tokenizers');
const VOCABULARIES = ['qwen3', 'llama3_1', 'gptoss'];
const TEXT_BYTES = 256 * 1024;
const SMALL_CALLS = 400;

const lines = (file) => fs.readFileSync(file, 'utf8').split('\n');
function files_under(root, ending) {
  return fs.readdirSync(root, {recursive: true}).map(String).filter((name) => name.endsWith(ending))
    .sort().map((name) => path.join(root, name));
}

// The lines of a source in an order of their own each time, so that no text comes twice.
function shuffled(g, list) {
  return () => {
    let out = '';
    while (out.length < TEXT_BYTES) out += g.pick(list) + '\n';
    return out;
  };
}

// Chinese and Japanese words of the vocabulary itself, in runs without spaces as they are written.
function cjk_words(json) {
  const bytes_of = new Map();
  let free = 256;
  for (let b = 0; b < 256; b++)
    bytes_of.set((b >= 33 && b <= 126) || (b >= 161 && b !== 173) ? b : free++, b);
  return Object.keys(json.model.vocab)
    .map((word) => Buffer.from([...word].map((c) => bytes_of.get(c.codePointAt(0)))).toString())
    .filter((word) => /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+$/u.test(word));
}

function sources(json) {
  const g = generator(7);
  const prose = ['README.md', 'CONTRIBUTING.md', ...files_under('docs', '.md')].flatMap(lines)
    .filter((line) => /^[A-Za-z].* .* /.test(line));
  const code = [...files_under('runtime', '.cpp'), ...files_under('harness', '.cpp')].flatMap(lines);
  const words = cjk_words(json);
  const cjk = Array.from({length: 5000}, () =>
    g.times(14, () => g.pick(words)) + g.pick(['，', '。', '、', '！', '：']));
  const spaces = Array.from({length: 5000}, () =>
    g.pick([' ', ' ', '\t', '\n', '\r\n', '\u3000']).repeat(1 + g.below(40)) + g.pick(['', 'x', '7']));
  const kinds = {prose: shuffled(g, prose), code: shuffled(g, code), CJK: shuffled(g, cjk),
                 'white space': shuffled(g, spaces)};
  const parts = Object.values(kinds);
  kinds.mixed = () => {
    let out = '';
    while (out.length < TEXT_BYTES) out += parts.map((part) => part().slice(0, 2048)).join('\n');
    return out;
  };
  return kinds;
}

// The first so many bytes, whole characters only.
const cut = (text, bytes) => new TextDecoder().decode(
  Buffer.from(text).subarray(0, bytes)).replace(/\ufffd+$/, '');

class Ours {
  constructor(file) {
    this.child = spawn(program, [file], {stdio: ['pipe', 'pipe', 'inherit']});
    this.answers = readline.createInterface({input: this.child.stdout})[Symbol.asyncIterator]();
    this.text_file = path.join(os.tmpdir(), `assay-speed-${process.pid}.txt`);
  }
  async answer() {
    const {value, done} = await this.answers.next();
    if (done) throw new Error('the program ended');
    return value.split(' ').map(Number);
  }
  take(text) {
    fs.writeFileSync(this.text_file, text);
    this.child.stdin.write(`text ${this.text_file}\n`);
  }
  async encode(calls) {
    this.child.stdin.write(`encode ${calls}\n`);
    const [wall, cpu, ids] = await this.answer();
    return {wall, cpu, ids};
  }
  end() { this.child.stdin.end(); fs.rmSync(this.text_file, {force: true}); }
}

async function binding_encode(tokenizer, text, calls) {
  const cpu_before = process.cpuUsage(), before = process.hrtime.bigint();
  let encoding;
  for (let i = 0; i < calls; i++) encoding = await tokenizer.encode(text);
  const wall = Number(process.hrtime.bigint() - before), cpu = process.cpuUsage(cpu_before);
  return {wall, cpu: (cpu.user + cpu.system) * 1000, ids: encoding.getLength()};
}

const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

// Pairs in the order ABBA; both see the same text, a new one for each pair.
async function compare(ours, theirs, next_text, calls) {
  const seen = [];
  for (let i = -2; i < Number(pairs); i++) {
    const text = next_text();
    ours.take(text);
    const sides = [() => ours.encode(calls), () => binding_encode(theirs, text, calls)];
    const order = i % 2 === 0 ? [0, 1] : [1, 0];
    const pair = [];
    for (const side of order) pair[side] = await sides[side]();
    if (pair[0].ids !== pair[1].ids) throw new Error('the two give different counts of ids');
    // The first two warm both up.
    if (i >= 0) seen.push({bytes: Buffer.byteLength(text) * calls, ours: pair[0], theirs: pair[1]});
  }
  return seen;
}

function row(name, seen) {
  const per_byte = (of, what) => median(seen.map((p) => p[of][what] / p.bytes)).toFixed(1);
  const ratio = (what) => seen.map((p) => p.theirs[what] / p.ours[what]);
  console.log(`| ${name} | ${per_byte('ours', 'wall')} | ${per_byte('theirs', 'wall')} | ` +
    `${median(ratio('wall')).toFixed(1)} | ${Math.min(...ratio('wall')).toFixed(1)} | ` +
    `${per_byte('ours', 'cpu')} | ${per_byte('theirs', 'cpu')} | ${median(ratio('cpu')).toFixed(1)} |`);
  const raw = seen.map((p) => `${Math.round(p.ours.wall / 1000)}/${Math.round(p.theirs.wall / 1000)}`);
  return `${name}: ${raw.join(' ')}`;
}

async function one_vocabulary(name) {
  const file = path.join(folder, name, 'tokenizer.json');
  const json = JSON.parse(fs.readFileSync(file, 'utf8'));
  const kinds = sources(json);
  const theirs = Tokenizer.fromFile(file);
  const ours = new Ours(file);
  await ours.answer();
  console.log(`\n## ${name}\n\n| text | ours, ns/byte | binding, ns/byte | ratio | smallest ratio | ` +
    'ours, CPU ns/byte | binding, CPU ns/byte | CPU ratio |\n|---|---:|---:|---:|---:|---:|---:|---:|');
  const raw = [];
  for (const [kind, next] of Object.entries(kinds))
    raw.push(row(kind, await compare(ours, theirs, () => cut(next(), TEXT_BYTES), 1)));
  const same = cut(kinds.mixed(), TEXT_BYTES);
  raw.push(row('mixed, the same text each time', await compare(ours, theirs, () => same, 1)));
  raw.push(row(`100 bytes of prose, ${SMALL_CALLS} calls`,
    await compare(ours, theirs, () => cut(kinds.prose(), 100), SMALL_CALLS)));
  if (!json.model.ignore_merges) {
    // Only here: the binding's constructor takes a cache's size, and no ignore_merges.
    theirs.setModel(BPE.init(json.model.vocab, json.model.merges, {cacheCapacity: 0}));
    raw.push(row('mixed, the binding without its cache',
      await compare(ours, theirs, () => cut(kinds.mixed(), TEXT_BYTES), 1)));
  }
  ours.end();
  console.log('\nµs a measurement, ours/binding, in order:\n\n```\n' + raw.join('\n') + '\n```');
}

for (const name of VOCABULARIES) await one_vocabulary(name);
