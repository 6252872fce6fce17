// Third-party content of dist: its licenses (THIRD_PARTY.txt) and a bill of materials (sbom.cdx.json).
// Three sources: packages whose code the bundlers included, libraries compiled into the WebAssembly of the decoders,
// and the data from which the dictionary is generated. npm describes only the first.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODEC_FILES } from './copyCodecs.mjs';

/**
 * Libraries that a package manifest does not list. `license` is an SPDX expression, `text` a file in scripts/licenses.
 * The version is omitted if the build does not state it.
 * @typedef {{ name: string, version?: string, license: string, text: string, url: string }} Library
 */

const EMSCRIPTEN_RUNTIME = [
  library('Emscripten runtime', undefined, 'MIT OR NCSA', 'emscripten', 'https://emscripten.org'),
  library('musl', undefined, 'MIT', 'musl', 'https://musl.libc.org'),
  library('libc++', undefined, 'Apache-2.0 WITH LLVM-exception', 'libcxx', 'https://libcxx.llvm.org'),
];
const BROTLI = 'https://github.com/google/brotli';
const CHARLS = 'https://github.com/team-charls/charls';
const HIGHWAY = 'https://github.com/google/highway';
const LIBJXL = 'https://github.com/libjxl/libjxl';
const OPENJPEG = 'https://github.com/uclouvain/openjpeg';
const OPENJPH = 'https://github.com/aous72/OpenJPH';
const SKCMS = 'https://skia.googlesource.com/skcms';

/** Keyed by the file in dist/codecs. @type {Record<string, Library[]>} */
const COMPILED_IN = {
  'charlswasm_decode.wasm': [library('CharLS', '2.4.4', 'BSD-3-Clause', 'charls', CHARLS), ...EMSCRIPTEN_RUNTIME],
  'openjpegwasm_decode.wasm': [
    library('OpenJPEG', undefined, 'BSD-2-Clause', 'openjpeg', OPENJPEG),
    ...EMSCRIPTEN_RUNTIME,
  ],
  'openjphjs.wasm': [library('OpenJPH', '0.31.0', 'BSD-2-Clause', 'openjph', OPENJPH), ...EMSCRIPTEN_RUNTIME],
  'dcmjs-native-codecs.wasm': [
    library("Independent JPEG Group's software", '6b', 'IJG', 'ijg', 'https://ijg.org'),
    library('CharLS', '2.3.4', 'BSD-3-Clause', 'charls', CHARLS),
    library('OpenJPEG', '2.5.0', 'BSD-2-Clause', 'openjpeg', OPENJPEG),
    library('OpenJPH', '0.18.2', 'BSD-2-Clause', 'openjph', OPENJPH),
    library('libjxl', '0.11.2', 'BSD-3-Clause', 'libjxl', LIBJXL),
    library('Brotli', '1.2.0', 'MIT', 'brotli', BROTLI),
    library('Highway', '1.2.0', 'Apache-2.0 OR BSD-3-Clause', 'highway', HIGHWAY),
    library('skcms', '2025-09-16', 'BSD-3-Clause', 'skcms', SKCMS),
    ...EMSCRIPTEN_RUNTIME,
  ],
  'jxl-dec.wasm': [
    library('libjxl', '0.11.0', 'BSD-3-Clause', 'libjxl', LIBJXL),
    library('Brotli', undefined, 'MIT', 'brotli', BROTLI),
    library('Highway', undefined, 'Apache-2.0 OR BSD-3-Clause', 'highway', HIGHWAY),
    library('skcms', undefined, 'BSD-3-Clause', 'skcms', SKCMS),
    ...EMSCRIPTEN_RUNTIME,
  ],
};

/** The inputs of scripts/generateDictionary.mjs. */
const DICTIONARY_SOURCES = [
  library('dicom-dictionary-std', '0.10.1', 'MIT OR Apache-2.0', 'dicom-rs', 'https://github.com/Enet4/dicom-rs'),
  library('pydicom', '3.0.2', 'MIT', 'pydicom', 'https://github.com/pydicom/pydicom'),
];

/**
 * Packages whose published archive has no license text: the text is that of the repository from which they are built.
 */
const TEXT_OF_PACKAGE = { '@cornerstonejs/codec-openjpeg': 'cornerstone-codecs' };

/** @param {Iterable<string>} paths of modules @returns {Set<string>} names of their packages */
export function packagesOf(paths) {
  const names = new Set();
  for (const path of paths) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path.replaceAll('\\', '/'))?.[1];
    if (name !== undefined) names.add(name);
  }
  return names;
}

/**
 * Fails if a component has no license text, so that nothing is shipped without its notice.
 * @param {string} root @param {Iterable<string>} names of packages @returns {string}
 */
export function thirdPartyText(root, names) {
  const packages = readPackages(root, names).map((entry) => [heading(entry), packageText(root, entry)]);
  const libraries = withFiles().map(({ entry, files }) => [
    `${heading(entry)}, in ${files.join(', ')}`,
    licenseText(root, entry.text),
  ]);
  const parts = [...packages, ...libraries].map(
    ([title, text]) => `${'='.repeat(80)}\n${title}\n${'-'.repeat(80)}\n${text.trim()}\n`,
  );
  return `negato contains code and data of others, under these licenses.\n\n${parts.join('\n')}`;
}

/**
 * CycloneDX 1.6 without a serial number or a time, so that the same sources produce the same bytes.
 * @param {string} root @param {Iterable<string>} names of packages
 */
export function billOfMaterials(root, names) {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const components = readPackages(root, names).map((entry) => {
    const files = CODEC_FILES.filter(([name]) => name === entry.name).map(([, , file]) => file);
    const inside = files.flatMap((file) => (COMPILED_IN[file] ?? []).map((part) => libraryComponent(part, entry.name)));
    return {
      type: 'library',
      'bom-ref': packageUrl(entry),
      name: entry.name,
      version: entry.version,
      purl: packageUrl(entry),
      licenses: [{ expression: entry.license }],
      ...(inside.length > 0 && { components: inside }),
    };
  });
  const data = DICTIONARY_SOURCES.map((entry) => ({ ...libraryComponent(entry, 'negato'), type: 'data' }));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': 'negato',
        name: 'negato',
        version,
        licenses: [{ license: { id: license } }],
      },
    },
    components: [...components, ...data],
    dependencies: [{ ref: 'negato', dependsOn: [...components, ...data].map((entry) => entry['bom-ref']) }],
  };
}

/** @param {string} name @param {string | undefined} version @param {string} license @param {string} text @param {string} url */
function library(name, version, license, text, url) {
  return { name, ...(version !== undefined && { version }), license, text, url };
}

/** Every library once, with the shipped files that contain it. */
function withFiles() {
  const found = new Map();
  const add = (entry, file) => {
    const key = `${entry.name} ${entry.version ?? ''}`;
    const known = found.get(key) ?? { entry, files: [] };
    known.files.push(file);
    found.set(key, known);
  };
  for (const [, , file] of CODEC_FILES) for (const entry of librariesIn(file)) add(entry, `codecs/${file}`);
  for (const entry of DICTIONARY_SOURCES) add(entry, 'the data dictionary');
  return [...found.values()];
}

/** @param {string} file */
function librariesIn(file) {
  if (!file.endsWith('.wasm')) return [];
  const libraries = COMPILED_IN[file];
  if (libraries === undefined) throw new Error(`scripts/thirdParty.mjs does not say what ${file} is compiled from`);
  return libraries;
}

/** @param {string} root @param {Iterable<string>} names */
function readPackages(root, names) {
  return [...new Set(names)].toSorted().map((name) => {
    const { version, license } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
    return { name, version, license };
  });
}

/** @param {string} root @param {{ name: string }} entry */
function packageText(root, { name }) {
  const given = TEXT_OF_PACKAGE[name];
  if (given !== undefined) return licenseText(root, given);
  const folder = join(root, 'node_modules', name);
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (file === undefined) throw new Error(`the package ${name} has no license text: add one to scripts/licenses`);
  return readFileSync(join(folder, file), 'utf8');
}

/** @param {string} root @param {string} name */
function licenseText(root, name) {
  return readFileSync(join(root, 'scripts/licenses', `${name}.txt`), 'utf8');
}

function heading({ name, version, license }) {
  return `${[name, version].filter((part) => part !== undefined).join(' ')} (${license})`;
}

function packageUrl({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** @param {Library} entry @param {string} owner */
function libraryComponent({ name, version, license, url }, owner) {
  return {
    type: 'library',
    'bom-ref': `${owner}/${name}`,
    name,
    ...(version !== undefined && { version }),
    licenses: [{ expression: license }],
    externalReferences: [{ type: 'website', url }],
  };
}
