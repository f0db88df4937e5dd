// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Writes unicode_ranges.inc and nfc_tables.inc by asking Hugging Face's own binding about every
// scalar value. The tables must be *its* Unicode, which is two versions at once: its regex engine
// classifies letters by Unicode 16, its normaliser composes and orders marks by an older one, and
// neither is the version of this machine's libraries.
//
//   npm install tokenizers@0.23.2     (anywhere)
//   node runtime/tokenizer/generate_unicode_tables.mjs FOLDER_WITH_NODE_MODULES
import {createRequire} from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
if (!process.argv[2]) throw new Error('name the folder that holds node_modules/tokenizers');
const binding = createRequire(path.resolve(process.argv[2]) + '/')('tokenizers');

const SURROGATES = 0xd800, AFTER_SURROGATES = 0xe000, LIMIT = 0x110000;
const scalars = [];
for (let c = 0; c < LIMIT; c++)
  if (c < SURROGATES || c >= AFTER_SURROGATES) scalars.push(c);
const text = (...code_points) => String.fromCodePoint(...code_points);
const points = (string) => Array.from(string, (ch) => ch.codePointAt(0));
const hex = (c) => '0x' + c.toString(16).padStart(4, '0');

function pipeline(added_tokens, pre_tokenizer) {
  return binding.Tokenizer.fromString(JSON.stringify({
    version: '1.0', truncation: null, padding: null, added_tokens, normalizer: null, pre_tokenizer,
    post_processor: null, decoder: null,
    model: {type: 'BPE', dropout: null, unk_token: 'a', continuing_subword_prefix: null,
            end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, vocab: {a: 0},
            merges: []}}));
}

// Scalars that one class of the regex engine matches: what a Split with that class leaves over,
// complemented.
function matching(regex_class) {
  const split = {type: 'Split', pattern: {Regex: regex_class + '+'}, behavior: 'Removed',
                 invert: false};
  const whole = scalars.map((c) => text(c)).join('');
  const left = pipeline([], split).getPreTokenizer().preTokenizeString(whole);
  const is_left = new Uint8Array(scalars.length);
  for (const [, [begin, end]] of left) is_left.fill(1, begin, end);
  return scalars.filter((_, i) => !is_left[i]);
}

// Scalars that count as part of a word beside an added token with single_word.
async function word_scalars() {
  const probe = {id: 1, content: '<w>', single_word: true, lstrip: false, rstrip: false,
                 normalized: false, special: false};
  const tokenizer = pipeline([probe], null);
  const words = [];
  const chunk = 4096;
  for (let at = 0; at < scalars.length; at += chunk) {
    const part = scalars.slice(at, at + chunk);
    const line = part.map((c) => text(c) + '<w>-').join('');
    const encoding = await tokenizer.encode(line, null, {addSpecialTokens: false});
    const alone = new Set();
    const ids = encoding.getIds(), offsets = encoding.getOffsets();
    ids.forEach((id, i) => { if (id === 1) alone.add((offsets[i][0] - 1) / 5); });
    part.forEach((c, i) => { if (!alone.has(i)) words.push(c); });
  }
  return words;
}

function ranges(sorted) {
  const out = [];
  for (const c of sorted) {
    const last = out[out.length - 1];
    if (last && last[1] + 1 === c) last[1] = c;
    else out.push([c, c]);
  }
  return out;
}

const nfc = binding.nfcNormalizer(), nfd = binding.nfdNormalizer();
const HANGUL_FIRST = 0xac00, HANGUL_LAST = 0xd7a3;  // composed by arithmetic, not by table

function decompositions() {
  const out = [];
  for (const c of scalars) {
    if (c >= HANGUL_FIRST && c <= HANGUL_LAST) continue;
    const full = points(nfd.normalizeString(text(c)));
    if (full.length !== 1 || full[0] !== c) out.push([c, full]);
  }
  return out;
}

// Pairs that compose: the last mark of a decomposition onto the composition of what precedes it.
function compositions(decomposed) {
  const out = [];
  for (const [composite, full] of decomposed) {
    if (full.length < 2 || nfc.normalizeString(text(composite)) !== text(composite)) continue;
    const first = points(nfc.normalizeString(text(...full.slice(0, -1))));
    const second = full[full.length - 1];
    if (first.length !== 1) throw new Error('no single first part: ' + hex(composite));
    if (nfc.normalizeString(text(first[0], second)) !== text(composite))
      throw new Error('pair does not compose: ' + hex(composite));
    out.push([first[0], second, composite]);
  }
  return out.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

// A combining class shows only in how marks pass each other. One mark of each class that Unicode
// has stands in ascending order before the probe; the probe moves in front of the larger ones.
const CLASS_MARKS = [
  [1, 0x0334], [7, 0x093c], [8, 0x3099], [9, 0x094d], [10, 0x05b0], [11, 0x05b1], [12, 0x05b2],
  [13, 0x05b3], [14, 0x05b4], [15, 0x05b5], [16, 0x05b6], [17, 0x05b7], [18, 0x05b8], [19, 0x05b9],
  [20, 0x05bb], [21, 0x05bc], [22, 0x05bd], [23, 0x05bf], [24, 0x05c1], [25, 0x05c2], [26, 0xfb1e],
  [27, 0x064b], [28, 0x064c], [29, 0x064d], [30, 0x064e], [31, 0x064f], [32, 0x0650], [33, 0x0651],
  [34, 0x0652], [35, 0x0670], [36, 0x0711], [84, 0x0c55], [91, 0x0c56], [103, 0x0e38],
  [107, 0x0e48], [118, 0x0eb8], [122, 0x0ec8], [129, 0x0f71], [130, 0x0f72], [132, 0x0f74],
  [202, 0x0327], [214, 0x1dce], [216, 0x031b], [218, 0x302a], [220, 0x0316], [222, 0x059a],
  [224, 0x302e], [226, 0x1d16d], [228, 0x05ae], [230, 0x0301], [232, 0x0315], [233, 0x035c],
  [234, 0x035d], [240, 0x0345]];

function combining_classes(decomposed) {
  const has_parts = new Set(decomposed.map(([c]) => c));
  const marks = CLASS_MARKS.map(([, mark]) => mark);
  const ladder = text(0x61, ...marks);
  if (nfd.normalizeString(ladder) !== ladder) throw new Error('the ladder of marks is not in order');
  const out = [];
  for (const c of scalars) {
    if (has_parts.has(c)) continue;
    if (c >= HANGUL_FIRST && c <= HANGUL_LAST) continue;
    const seen = points(nfd.normalizeString(ladder + text(c))).slice(1);
    const passed = seen.lastIndexOf(c) - (marks.includes(c) ? 1 : 0);
    let rung = passed - 1;  // the last mark that the probe did not pass
    if (seen.lastIndexOf(c) === seen.length - 1) {
      // Stayed at the end: class 0, or the highest there is.
      if (nfd.normalizeString(text(0x61, c, 0x0334)) === text(0x61, c, 0x0334) && c !== 0x0334)
        continue;
      rung = CLASS_MARKS.length - 1;
    } else if (marks.includes(c)) {
      rung = marks.indexOf(c);
    }
    if (rung < 0) throw new Error('a class below the ladder: ' + hex(c));
    const same = text(0x61, c, marks[rung]), same_turned = text(0x61, marks[rung], c);
    if (nfd.normalizeString(same) !== same || nfd.normalizeString(same_turned) !== same_turned)
      throw new Error('a class that the ladder lacks: ' + hex(c));
    out.push([c, CLASS_MARKS[rung][0]]);
  }
  return out;
}

function class_ranges(pairs) {
  const out = [];
  for (const [c, klass] of pairs) {
    const last = out[out.length - 1];
    if (last && last[1] + 1 === c && last[2] === klass) last[1] = c;
    else out.push([c, c, klass]);
  }
  return out;
}

const HEADER = `// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Generated by runtime/tokenizer/generate_unicode_tables.mjs from npm tokenizers@0.23.2; run it
// again to regenerate. Not edited by hand. clang-format off
`;

function rows(list) {
  const lines = [];
  let line = '';
  for (const row of list) {
    const cell = `{${row.join(', ')}},`;
    if (line && line.length + 1 + cell.length > 98) { lines.push(line); line = ''; }
    line = line ? line + ' ' + cell : cell;
  }
  return [...lines, line].join('\n') + '\n';
}

function table(macro, list) {
  return `#ifdef ${macro}\n${rows(list)}#undef ${macro}\n#endif\n`;
}

// What the patterns tell apart. Titlecase goes with uppercase and a modifier with letters that have
// no case: no pattern parts them.
const CLASSES = {
  upper: '[\\p{Lu}\\p{Lt}]', lower: '\\p{Ll}', caseless: '[\\p{Lm}\\p{Lo}]', mark: '\\p{M}',
  number: '\\p{N}', space: '\\s'};
const members = Object.fromEntries(
  Object.entries(CLASSES).map(([name, regex]) => [name, matching(regex)]));
const letters = matching('\\p{L}');
if (letters.length !== members.upper.length + members.lower.length + members.caseless.length)
  throw new Error('the letters are not the sum of their cases');
const classes = Object.entries(members)
  .flatMap(([name, list]) => ranges(list).map(([a, b]) => [a, b, name]))
  .sort((a, b) => a[0] - b[0]);
for (let i = 1; i < classes.length; i++)
  if (classes[i][0] <= classes[i - 1][1]) throw new Error('two classes share a scalar');
const words = await word_scalars();
fs.writeFileSync(path.join(here, 'unicode_ranges.inc'),
  HEADER +
  table('ASSAY_CLASS_RANGES', classes.map(([a, b, k]) => [hex(a), hex(b), 'char_class::' + k])) +
  table('ASSAY_WORD_RANGES', ranges(words).map((r) => r.map(hex))));

const decomposed = decompositions();
const composed = compositions(decomposed);
const marks = combining_classes(decomposed);
fs.writeFileSync(path.join(here, 'nfc_tables.inc'),
  HEADER +
  table('ASSAY_DECOMPOSITIONS', decomposed.map(([c, full]) =>
    [hex(c), full.length, `{${full.map(hex).join(', ')}}`])) +
  table('ASSAY_COMPOSITIONS', composed.map((row) => row.map(hex))) +
  table('ASSAY_COMBINING_CLASSES', class_ranges(marks).map(([a, b, k]) => [hex(a), hex(b), k])));

console.log(`letters ${letters.length} ` +
  Object.entries(members).map(([name, list]) => `${name} ${list.length} `).join('') +
  `words ${words.length} decompositions ${decomposed.length} compositions ${composed.length} ` +
  `combining ${marks.length}`);
