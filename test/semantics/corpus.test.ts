import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openPath } from '../support/sources.ts';
import type { ImagePlane } from '../../src/shared/geometry.ts';
import type { ReferencesResponse } from '../../src/shared/contract/references.ts';
import type { SemanticContextResponse } from '../../src/shared/contract/semantics.ts';
import type { DataSet } from '../../src/server/standard/dicom/dataSet.ts';
import { attributesOfFrame } from '../../src/server/standard/dicom/eachFrame.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import { planeAt } from '../../src/server/standard/geometry/frameGeometry.ts';
import { readGeometry as readFrameGeometry } from '../../src/server/standard/geometry/readGeometry.ts';
import { withSame } from '../../src/server/bytes/origins/origins.ts';
import { findKnownPlace } from '../../src/server/over/layers/knownPlace.ts';
import * as Tag from '../../src/server/standard/dicom/tag.ts';
import { corpus } from '../support/corpus.ts';
import { readPng } from '../support/readPng.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { CORPUS, needs } from '../support/needs.ts';

/**
 * Distinct references per file, counted with pydicom over all items with a Referenced SOP Class or Instance UID. Each
 * instance with its frame and segment numbers counts once. A series counts once if none of its instances is named. Of
 * the evidence of a report, only what its content does not name counts.
 */
const REFERENCES: Readonly<Record<string, number>> = {
  'seg/dcmqi-liver/liver.dcm': 3,
  'seg/dcmqi-liver/partial_overlaps.dcm': 3,
  'seg/pet-tumor/tumor_User1_Manual_Trial1.dcm': 9,
  'seg/highdicom-ct/seg_image_ct_binary.dcm': 4,
  'seg/dcmqi-24x38x3/sparse-labelmap-ppv5.dcm': 2,
  'sr/dcmqi/sr.dcm': 193,
  'sr/dcmqi/rwvm.dcm': 191,
  'sr/misc/test-SR.dcm': 6,
  'sr/highdicom/sr_document.dcm': 1,
  'sr/dwv/tid1500-0/sr-arrow.dcm': 1,
  'presentation-state/clearcanvas/real0X.ko.dcm': 13,
  'presentation-state/clearcanvas/real01.pr.dcm': 1,
  'rt/small/rtplan.dcm': 2,
  'rt/small/rtdose.dcm': 1,
  'rt/small/rtstruct.dcm': 2,
  'rt/xio-irregular-spacing/SS.rtp99.5.20110509.1010.dcm': 27,
};

function writePlane(plane: ImagePlane | undefined): string | undefined {
  if (plane === undefined) return undefined;
  const { position, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm } = plane;
  return [position, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm].flat().join();
}

async function getJson<Body>(server: TestServer, path: string): Promise<Body> {
  const response = await server.request(path);
  expect(response.status).toBe(200);
  return response.json();
}

describe('the corpus', needs(CORPUS), () => {
  const folder = corpus ?? '';
  const serveTopics = (...topics: string[]) => serve(...topics.map((topic) => join(folder, topic)));
  const pathOf = ({ path }: { path: string }) => relative(folder, path);

  test('points to as many things as another tool counts', async () => {
    const server = await serveTopics('seg', 'sr', 'presentation-state', 'rt');

    const counts: Record<string, number> = {};
    for (const file of server.catalog.files) {
      if (REFERENCES[pathOf(file)] === undefined) continue;
      const body = await getJson<ReferencesResponse>(server, `/api/file/${file.index}/references`);
      counts[pathOf(file)] = body.references.length;
    }

    expect(counts).toEqual(REFERENCES);
  });

  test('lies where the scan has placed it: the only frame of a file is not read again for that', async () => {
    const server = await serve(folder);
    const differences: string[] = [];
    let compared = 0;
    for (const file of server.catalog.files) {
      const known = findKnownPlace(file);
      if (known === undefined) continue;
      compared += 1;
      const geometry = withSame(file.source, (opened) => readFrameGeometry(opened, 1));
      const read = [geometry.space, geometry.frameOfReferenceUid, writePlane(planeAt(geometry, 0))];
      const scanned = ['patient', known.frameOfReferenceUid, writePlane(known.plane)];
      if (!isDeepStrictEqual(read, scanned)) differences.push(pathOf(file));
    }
    expect([differences, compared > 200]).toEqual([[], true]);
  });

  test('has its segmentations drawn where the definition puts them', { timeout: 180_000 }, async () => {
    const server = await serveTopics('seg');
    let drawn = 0;
    const differences: string[] = [];
    for (const file of server.catalog.files.filter(({ objectKind }) => objectKind === 'segmentation')) {
      const { context } = await getJson<SemanticContextResponse>(server, `/api/file/${file.index}/semantic-context`);
      if (context.kind !== 'segmentation' || context.segmentation_type === 'LABELMAP') continue;
      for (const { frame_index: frame, mapping_status, source_frames } of context.frame_mappings) {
        const sourceFile = server.catalog.files[source_frames[0]?.file_index ?? -1];
        if (mapping_status !== 'resolved' || sourceFile === undefined) continue;
        const raw = await (await server.request(`/api/file/${file.index}/frame/${frame}/raw`)).bytes();
        const overlay = await server.request(`/api/file/${file.index}/frame/${frame}/segmentation-overlay`);
        const { rows, columns, pixels } = readPng(await overlay.bytes());
        const at = createSampler(readGeometry(file.path, frame), readGeometry(sourceFile.path, 0));
        const maximum = context.maximum_fractional_value;
        for (let row = 0; row < rows; row++) {
          for (let column = 0; column < columns; column++) {
            const value = raw[at(row, column)] ?? 0;
            const alpha = maximum === null ? (value === 0 ? 0 : 178) : Math.round((value / maximum) * 204);
            if (pixels[(row * columns + column) * 4 + 3] === alpha) continue;
            differences.push(`${pathOf(file)} frame ${frame} (${row}, ${column})`);
            row = rows;
            break;
          }
        }
        drawn += 1;
      }
    }

    expect(differences).toEqual([]);
    expect(drawn).toBeGreaterThan(40);
  });
});

type Geometry = {
  readonly rows: number;
  readonly columns: number;
  readonly position: readonly number[];
  readonly orientation: readonly number[];
  readonly spacing: readonly number[];
};

function readGeometry(path: string, frame: number): Geometry {
  const source = openPath(path);
  try {
    const { dataSet } = readDicom(source, { until: Tag.FloatPixelData });
    const read = (macro: number, tag: number) => attributesOfFrame(dataSet, frame, macro).numbers(tag, 1000);
    return {
      ...sizeOf(dataSet),
      position: read(Tag.PlanePositionSequence, Tag.ImagePositionPatient),
      orientation: read(Tag.PlaneOrientationSequence, Tag.ImageOrientationPatient),
      spacing: read(Tag.PixelMeasuresSequence, Tag.PixelSpacing),
    };
  } finally {
    source.close();
  }
}

function sizeOf(dataSet: DataSet): { rows: number; columns: number } {
  return { rows: dataSet.number(Tag.Rows) ?? 0, columns: dataSet.number(Tag.Columns) ?? 0 };
}

/**
 * Applies PS3.3 C.7.6.2.1.1 forwards for the source and backwards for the mask; -1 is outside. Without geometry, pixels
 * are matched by row and column.
 */
function createSampler(mask: Geometry, source: Geometry): (row: number, column: number) => number {
  if (mask.position.length === 0) return (row, column) => row * mask.columns + column;
  const dot = (a: (axis: number) => number, from: number) =>
    [0, 1, 2].reduce((sum, axis) => sum + a(axis) * mask.orientation[axis + from]!, 0);
  // Along one direction of the mask: where the first source pixel lies, and the step per column and per row.
  const [alongRow, downColumn] = [0, 3].map((from) => {
    const spacing = mask.spacing[from === 0 ? 1 : 0]!;
    return {
      start: dot((axis) => source.position[axis]! - mask.position[axis]!, from) / spacing,
      perColumn: dot((axis) => source.orientation[axis]! * source.spacing[1]!, from) / spacing,
      perRow: dot((axis) => source.orientation[axis + 3]! * source.spacing[0]!, from) / spacing,
    };
  });
  return (row, column) => {
    // The small addend keeps grids with coinciding edges independent of the last digit.
    const nearest = ({ start, perColumn, perRow }: { start: number; perColumn: number; perRow: number }) =>
      Math.floor(start + perColumn * column + perRow * row + 0.5 + 1e-6);
    const [atColumn, atRow] = [nearest(alongRow!), nearest(downColumn!)];
    const isInside = atRow >= 0 && atRow < mask.rows && atColumn >= 0 && atColumn < mask.columns;
    return isInside ? atRow * mask.columns + atColumn : -1;
  };
}
