import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeFile, SCANNED_TAGS } from '../../src/server/catalog/describeFile.ts';
import { openFileSource } from '../../src/server/dicom/byteSource.ts';
import { createHeaderScanner } from '../../src/server/dicom/headerScanner.ts';
import { readDicom } from '../../src/server/dicom/readDataSet.ts';
import * as Tag from '../../src/server/dicom/tag.ts';
import { orientationAt, planeAt, pointAt } from '../../src/server/geometry/frameGeometry.ts';
import { readGeometry } from '../../src/server/geometry/readGeometry.ts';
import { readFramePlanes } from '../../src/server/semantics/framePlanes.ts';
import { planeAt as oldPlaneAt } from '../../src/server/semantics/planeColumns.ts';
import { readFrameGeometry } from '../../src/server/series/readFrameGeometry.ts';
import { buildOrientation } from '../../src/shared/geometry.ts';
import { type DataSetInput, writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { corpus } from '../support/corpus.ts';
import { ctElements } from '../support/ctElements.ts';
import { enhancedElements } from '../support/enhancedElements.ts';
import { placeLevel, slideElements } from '../support/slideElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const scanner = createHeaderScanner(SCANNED_TAGS);

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** What the new reader says otherwise than an old one: `reader: what`, with the first frame. */
function compare(path: string): string[] {
  const source = openFileSource(path);
  const differences = new Map<string, string>();
  const differ = (what: string, frame: number) => {
    if (!differences.has(what)) differences.set(what, `${what} ${frame}`);
  };
  try {
    const scan = scanner.scan(source);
    if (scan.kind === 'failed') return [];
    const file = describeFile({ path, realPath: path, source, scan });
    const { frameCount, identity, placement } = file;
    if (placement === undefined || frameCount === 0) return [];
    const geometry = readGeometry(source, frameCount);
    if (frameCount === 1 && placement.slide === undefined) {
      if (!same(pointAt(geometry, 0), placement.position)) differ('catalog position', 0);
      if (!same(orientationAt(geometry, 0), buildOrientation(placement.orientation))) differ('catalog orientation', 0);
    }
    if (!same(geometry.measures[geometry.measuresOf[0] ?? -1]?.spacingMm, file.pixelSpacingMm))
      differ('catalog spacing', 0);
    if (placement.hasFrameGeometry) {
      const old = readFrameGeometry({ path, identity, frameCount });
      if (old.isSpatial !== geometry.isSpatial) differ('series isSpatial', 0);
      for (let frame = 0; frame < frameCount; frame += 1) {
        const point = Number.isNaN(old.points[3 * frame])
          ? undefined
          : [...old.points.subarray(3 * frame, 3 * frame + 3)];
        if (!same(point, pointAt(geometry, frame))) differ('series point', frame);
        const orientation = buildOrientation(old.orientations[old.orientationOf[frame] ?? -1]);
        if (!same(orientation, orientationAt(geometry, frame))) differ('series orientation', frame);
      }
    }
    const planes = readFramePlanes({ path, identity }, frameCount);
    if (planes.frameOfReferenceUid !== geometry.frameOfReferenceUid) differ('semantics frame of reference', 0);
    if (planes.isSlide !== (geometry.space === 'slide')) differ('semantics slide', 0);
    for (let frame = 0; frame < frameCount; frame += 1) {
      const old = oldPlaneAt(planes.planes, frame);
      if (!same(old, planeAt(geometry, frame))) differ('semantics plane', frame);
    }
    // The page: the top level, else what all frames share, else the frame's own.
    const { dataSet } = readDicom(source, { until: Tag.FloatPixelData });
    const shared = dataSet.items(Tag.SharedFunctionalGroupsSequence)[0];
    for (let frame = 0; frame < Math.min(frameCount, 200); frame += 1) {
      const own = dataSet.items(Tag.PerFrameFunctionalGroupsSequence)[frame];
      const page = [dataSet, ...[shared, own].map((groups) => groups?.items(Tag.PlaneOrientationSequence)[0])]
        .map((item) => buildOrientation(item?.numbers(Tag.ImageOrientationPatient, 6)))
        .find((each) => each !== undefined);
      if (geometry.space === 'patient' && !same(page, orientationAt(geometry, frame)))
        differ('page orientation', frame);
    }
    return [...differences.values()];
  } finally {
    source.close();
  }
}

function listFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? listFiles(path) : [path];
  });
}

/** Where the old readers did not agree with each other, and the one reader follows the standard. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  // Grid Frame Offset Vector (PS3.3 C.8.8.3.2), which the reader of planes did not know: the reader of series did.
  'rt/plastimatch-tiny/dose_1.2.826.0.1.3680043.8.274.1.1.6549911257.77961.3133305374.424.dcm': ['semantics plane 1'],
  'rt/small/rtdose.dcm': ['semantics plane 1'],
  'rt/small/rtdose_expb.dcm': ['semantics plane 1'],
  'rt/small/rtdose_rle.dcm': ['semantics plane 1'],
  'rt/xio-irregular-spacing/DOSE.20110509.1010_Irregular.dcm': ['semantics plane 1'],
  // Plane Position (Slide) (PS3.3 C.8.12.6.1), which the reader of series did not know: the reader of planes did.
  'wsi/tiny/seg_image_sm_dots.dcm': ['series point 0', 'series orientation 0'],
};

describe.skipIf(corpus === undefined)('the corpus', () => {
  test('is placed by the one reader as by those before it', () => {
    const found: Record<string, string[]> = {};
    const folder = corpus ?? '';
    let compared = 0;
    for (const path of listFiles(folder)) {
      compared += 1;
      const differences = compare(path);
      if (differences.length > 0) found[relative(folder, path)] = differences;
    }
    expect(found).toEqual(KNOWN);
    expect(compared).toBeGreaterThan(800);
  }, 120_000);
});

describe('written files', () => {
  const AXIAL = ['1', '0', '0', '0', '1', '0'];
  const top = { ImagePositionPatient: ['1', '2', '3'], ImageOrientationPatient: AXIAL, PixelSpacing: ['1', '1'] };
  const two = { NumberOfFrames: 2, PixelData: new Uint8Array(8) };

  test.each<[string, DataSetInput, readonly string[]]>([
    ['an enhanced image', enhancedElements([{ position: [0, 0, 1] }, { position: [0, 0, 2] }]), []],
    ['a single image', ctElements(top), []],
    ['a single image with groups', enhancedElements([{ position: [0, 0, 1] }], top), []],
    // At the top level stands the position of the first frame; the reader of series gave it to all.
    [
      'groups without a position',
      enhancedElements([], { ...two, ...top, PerFrameFunctionalGroupsSequence: [{}, {}] }),
      ['series point 1'],
    ],
    // What all frames share holds for a frame without groups too (PS3.3 C.7.6.16.1); the reader of series left it out.
    [
      'fewer groups than frames',
      enhancedElements([], {
        ...two,
        PerFrameFunctionalGroupsSequence: [{ PlanePositionSequence: [{ ImagePositionPatient: ['0', '0', '1'] }] }],
      }),
      ['series orientation 1'],
    ],
    // Groups come before attributes at the top level; the page had it the other way around.
    [
      'an orientation in groups and another at the top level',
      enhancedElements([{ position: [0, 0, 1] }], { ...top, ImageOrientationPatient: ['0', '1', '0', '0', '0', '-1'] }),
      ['page orientation 0'],
    ],
    // A position has three values (PS3.6); the reader of planes took the first three of four.
    [
      'a position of four values',
      ctElements({ ...top, ImagePositionPatient: ['1', '2', '3', '4'] }),
      ['semantics plane 0'],
    ],
    [
      'a part of a full tiling',
      // Frames of a concatenation go on counting (PS3.3 C.7.6.16.2.2.4); the reader of planes began anew in each part.
      slideElements({ ...placeLevel(20, 10, '0.5'), ConcatenationFrameOffsetNumber: 4, NumberOfFrames: 5 }),
      ['semantics plane 0'],
    ],
  ])('%s', (_, elements, differences) => {
    expect(compare(writeBelow(createTempFolder(), 'a.dcm', writeDicom(elements)))).toEqual(differences);
  });
});
