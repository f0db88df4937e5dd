// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Texts that tokenizers disagree on, the same for the same seed on every machine. A text is a
// Buffer: some are not UTF-8.

// mulberry32
export function generator(seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n) => Math.floor(random() * n);
  return {
    below,
    pick: (list) => list[below(list.length)],
    between: ([a, b]) => String.fromCodePoint(a + below(b - a + 1)),
    times: (most, make) => Array.from({length: 1 + below(most)}, make).join(''),
  };
}

const WORDS = ['the', 'The', 'THE', 'beginning', 'HTTPServer', 'parseJSONValue', 'iPhone', 'McDonald',
  'naïve', 'Straße', 'ǅungla', 'Việt', 'İstanbul', 'ΣΊΣΥΦΟΣ', 'Сегодня', 'שלום', 'مرحبا', 'हिन्दी',
  'ไทย', '日本語', '中文', '한국어', 'ʰʷ', 'ªº', 'ⓐⒷ', 'Ⅷ', 'ﬁﬀ', 'e\u0301', 'O\u0308L', 'x\u0300\u0301'];
const CODE = ['for (int i = 0; i < n; ++i) {\n', '\treturn x->y;\n', '#include <vector>\n', '// ---- //\n',
  'def f(self, *a):\n    pass\n', 'a/b/c.h', 'https://ex.org/?q=1&r=%20', '"key": [1, 2.5e-3],',
  '</div>\r\n', '\\n\\t', '$HOME/.x', '!!!///\n//', '==>', '/*\n */', 'x86_64', 'snake_case_Name'];
const SPACES = [' ', ' ', ' ', '\n', '\n', '\r', '\r\n', '\t', '\v', '\f', '\u0085', '\u00a0',
  '\u1680', '\u2000', '\u2003', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000'];
const NO_SPACES = ['\u180e', '\ufeff', '\u200b', '\u200c', '\u200d', '\u2060', '\u001c', '\0', '\ufffd'];
const TAILS = ['s', 't', 're', 've', 'm', 'll', 'd', 'ſ', 'x', 'n', 'sS', 'L', 'r', 'v', "'s", 'ß'];
const EMOJI = ['😀', '👩‍👩‍👧‍👦', '🇫🇷🇩🇪', '👍🏽', '❤️', '#️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🧑🏿‍🚀', '☺︎', '©️'];
const SCRIPTS = [[0x41, 0x7a], [0xc0, 0x24f], [0x250, 0x2ff], [0x370, 0x3ff], [0x400, 0x52f],
  [0x530, 0x58f], [0x590, 0x5f4], [0x600, 0x6ff], [0x700, 0x7ff], [0x840, 0x8ff], [0x900, 0x97f],
  [0x980, 0x9ff], [0xa00, 0xaff], [0xb00, 0xbff], [0xc00, 0xcff], [0xd00, 0xdff], [0xe00, 0xeff],
  [0xf00, 0xfff], [0x1000, 0x109f], [0x10a0, 0x10ff], [0x1100, 0x11ff], [0x1200, 0x139f],
  [0x13a0, 0x13ff], [0x1400, 0x167f], [0x1680, 0x18ff], [0x1900, 0x1aff], [0x1b00, 0x1cff],
  [0x1d00, 0x1dff], [0x1e00, 0x1fff], [0x2c00, 0x2dff], [0x2e80, 0x2fdf], [0x3041, 0x312f],
  [0x3130, 0x33ff], [0x3400, 0x9fff], [0xa000, 0xa63f], [0xa640, 0xa7ff], [0xa800, 0xabff],
  [0xac00, 0xd7a3], [0xd7b0, 0xd7fb], [0xf900, 0xfaff], [0xfb00, 0xfdff], [0xfe00, 0xfeff],
  [0xff00, 0xffef], [0x10000, 0x103ff], [0x10400, 0x107bf], [0x10800, 0x10fff], [0x11000, 0x11fff],
  [0x12000, 0x12543], [0x13000, 0x143fa], [0x16100, 0x16fff], [0x17000, 0x18cff], [0x1b000, 0x1b2ff],
  [0x1cc00, 0x1d3ff], [0x1d400, 0x1d7ff], [0x1df00, 0x1e2ff], [0x1e4d0, 0x1e5ff], [0x1e7e0, 0x1eeff],
  [0x20000, 0x323af]];
const SYMBOLS = [[0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e], [0xa1, 0xbf],
  [0x2010, 0x205e], [0x20a0, 0x20c0], [0x2190, 0x2bff], [0x3001, 0x303f], [0x1f000, 0x1faff],
  [0xe0000, 0xe01ef], [0xe000, 0xf8ff]];
const DIGITS = [[0x30, 0x39], [0x30, 0x39], [0x660, 0x669], [0x966, 0x96f], [0x2150, 0x218b],
  [0xb2, 0xb9], [0x3021, 0x3029], [0x1d7ce, 0x1d7ff], [0x10d40, 0x10d49]];
const MARKS = [[0x300, 0x36f], [0x483, 0x489], [0x591, 0x5c7], [0x64b, 0x65f], [0x93a, 0x94f],
  [0x1ab0, 0x1ace], [0x1dc0, 0x1dff], [0x20d0, 0x20f0], [0x3099, 0x309a], [0xfe20, 0xfe2f]];
// Lone continuations, cut and overlong sequences, surrogates, values beyond the last.
const BROKEN = [[0x80], [0xbf, 0x80], [0xc0, 0xaf], [0xc3], [0xe2, 0x82], [0xe0, 0x80, 0x80],
  [0xed, 0xa0, 0x80], [0xed, 0xb0, 0x80], [0xf0, 0x9f, 0x98], [0xf4, 0x90, 0x80, 0x80], [0xf5],
  [0xff, 0xfe], [0xf0, 0x9f, 0x41], [0xe2, 0x28, 0xa1]];

const random_case = (g, word) =>
  [...word].map((c) => (g.below(2) ? c.toUpperCase() : c.toLowerCase())).join('');

function parts(g, added) {
  const scalar = () => {
    const c = g.below(0x110000 - 0x800);
    return String.fromCodePoint(c >= 0xd800 ? c + 0x800 : c);
  };
  const word = () => g.pick(WORDS);
  const script = () => { const of = g.pick(SCRIPTS); return g.times(6, () => g.between(of)); };
  const symbols = () => g.times(4, () => g.between(g.pick(SYMBOLS)));
  const token = () => g.pick(added);
  const cut_token = () => { const t = token(); return t.slice(g.below(3), t.length - g.below(3)); };
  return [word, word, () => ' ' + word(), () => ' ' + word(), () => random_case(g, word()),
    () => word() + "'" + random_case(g, g.pick(TAILS)), () => "'" + g.pick(TAILS) + g.pick(TAILS),
    () => ' ' + g.pick(CODE), () => g.pick(CODE), () => g.times(4, () => g.pick(SPACES)),
    () => ' '.repeat(1 + g.below(9)), () => '\n'.repeat(1 + g.below(4)), () => '\t'.repeat(1 + g.below(5)),
    () => g.pick(NO_SPACES), () => g.times(8, () => String(g.below(10))),
    () => g.times(4, () => g.between(g.pick(DIGITS))), symbols, () => symbols() + '\r\n/',
    () => g.pick(EMOJI), () => g.times(3, () => g.pick(EMOJI)), token, () => token() + token(),
    () => g.pick(SPACES) + token() + g.pick(SPACES), cut_token, script, () => ' ' + script(), script,
    () => g.pick(['a', 'E', 'q', '.', ' ', '가', 'の', 'ᄀ', '1', '\n']) +
      g.times(4, () => g.between(g.pick(MARKS))),
    () => word().normalize('NFD'), () => g.between([0, 0x2ff]), scalar, () => scalar() + scalar(),
    () => g.times(3, () => g.between([0x41, 0x5a])) + g.times(3, () => g.between([0x61, 0x7a])),
    () => g.between([0x1100, 0x1112]) + g.between([0x1161, 0x1175]) + g.between([0x11a7, 0x11c2])];
}

// One text in sixteen is not UTF-8; `added` are the contents of the vocabulary's added tokens.
export function* short_texts(count, seed, added) {
  const g = generator(seed);
  const make = parts(g, added);
  const part = () => Buffer.from(g.pick(make)());
  for (let i = 0; i < count; i++) {
    const list = Array.from({length: 1 + g.below(g.below(4) ? 5 : 16)}, part);
    if (i % 16 === 0) list.splice(g.below(list.length + 1), 0, Buffer.from(g.pick(BROKEN)));
    yield Buffer.concat(list);
  }
}

// Pieces that are long, and a text and rubbish that are. `bytes`: of the runs that take more than
// linear time in a careless tokenizer.
export function* long_texts(bytes, seed, added) {
  const g = generator(seed);
  const make = parts(g, added);
  const run = (size, text) => Buffer.from(text.repeat(Math.ceil(size / Buffer.byteLength(text))));
  yield Buffer.concat([Buffer.from('x'), run(100_000, ' '), Buffer.from('y')]);
  yield run(1_000_000, 'a');
  for (const text of ['\n', ' \t\r\n\u3000', 'A', '中', 'e\u0301', '7', '-', '😀', '\u0301', "'s", '\0',
    'aB', ' a'])
    yield run(bytes, text);
  const mixed = [];
  for (let size = 0; size < 1_000_000; size += mixed.at(-1).length)
    mixed.push(Buffer.from(g.pick(make)()));
  yield Buffer.concat(mixed);
  yield Buffer.from(Uint8Array.from({length: bytes}, () => g.below(256)));
}

// Every scalar value between neighbours that tell the classes of all patterns apart: before and
// behind either case, before a line end, behind symbols. Far planes hold no case, so less is asked.
export function* scalar_texts(scalars_each) {
  let line = '', count = 0;
  for (let c = 0; c < 0x110000; c++) {
    if (c >= 0xd800 && c < 0xe000) continue;
    const s = String.fromCodePoint(c);
    line += c < 0x20000 ? `A${s}Bb${s}\n..${s}` : `A${s}b`;
    if (++count % scalars_each === 0) { yield Buffer.from(line); line = ''; }
  }
  if (line) yield Buffer.from(line);
}

export function* lone_scalars() {
  for (let c = 0; c < 0x110000; c++)
    if (c < 0xd800 || c >= 0xe000) yield Buffer.from(String.fromCodePoint(c));
}
