// Writes the generated tables of src/server/standard/dicom: data elements, unique identifiers and codes of the DICOM standard.
// Two published packages are the source, fetched with the clients of their ecosystems: the Rust crate
// dicom-dictionary-std is more recent and has most UIDs; the Python package pydicom has the full names of the elements,
// the well-known frames of reference and the codes of PS3.16 (its scheme DCM).
// Requires cargo and pip: node scripts/generateDictionary.mjs
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CRATE = { name: 'the crate dicom-dictionary-std 0.10.1 (MIT OR Apache-2.0)', version: '0.10.1' };
const PYDICOM = { name: 'the Python package pydicom 3.0.2 (MIT)', version: '3.0.2' };

const folder = mkdtempSync(join(tmpdir(), 'negato-dictionary-'));
try {
  const crate = fetchCrate(folder);
  const pydicom = fetchPydicom(folder);
  const elements = mergeElements(
    readCrateElements(readFileSync(join(crate, 'src/tags.rs'), 'utf8')),
    readPydicomElements(readFileSync(join(pydicom, '_dicom_dict.py'), 'utf8')),
  );
  const uids = [
    ...readCrateUids(readFileSync(join(crate, 'src/uids.rs'), 'utf8')),
    ...readPydicomFrames(readFileSync(join(pydicom, '_uid_dict.py'), 'utf8')),
  ];
  writeTable('elements.generated.ts', 'PACKED_ELEMENTS', elements.map(packElement), [CRATE, PYDICOM]);
  writeTable('uids.generated.ts', 'PACKED_UIDS', uids.map(packUid), [CRATE, PYDICOM]);
  writeTable('severalNumbers.generated.ts', 'SEVERAL_NUMBERS', readSeveral(pydicom), [PYDICOM]);
  const codes = readPydicomCodes(readFileSync(join(pydicom, 'sr/_concepts_dict.py'), 'utf8'));
  writeTable('codes.generated.ts', 'PACKED_CODES', codes, [PYDICOM]);
  console.log(`${elements.length} elements, ${uids.length} unique identifiers, ${codes.length} codes`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** An empty package that depends on the crate, so that cargo downloads the crate's sources. */
function fetchCrate(into) {
  const project = join(into, 'crate');
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'src/lib.rs'), '');
  writeFileSync(
    join(project, 'Cargo.toml'),
    `[package]\nname = "fetch"\nversion = "0.0.0"\n[dependencies]\ndicom-dictionary-std = "=${CRATE.version}"\n`,
  );
  execFileSync('cargo', ['vendor', '--quiet', 'vendor'], { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(project, 'vendor/dicom-dictionary-std');
}

function fetchPydicom(into) {
  const target = join(into, 'python');
  execFileSync('pip', ['install', '--quiet', '--no-deps', '--target', target, `pydicom==${PYDICOM.version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return join(target, 'pydicom');
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

/** The elements that have numbers, and more than one of them, by the value multiplicity of the standard. */
function readSeveral(pydicom) {
  const rows = /^ +(?:0x(\w{8})|'(\w{8})'): \('(?:DS|FD|FL|IS|SL|SS|SV|UL|US|UV|US or SS)', '([^']*)'/gm;
  const source = readFileSync(join(pydicom, '_dicom_dict.py'), 'utf8');
  return [...source.matchAll(rows)].flatMap(([, tag, mask, multiplicity]) =>
    multiplicity === '1' ? [] : [(tag ?? mask).toUpperCase().replaceAll('X', '0')],
  );
}

/**
 * The crate defines which elements exist and are retired; pydicom adds names, repeating groups and choices of three
 * VRs.
 */
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

function readPydicomFrames(source) {
  const rows = /^ +'([\d.]+)': \('([^']*)', 'Well-known frame of reference', '[^']*', '(\w*)', '(\w*)'\)/gm;
  const type = 'WellKnownFrameOfReference';
  return [...source.matchAll(rows)].map(([, uid, name, retired, keyword]) => ({
    uid,
    name,
    keyword,
    type,
    retired: String(retired !== ''),
  }));
}

/** The keyword is omitted if it is the name without spaces and punctuation, which is nearly always the case. */
function packElement({ tag, vr, keyword, name, retired }) {
  const derived = name.replace(/[^A-Za-z0-9]/g, '') === keyword;
  return [tag, vr.replaceAll(' or ', '/') + (retired ? '*' : ''), name, ...(derived ? [] : [keyword])].join('|');
}

/** The codes that the standard itself defines, with their meanings. */
function readPydicomCodes(source) {
  const start = source.indexOf('concepts["DCM"] = {');
  const own = source.slice(start, source.indexOf('\nconcepts[', start + 1));
  const codes = new Map();
  for (const [, value, meaning] of own.matchAll(/"([\w-]+)": \(\s*"((?:[^"\\]|\\.)+)"/g)) {
    codes.set(value, JSON.parse(`"${meaning}"`));
  }
  return [...codes].map(([value, meaning]) => `${value}|${meaning}`).toSorted();
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
  writeFileSync(new URL(`../src/server/standard/dicom/${file}`, import.meta.url), `${text}${lines.join('\n')}\`;\n`);
}
