import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPath } from '../support/sources.ts';
import { bufferSource, createReadWindow } from '../../src/server/bytes/origins/byteSource.ts';
import {
  createFullScanner,
  createHeaderScanner,
  type HeaderScan,
} from '../../src/server/standard/dicom/headerScanner.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import * as Tag from '../../src/server/standard/dicom/tag.ts';
import { corpus } from '../support/corpus.ts';
import { leavesOf } from '../support/leavesOf.ts';
import { CORPUS, needs } from '../support/needs.ts';

const WANTED = [
  Tag.SOPClassUID,
  Tag.SOPInstanceUID,
  Tag.Modality,
  Tag.PatientName,
  Tag.StudyDescription,
  Tag.NumberOfFrames,
  Tag.Rows,
  Tag.BitsAllocated,
  Tag.SmallestImagePixelValue,
  Tag.PixelSpacing,
  Tag.WindowCenter,
  Tag.SharedFunctionalGroupsSequence,
];

/** A stray space precedes the first element. No tool reads this file unless it is forced to. */
const NOT_DICOM = ['odd-and-broken/pydicom/no_meta.dcm'];

type Row = { path: string; transferSyntax: string; sopClass: string; modality: string };

function readManifest(folder: string): Row[] {
  const [head = '', ...lines] = readFileSync(join(folder, 'manifest.tsv'), 'utf8').trimEnd().split('\n');
  const names = head.split('\t');
  return lines.map((line) => {
    const cells = line.split('\t');
    const cell = (name: string) => cells[names.indexOf(name)] ?? '';
    return {
      path: cell('path'),
      transferSyntax: cell('transfer_syntax'),
      sopClass: cell('sop_class'),
      modality: cell('modality'),
    };
  });
}

function describeScan(result: HeaderScan): unknown {
  if (result.kind === 'failed') return result;
  const { attributes, pixelData, flags, transferSyntaxUid } = result;
  const values = WANTED.map((tag) => [
    attributes.has(tag),
    attributes.strings(tag, 100),
    attributes.numbers(tag, 1000),
  ]);
  return { values, flags, transferSyntaxUid, pixels: pixelData && { ...pixelData, source: undefined } };
}

describe('real files', needs(CORPUS), () => {
  const folder = corpus ?? '';

  test('are recognised, with the syntax, class and modality that the manifest gives', () => {
    const scanner = createHeaderScanner(WANTED);
    const window = createReadWindow();
    const wrong: unknown[] = [];
    for (const row of readManifest(folder)) {
      const source = openPath(join(folder, row.path), window);
      const result = scanner.scan(source);
      source.close();
      if (result.kind === 'failed') {
        if (!NOT_DICOM.includes(row.path)) wrong.push({ ...row, result });
        continue;
      }
      const { attributes, meta, transferSyntaxUid } = result;
      const sopClass = attributes.string(Tag.SOPClassUID) ?? meta.string(Tag.MediaStorageSOPClassUID) ?? '';
      const declared = row.transferSyntax.startsWith('1.2') ? row.transferSyntax.split(' ')[0] : transferSyntaxUid;
      const isSame =
        declared === transferSyntaxUid &&
        (row.sopClass === '' || row.sopClass.split(' ')[0] === sopClass) &&
        (row.modality === '' || row.modality === attributes.string(Tag.Modality));
      if (!isSame) wrong.push({ ...row, transferSyntaxUid, sopClass, modality: attributes.string(Tag.Modality) });
    }
    expect(wrong).toEqual([]);
  });

  test('give the same through the short path and the full reader', () => {
    const short = createHeaderScanner(WANTED);
    const full = createFullScanner(WANTED);
    for (const { path } of readManifest(folder)) {
      const describeWith = (scanner: typeof short) => {
        const source = openPath(join(folder, path));
        const described = describeScan(scanner.scan(source));
        source.close();
        return described;
      };
      expect({ path, scan: describeWith(short) }).toEqual({ path, scan: describeWith(full) });
    }
  });

  test('that are cut keep every element before the cut', () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => statSync(path).size < 60_000);
    for (const [index, path] of files.entries()) {
      const bytes = readFileSync(path);
      const [whole, part] = [bytes.length, Math.floor((bytes.length * ((index * 37) % 100)) / 100)].map((length) =>
        readLeaves(bytes.subarray(0, length)),
      );
      if (whole === undefined || part === undefined) continue;
      const found = new Map(part.leaves.map((leaf) => [leaf.path, leaf]));
      const before = whole.leaves.filter((leaf) => leaf.end <= part.length);
      expect({ path, leaves: before.map((leaf) => found.get(leaf.path)) }).toEqual({ path, leaves: before });
    }
  });
});

/**
 * Undefined if the file is not DICOM, or is deflated, because positions in the inflated data are not those in the file.
 */
function readLeaves(bytes: Uint8Array) {
  try {
    const { dataSet, transferSyntaxUid } = readDicom(bufferSource(bytes));
    if (transferSyntaxUid === '1.2.840.10008.1.2.1.99') return undefined;
    return { leaves: leavesOf(dataSet), length: bytes.length };
  } catch {
    return undefined;
  }
}
