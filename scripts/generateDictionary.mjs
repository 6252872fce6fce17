// Writes the generated tables of src/server/dicom: data elements and unique identifiers of the DICOM standard.
// Two published packages are the source, fetched by version and checked by hash: dicom-dictionary-std (crates.io) is the
// more recent and knows UIDs; pydicom (PyPI) has the elements' full names. Run: node scripts/generateDictionary.mjs
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const CRATE = {
  name: 'dicom-dictionary-std 0.10.1 (crates.io, MIT OR Apache-2.0)',
  url: 'https://static.crates.io/crates/dicom-dictionary-std/dicom-dictionary-std-0.10.1.crate',
  sha256: 'fd7263f5b14fa4149712c0ec01c0a6fdcbe37ad54d55df268a342fe68ef00444',
};
const PYDICOM = {
  name: 'pydicom 3.0.2 (PyPI, MIT)',
  url: 'https://files.pythonhosted.org/packages/7a/de/52aaf905f1f0ae7aba85996e2592ea2c1fe49157f3cfbcd1871965bdb51d/pydicom-3.0.2.tar.gz',
  sha256: '5942bfc2d72c6fa4b3b5b62c527f54b7f2355f21d6f5d296df6bb30188df6a4f',
};

const crate = await fetchPackage(CRATE);
const pydicom = await fetchPackage(PYDICOM);
const elements = mergeElements(
  readCrateElements(fileEnding(crate, '/src/tags.rs')),
  readPydicomElements(fileEnding(pydicom, '/pydicom/_dicom_dict.py')),
);
const uids = readCrateUids(fileEnding(crate, '/src/uids.rs'));
writeTable('elements.generated.ts', 'PACKED_ELEMENTS', elements.map(packElement), [CRATE, PYDICOM]);
writeTable('uids.generated.ts', 'PACKED_UIDS', uids.map(packUid), [CRATE]);
console.log(`${elements.length} elements, ${uids.length} unique identifiers`);

/** @returns {Promise<Map<string, string>>} the text files of a gzipped tar archive by path */
async function fetchPackage({ url, sha256 }) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const archive = Buffer.from(await response.arrayBuffer());
  const found = createHash('sha256').update(archive).digest('hex');
  if (found !== sha256) throw new Error(`${url}: SHA-256 is ${found}, expected ${sha256}`);
  const tar = gunzipSync(archive);
  const files = new Map();
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
    const size = parseInt(tar.toString('latin1', at + 124, at + 136), 8);
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    if (/\.(rs|py)$/.test(name)) files.set(name, tar.toString('utf8', at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

function fileEnding(files, ending) {
  for (const [name, text] of files) if (name.endsWith(ending)) return text;
  throw new Error(`no file ${ending} in the package`);
}

function readCrateElements(source) {
  const tags = new Map();
  for (const [, name, group, element] of source.matchAll(/pub const (\w+): Tag = Tag\(0x(\w{4}), 0x(\w{4})\);/g)) {
    tags.set(name, `${group}${element}`.toUpperCase());
  }
  const entries = new Map();
  const rows = /E \{ tag: Single\((\w+)\), alias: "(\w+)", vr: (\w+)(?:\((\w\w)\))? \}, \/\/ (.*)/g;
  for (const [, name, keyword, kind, exact, comment] of source.matchAll(rows)) {
    const vr = exact ?? { Xs: 'US or SS', Ox: 'OB or OW', Px: 'OB or OW', Lt: 'US or OW' }[kind];
    if (vr === undefined) throw new Error(`unknown kind of VR: ${kind}`);
    entries.set(tags.get(name), { vr, keyword, name: undefined, retired: comment.includes('retired') });
  }
  return entries;
}

function readPydicomElements(source) {
  const entries = new Map();
  const rows = /^ +(?:0x(\w{8})|'(\w{8})'): \('([^']*)', '[^']*', ("[^"]*"|'[^']*'), '([^']*)', '([^']*)'\)/gm;
  for (const [, tag, mask, vr, quoted, retired, keyword] of source.matchAll(rows)) {
    if (keyword === '' || vr === 'NONE') continue;
    const key = tag?.toUpperCase() ?? mask.toUpperCase().replaceAll('X', 'x');
    entries.set(key, { vr, keyword, name: quoted.slice(1, -1), retired: retired !== '' });
  }
  return entries;
}

/** The crate says what exists and is retired; pydicom adds names, repeating groups and choices of three VRs. */
function mergeElements(newer, named) {
  const merged = new Map(named);
  for (const [tag, entry] of newer) {
    const older = named.get(tag);
    const name = older?.keyword === entry.keyword ? older.name : splitKeyword(entry.keyword);
    merged.set(tag, { ...entry, vr: older?.vr ?? entry.vr, name });
  }
  return [...merged].map(([tag, entry]) => ({ tag, ...entry })).toSorted((a, b) => (a.tag < b.tag ? -1 : 1));
}

/** NameToUse → Name to Use would need a word list; Name To Use is close enough for the few elements without a name. */
function splitKeyword(keyword) {
  return keyword.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
}

function readCrateUids(source) {
  const rows = /E::new\("([\d.]+)", "([^"]*)", "(\w*)", (\w+), (true|false)\)/g;
  return [...source.matchAll(rows)].map(([, uid, name, keyword, type, retired]) => ({
    uid,
    name,
    keyword,
    type,
    retired,
  }));
}

/** The keyword is left out where it is the name without spaces and punctuation, as it nearly always is. */
function packElement({ tag, vr, keyword, name, retired }) {
  const derived = name.replace(/[^A-Za-z0-9]/g, '') === keyword;
  return [tag, vr.replaceAll(' or ', '/') + (retired ? '*' : ''), name, ...(derived ? [] : [keyword])].join('|');
}

function packUid({ uid, name, keyword, type, retired }) {
  return [uid, type + (retired === 'true' ? '*' : ''), name, keyword].join('|');
}

function writeTable(file, constant, lines, sources) {
  if (lines.some((line) => /[\n`\\$]/.test(line))) throw new Error(`${file}: a line would need escaping`);
  const text = [
    `// Generated by scripts/generateDictionary.mjs from ${sources.map((source) => source.name).join(' and ')}.`,
    `export const ${constant} = \``,
  ].join('\n');
  writeFileSync(new URL(`../src/server/dicom/${file}`, import.meta.url), `${text}${lines.join('\n')}\`;\n`);
}
