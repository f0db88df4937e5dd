// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Writes texts with the ids that Hugging Face's own binding gives them, and id sequences with the
// text that it decodes them to, for the embedded tokenizer and variants of it.
//
//   npm install tokenizers@0.23.2     (anywhere)
//   node tests/tokenizer/generate_vectors.mjs FOLDER_WITH_NODE_MODULES OUTPUT [TEXTS [SEED]]
//
// tests/tokenizer/data/vectors.json is the output with the defaults.
import {createRequire} from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const [folder, output, texts = '1500', seed = '1'] = process.argv.slice(2);
if (!output) throw new Error('name the folder that holds node_modules/tokenizers, and the output');
const {Tokenizer, nfdNormalizer} = createRequire(path.resolve(folder) + '/')('tokenizers');
const embedded = fs.readFileSync(
  path.join(root, 'scenarios/embedded/micro-qwen3/tokenizer.json'), 'utf8');

// A generator of our own: the same texts on every machine. (mulberry32's constants)
let state = Number(seed) >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const between = (a, b) => String.fromCodePoint(a + below(b - a + 1));
const times = (most, make) => Array.from({length: 1 + below(most)}, make).join('');

const WORDS = ['In', 'the', 'beginning', 'God', 'created', 'heaven', 'and', 'LORD', 'unto', 'thee',
  'Jerusalem', "brother's", 'naïve', 'café', 'Straße', 'Việt', 'İstanbul', 'ǅ', 'Ωmega'];
const SPACES = [' ', ' ', ' ', '\n', '\n', '\r', '\r\n', '\t', '\v', '\f', '\u0085', '\u00a0',
  '\u1680', '\u2000', '\u2003', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000'];
const NO_SPACES = ['\u180e', '\ufeff', '\u200b', '\u200d', '\u2060', '\u001c'];
const TAILS = ["'s", "'S", "'ſ", "'t", "'RE", "'rE", "'ve", "'m", "'LL", "'lL", "'d", "'x", "''s",
  '’s', "'v", "'l", "'K", "'", "'ß", "'éa"];
const EMOJI = ['😀', '👩‍👩‍👧', '🇫🇷', '👍🏽', '❤️', '#️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'];
const ADDED = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<|im_end', '<|', '|>', '<|im_start|',
  '<w>', '<w><w>', '<l>', '<r>', '<lr>', 'nö', 'no\u0308', '<lr', 'un', 'under'];
const SCRIPTS = [[0x391, 0x3c9], [0x410, 0x44f], [0x5d0, 0x5ea], [0x620, 0x64a], [0x900, 0x97f],
  [0xe01, 0xe5b], [0x4e00, 0x4e80], [0x3041, 0x30ff], [0xac00, 0xac80], [0x1100, 0x11ff],
  [0x10a0, 0x10ff], [0x1e00, 0x1fff], [0x2c00, 0x2dff], [0xa640, 0xa7ff], [0x10400, 0x104ff],
  [0x1d400, 0x1d7ff], [0x105c0, 0x105ff], [0x11380, 0x113ff], [0x11900, 0x11950],
  [0x16100, 0x16139], [0x16d40, 0x16d7f], [0x1e4d0, 0x1e5ff], [0xf900, 0xfaff]];
const DIGITS = [[0x30, 0x39], [0x660, 0x669], [0x966, 0x96f], [0x2150, 0x218b], [0xb2, 0xb9],
  [0x1d7ce, 0x1d7ff], [0x10d40, 0x10d49]];
const nfd = nfdNormalizer();
const MARKS = [];  // whatever the reference moves before a later mark, or after an earlier one
for (let c = 0x300; c < 0x1e950; c++) {
  if (c >= 0xac00 && c < 0xe000) continue;
  const ch = String.fromCodePoint(c);
  if (nfd.normalizeString('a\u0345' + ch) !== 'a\u0345' + ch ||
      nfd.normalizeString('a' + ch + '\u0334') !== 'a' + ch + '\u0334') MARKS.push(ch);
}
const NEW_MARKS = ['\u0897', '\u08ca', '\u1ac1', '\u1acc', '\u{10efd}', '\u{16ff0}', '\u{1e4ee}'];

function scalar() {
  let c = below(0x110000 - 0x800);
  if (c >= 0xd800) c += 0x800;
  return String.fromCodePoint(c);
}

const PARTS = [
  () => pick(WORDS), () => pick(WORDS), () => ' ' + pick(WORDS), () => ' ' + pick(WORDS),
  () => pick(WORDS) + pick(TAILS), () => pick(TAILS), () => times(4, () => pick(SPACES)),
  () => ' '.repeat(1 + below(9)), () => '\n'.repeat(1 + below(3)), () => pick(NO_SPACES),
  () => times(6, () => String(below(10))), () => times(3, () => between(...pick(DIGITS))),
  () => times(4, () => between(0x21, 0x2f)), () => times(3, () => between(0x5b, 0x60)) + '\r\n',
  () => pick(EMOJI), () => pick(ADDED), () => pick(SPACES) + pick(ADDED) + pick(SPACES),
  () => { const script = pick(SCRIPTS); return times(5, () => between(...script)); },
  () => pick(['a', 'e', 'o', 'u', 'q', 'Å', 'ơ', 'ᄀ', '가', '각', 'の', 'か']) +
    times(4, () => (below(8) ? pick(MARKS) : pick(NEW_MARKS))),
  () => nfd.normalizeString(pick(WORDS)), () => between(0, 0x2ff), scalar, () => scalar() + scalar(),
  () => between(0x1100, 0x1112) + between(0x1161, 0x1175) + between(0x11a7, 0x11c2),
];
const sentence = () => times(below(4) ? 4 : 9, () => pick(PARTS)());

const token = (id, content, flags) => ({id, content, single_word: false, lstrip: false,
  rstrip: false, normalized: false, special: false, ...flags});
const base = JSON.parse(embedded);
const split = structuredClone(base.pre_tokenizer);
split.pretokenizers[0].pattern.Regex =
  split.pretokenizers[0].pattern.Regex.replace('\\p{N}| ', '\\p{N}{1,3}| ');
const o200k = structuredClone(base.pre_tokenizer);
const CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?", LEAD = '[^\\r\\n\\p{L}\\p{N}]?';
const UPPER = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]', LOWER = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
o200k.pretokenizers[0].pattern.Regex = `${LEAD}${UPPER}*${LOWER}+${CONTRACTION}|` +
  `${LEAD}${UPPER}+${LOWER}*${CONTRACTION}|` +
  '\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
// A merge patch keeps what it does not name, so the members of the component it replaces are named.
const no_flags = {add_prefix_space: null, trim_offsets: null, use_regex: null};
const in_template = (id) => ({SpecialToken: {id, type_id: 0}});
const TEXT = {Sequence: {id: 'A', type_id: 0}};
const template = {
  type: 'TemplateProcessing',
  single: [in_template('begin'), TEXT, in_template('<|im_end|>')],
  pair: [TEXT, {Sequence: {id: 'B', type_id: 1}}],
  special_tokens: {
    begin: {id: 'begin', ids: [2045, 2046], tokens: ['<|endoftext|>', '<|im_start|>']},
    '<|im_end|>': {id: '<|im_end|>', ids: [2047], tokens: ['<|im_end|>']}}};
const VARIANTS = [
  {name: 'as it is', share: 1, patch: {}},
  {name: 'three digits, whole pieces, no normaliser', share: 0.2,
   patch: {normalizer: null, pre_tokenizer: split, model: {ignore_merges: true}}},
  {name: 'added tokens with flags', share: 0.4, patch: {added_tokens: [
    ...base.added_tokens,
    token(2048, '<w>', {single_word: true}), token(2049, '<l>', {lstrip: true, special: true}),
    token(2050, '<r>', {rstrip: true}), token(2051, '<lr>', {lstrip: true, rstrip: true}),
    token(2052, 'no\u0308', {normalized: true}), token(base.model.vocab.un, 'un', {single_word: true}),
    token(2053, 'under', {}), token(2054, ' and', {normalized: true, rstrip: true})]}},
  {name: 'words by case', share: 0.6, patch: {normalizer: null, pre_tokenizer: o200k}},
  {name: 'ByteLevel cuts', share: 0.3, patch: {
    pre_tokenizer: {type: 'ByteLevel', add_prefix_space: false,
      trim_offsets: true, pretokenizers: null}}},
  {name: 'template', share: 0.1, patch: {post_processor: {...no_flags, ...template}}},
  {name: 'template in a sequence', share: 0.1, patch: {post_processor: {
    ...no_flags, type: 'Sequence', processors: [
      {type: 'ByteLevel', add_prefix_space: true, trim_offsets: false, use_regex: true}, template]}}},
];

// RFC 7386, as the test applies it.
function merge_patch(target, patch) {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const out = typeof target === 'object' && target !== null ? {...target} : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = merge_patch(out[key], value);
  }
  return out;
}

async function vectors(variant) {
  const tokenizer = Tokenizer.fromString(JSON.stringify(merge_patch(base, variant.patch)));
  const count = Math.ceil(Number(texts) * variant.share);
  const encoded = [], decoded = [];
  for (let i = 0; i < count; i++) {
    const text = sentence();
    const encoding = await tokenizer.encode(text);
    encoded.push([text, encoding.getIds()]);
  }
  for (let i = 0; i < count / 6; i++) {
    const ids = Array.from({length: 1 + below(12)}, () => below(below(2) ? 256 : 2056));
    decoded.push([ids, await tokenizer.decode(ids, true)]);
  }
  return {name: variant.name, patch: variant.patch, encoded, decoded};
}

const out = [];
for (const variant of VARIANTS) out.push(await vectors(variant));
// One vector a line; everything beyond ASCII escaped, so that no tool normalises the file.
const line = (value) => JSON.stringify(value).replace(/[\u007f-\uffff]/g,
  (ch) => '\\u' + ch.charCodeAt(0).toString(16).padStart(4, '0'));
const lines = (list) => list.map(line).join(',\n');
fs.writeFileSync(output, '{"generated": "by tests/tokenizer/generate_vectors.mjs from npm ' +
  'tokenizers@0.23.2; run it again to regenerate", "variants": [\n' +
  out.map((v) => `{"name": ${line(v.name)}, "patch": ${line(v.patch)},\n"encoded": [\n` +
    `${lines(v.encoded)}\n], "decoded": [\n${lines(v.decoded)}\n]}`).join(',\n') + '\n]}\n');
