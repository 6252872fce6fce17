import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

type Component = {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version?: string;
  readonly licenses: readonly { readonly expression: string }[];
  readonly components?: readonly Component[];
};

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const notices = readFileSync(join(dist, 'THIRD_PARTY.txt'), 'utf8');
const bill: { readonly specVersion: string; readonly components: readonly Component[] } = JSON.parse(
  readFileSync(join(dist, 'sbom.cdx.json'), 'utf8'),
);

/** Files that the build writes from our sources and from packages that the bill of materials names. */
const OUR_OWN = /^kernels|^demo-first\.dcm$|\.(js|cjs|cache|css|html|json|txt|br|gzip)$/;

test('every file of the package is built from named sources, or has a notice of its own', () => {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dist.length + 1));
  const unnamed = files.filter((file) => !OUR_OWN.test(file) && !notices.includes(file.replaceAll('\\', '/')));
  expect(unnamed).toEqual([]);
  expect(files.filter((file) => file.endsWith('.wasm')).length).toBeGreaterThan(0);
});

test('every part in the bill of materials has a license and its text among the notices', () => {
  const parts = bill.components.flatMap((entry) => [entry, ...(entry.components ?? [])]);
  const withoutText = parts.filter((entry) => textUnder(titleOf(entry)).length < 200).map(titleOf);
  expect(withoutText).toEqual([]);
  expect(new Set(parts.map((entry) => entry['bom-ref'])).size).toBe(parts.length);
});

test('the bill of materials names the libraries inside the decoders and the sources of the dictionary', () => {
  const parts = bill.components.flatMap((entry) => [entry, ...(entry.components ?? [])]).map(({ name }) => name);
  expect(parts).toEqual(
    expect.arrayContaining([
      'react',
      'OpenJPEG',
      'OpenJPH',
      'CharLS',
      'libjxl',
      "Independent JPEG Group's software",
      'dicom-dictionary-std',
      'pydicom',
    ]),
  );
  // The IJG license requires this sentence of programs that are distributed without source code.
  expect(notices).toContain('This software is based in part on the work of the Independent JPEG Group.');
});

function titleOf({ name, version, licenses }: Component): string {
  return `${name}${version === undefined ? '' : ` ${version}`} (${licenses[0]?.expression})`;
}

function textUnder(title: string): string {
  const start = notices.indexOf(`\n${title}`);
  if (start < 0) return '';
  const text = notices.slice(notices.indexOf('\n', start + 1));
  return text.slice(0, text.indexOf('='.repeat(80)) + 1 || undefined);
}
