import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createCatalog } from '../../src/server/images/catalog/catalog.ts';
import { createFileScanner } from '../../src/server/images/catalog/scanFile.ts';
import { corpus } from '../support/corpus.ts';
import { localFile } from '../../src/server/bytes/origins/origins.ts';
import { CORPUS, needs } from '../support/needs.ts';

/** One line of the corpus manifest, which was written by another tool. */
type ManifestEntry = {
  path: string;
  bytes: number;
  sopClassUid: string;
  modality: string;
  transferSyntaxUid: string;
  shape: string;
  photometricInterpretation: string;
};

function readManifest(folder: string): ManifestEntry[] {
  const lines = readFileSync(join(folder, 'manifest.tsv'), 'utf8').trimEnd().split('\n').slice(1);
  return lines.map((line) => {
    const column = line.split('\t');
    const [path = '', bytes = ''] = column;
    return {
      path,
      bytes: Number(bytes),
      sopClassUid: column[5]?.split(' ')[0] ?? '',
      modality: column[6] ?? '',
      transferSyntaxUid: column[7]?.split(' ')[0] ?? '',
      shape: column[8] ?? '',
      photometricInterpretation: column[10] ?? '',
    };
  });
}

describe('the corpus', needs(CORPUS), () => {
  const folder = corpus ?? '';

  test('has no file that is neither listed nor named with a reason', async () => {
    const catalog = createCatalog({ inputs: [folder] });
    catalog.start();
    expect(await catalog.scanComplete).toBe('complete');

    const { files, discovery, skipped } = catalog.snapshot();
    const accounted = new Set([...files, ...discovery].map(({ path }) => path));
    const missing = readManifest(folder).filter(({ path }) => !accounted.has(join(folder, path)));
    expect(missing).toEqual([]);
    // The ledger contains all skipped files, so none was skipped without an entry.
    expect(skipped).toBe(discovery.length);
    expect(accounted.size).toBe(files.length + skipped);
  });

  test('reads as another tool reads it', () => {
    const scanFile = createFileScanner([]);
    const differences: unknown[] = [];
    for (const entry of readManifest(folder)) {
      // These are broken on purpose, and tools differ in how they read them.
      if (entry.path.startsWith('odd-and-broken/')) continue;
      const path = join(folder, entry.path);
      const result = scanFile({ path, ref: localFile(path) });
      if (result.disposition !== 'selected') {
        if (!('reason' in result) || result.reason !== 'media_directory') differences.push(result);
        continue;
      }
      const { file } = result;
      const [rows, columns, frames, samples] = entry.shape.split('x').map(Number);
      const expected = {
        fileBytes: entry.bytes,
        sopClassUid: entry.sopClassUid,
        modality: entry.modality,
        photometricInterpretation: entry.photometricInterpretation,
        // The manifest has "(no meta)" for files without a transfer syntax.
        ...(entry.transferSyntaxUid.startsWith('(') ? {} : { transferSyntaxUid: entry.transferSyntaxUid }),
        ...(file.hasPixels && { rows, columns, frameCount: frames, samplesPerPixel: samples }),
      };
      const actual = Object.fromEntries(Object.entries(file).filter(([key]) => key in expected));
      if (!isDeepStrictEqual(actual, expected)) differences.push({ path: entry.path, actual, expected });
    }
    expect(differences).toEqual([]);
  });
});
