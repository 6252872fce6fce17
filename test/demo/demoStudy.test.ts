import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_FILES, FIRST_FILE } from '../../src/demo/demoFiles.ts';
import { copyFirstSlice } from '../../src/demo/firstSlice.ts';
import { writeDemoStudy } from '../../src/demo/writeDemoStudy.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import type { DataSet } from '../../src/server/standard/dicom/dataSet.ts';
import { type DicomObject, readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import * as Tag from '../../src/server/standard/dicom/tag.ts';
import { sopClassName } from '../../src/server/standard/dicom/uids.ts';
import type { AttachmentsResponse } from '../../src/shared/contract/attachments.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { LayerResponse } from '../../src/shared/contract/layerAnswers.ts';
import { serve } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { needs } from '../support/needs.ts';
import { until } from '../support/until.ts';

const WRITE_TIMEOUT_MS = 180_000;

const FILES_OF_KIND = {
  'CT Image Storage': 60,
  'MR Image Storage': 24,
  'Enhanced MR Image Storage': 1,
  'Ultrasound Multi-frame Image Storage': 1,
  'Digital Mammography X-Ray Image Storage - For Presentation': 1,
  'Segmentation Storage': 2,
  'Parametric Map Storage': 1,
  'RT Structure Set Storage': 1,
  'RT Plan Storage': 1,
  'RT Dose Storage': 1,
  'Comprehensive SR Storage': 1,
  'Grayscale Softcopy Presentation State Storage': 1,
  'Key Object Selection Document Storage': 1,
  'VL Whole Slide Microscopy Image Storage': 5,
};

describe('the demo study', () => {
  const folder = mkdtempSync(join(tmpdir(), 'negato-demo-test-'));
  let study: ReadonlyMap<string, DicomObject>;

  beforeAll(async () => {
    await writeDemoStudy(folder);
    study = new Map(
      filesBelow(folder)
        .filter((path) => path.endsWith('.dcm'))
        .map((path) => [path, readDicom(bufferSource(readFileSync(join(folder, path))))]),
    );
  }, WRITE_TIMEOUT_MS);
  afterAll(() => rmSync(folder, { recursive: true }));

  const objectsOf = (kind: keyof typeof FILES_OF_KIND) =>
    [...study.values()].filter(({ dataSet }) => sopClassName(dataSet.string(Tag.SOPClassUID) ?? '') === kind);
  const only = (path: string) => study.get(path)!;
  const ctByUid = () =>
    new Map(objectsOf('CT Image Storage').map(({ dataSet }) => [dataSet.string(Tag.SOPInstanceUID), dataSet]));

  test('is the same to the byte when it is written again', { timeout: WRITE_TIMEOUT_MS }, async () => {
    const again = createTempFolder();
    await writeDemoStudy(again);

    expect(hashesOf(again)).toEqual(hashesOf(folder));
  });

  test('holds every kind of object that the viewer has a view for', () => {
    const counts: Record<string, number> = {};
    for (const { dataSet } of study.values()) {
      const kind = sopClassName(dataSet.string(Tag.SOPClassUID) ?? '') ?? 'unknown';
      counts[kind] = (counts[kind] ?? 0) + 1;
    }

    expect(counts).toEqual(FILES_OF_KIND);
  });

  test('has the files that are listed while it is made, and no others', () => {
    expect(filesBelow(folder).toSorted()).toEqual(DEMO_FILES.toSorted());
  });

  test('begins with the slice that is part of the build', () => {
    const shipped = createTempFolder();
    expect(copyFirstSlice(shipped)).toBe(true);
    expect(readFileSync(join(shipped, FIRST_FILE))).toEqual(readFileSync(join(folder, FIRST_FILE)));
  });

  test('has the output of a model on the grid of its CT, which the scan finds', async () => {
    const server = await serve(folder);
    const { attachments }: AttachmentsResponse = await (await server.request('/api/attachments')).json();
    expect(attachments).toMatchObject([
      { title: '16-model-organs', shape: [512, 512, 60], placement: { status: 'by_grid' } },
    ]);
    const { parts, targets }: LayerResponse = await (await server.request('/api/layer/1000000')).json();
    expect(parts.map(({ part }) => part)).toEqual([1, 2, 3, 4, 5]);
    const { files }: FilesResponse = await (await server.request('/api/files')).json();
    expect(new Set(targets.map(({ file_index }) => files[file_index]?.modality))).toEqual(new Set(['CT']));
  });

  test('takes less than 60 MB of disk', () => {
    const bytes = filesBelow(folder).reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);

    expect(bytes).toBeLessThan(60e6);
  });

  test('reads back without a single remark', () => {
    const remarks = [...study].flatMap(([path, { flags }]) => flags.map((flag) => ({ path, flag })));

    expect(remarks).toEqual([]);
  });

  test('is one study of one patient, and no two objects share an identifier', () => {
    const valuesOf = (tag: number) => [...study.values()].map(({ dataSet }) => dataSet.string(tag));

    expect(new Set(valuesOf(Tag.PatientID)).size).toBe(1);
    expect(new Set(valuesOf(Tag.StudyInstanceUID)).size).toBe(1);
    expect(new Set(valuesOf(Tag.SOPInstanceUID)).size).toBe(study.size);
  });

  test('has CT slices of 512 by 512 that are 3 mm apart', () => {
    const heights = objectsOf('CT Image Storage').map(
      ({ dataSet }) => dataSet.numbers(Tag.ImagePositionPatient, 1000)[2]!,
    );
    const steps = heights.slice(1).map((height, i) => height - heights[i]!);

    expect(new Set(steps)).toEqual(new Set([3]));
    expect(new Set(objectsOf('CT Image Storage').map(({ dataSet }) => dataSet.number(Tag.Rows)))).toEqual(
      new Set([512]),
    );
  });

  test('has MR slices whose orientation is no axis of the patient, with unit vectors at right angles', () => {
    for (const { dataSet } of objectsOf('MR Image Storage')) {
      const [ax = 0, ay = 0, az = 0, bx = 0, by = 0, bz = 0] = dataSet.numbers(Tag.ImageOrientationPatient, 1000);
      expect(Math.hypot(ax, ay, az)).toBeCloseTo(1, 9);
      expect(Math.hypot(bx, by, bz)).toBeCloseTo(1, 9);
      expect(ax * bx + ay * by + az * bz).toBeCloseTo(0, 9);
      expect(Math.max(Math.abs(ax), Math.abs(bz))).toBeLessThan(0.999);
    }
  });

  test('stores the frames of the diffusion image in another order than in space', () => {
    const { dataSet } = only('03-diffusion.dcm');
    const groups = dataSet.items(Tag.PerFrameFunctionalGroupsSequence);
    const heights = groups.map((group) => positionOf(group)[2]!);
    const inStack = groups.map((group) => group.items(Tag.FrameContentSequence)[0]!.number(Tag.InStackPositionNumber)!);

    expect(groups).toHaveLength(dataSet.number(Tag.NumberOfFrames)!);
    expect(heights).not.toEqual(heights.toSorted((a, b) => a - b));
    // 20 slices, 6 mm apart, starting at the lowest.
    const lowest = Math.min(...heights);
    expect(heights.map((height) => (height - lowest) / 6 + 1)).toEqual(inStack);
    expect(new Set(inStack).size).toBe(20);
  });

  test('has a binary segmentation whose frames lie on the CT slices that they name', () => {
    const slices = ctByUid();
    const { dataSet } = only('06-organs.seg.dcm');
    const groups = dataSet.items(Tag.PerFrameFunctionalGroupsSequence);

    expect(groups).toHaveLength(dataSet.number(Tag.NumberOfFrames)!);
    for (const group of groups) {
      const slice = slices.get(sourceOf(group).string(Tag.ReferencedSOPInstanceUID));
      expect(positionOf(group)).toEqual(slice?.numbers(Tag.ImagePositionPatient, 1000));
    }
    // 512 by 512 bits per frame.
    expect(only('06-organs.seg.dcm').pixelData?.length).toBe((groups.length * 512 * 512) / 8);
  });

  test('has a fractional segmentation and a parametric map whose frames lie on the diffusion frames that they name', () => {
    const frames = only('03-diffusion.dcm').dataSet.items(Tag.PerFrameFunctionalGroupsSequence);
    for (const path of ['07-probability.seg.dcm', '08-adc.dcm']) {
      for (const group of only(path).dataSet.items(Tag.PerFrameFunctionalGroupsSequence)) {
        for (const frameNumber of sourceOf(group).numbers(Tag.ReferencedFrameNumber, 1000)) {
          expect(positionOf(frames[frameNumber - 1]!)).toEqual(positionOf(group));
        }
      }
    }
  });

  test('reports the volume that the segmented lesion pixels add up to', () => {
    const { dataSet, pixelData } = only('06-organs.seg.dcm');
    const groups = dataSet.items(Tag.PerFrameFunctionalGroupsSequence);
    const frameBytes = (512 * 512) / 8;
    const bytes = pixelData!.source.read(pixelData!.offset, pixelData!.length);
    let pixels = 0;
    for (const [frame, group] of groups.entries()) {
      if (group.items(Tag.SegmentIdentificationSequence)[0]!.number(Tag.ReferencedSegmentNumber) !== 2) continue;
      for (const byte of bytes.subarray(frame * frameBytes, (frame + 1) * frameBytes)) pixels += bitCount(byte);
    }

    // A pixel is 0.78125 mm square and 3 mm thick.
    expect(numberIn(only('12-report.dcm').dataSet, '118565006')).toBeCloseTo((pixels * 0.78125 ** 2 * 3) / 1000, 2);
  });

  test('reports each lesion with an outline that encloses its area on a slice of the CT, and names what it used', () => {
    const { dataSet } = only('12-report.dcm');
    const slices = ctByUid();
    const regions = itemsNamed(dataSet, '111030');
    const areas = itemsNamed(dataSet, '42798000').map((item) => numberIn(item, '42798000')!);
    expect(regions).toHaveLength(4);
    for (const [at, region] of regions.entries()) {
      const points = region.numbers(Tag.GraphicData, 10_000);
      expect(points.slice(-2)).toEqual(points.slice(0, 2));
      // The outline is smoothed over blocks of two pixels, so that it does not follow each of them.
      const share = (areaOf(points) * 0.78125 ** 2) / areas[at]!;
      expect(share).toBeGreaterThan(0.9);
      expect(share).toBeLessThan(1.1);
      const [image] = region.items(Tag.ContentSequence)[0]!.items(Tag.ReferencedSOPSequence);
      expect(slices.has(image!.string(Tag.ReferencedSOPInstanceUID))).toBe(true);
    }

    const evidence = new Set(namedBelow(dataSet.items(EVIDENCE)));
    const named = namedBelow(dataSet.items(Tag.ContentSequence));
    expect(named.filter((uid) => !evidence.has(uid))).toEqual([]);
    const open = new Set([...study.values()].map((object) => object.dataSet.string(Tag.SOPInstanceUID)));
    expect(named.filter((uid) => !open.has(uid))).toEqual([]);
    for (const path of ['06-organs.seg.dcm', '09-structures.dcm', '10-plan.dcm']) {
      expect(named).toContain(only(path).dataSet.string(Tag.SOPInstanceUID));
    }
  });

  test('outlines structures on the slices that the outlines name, and the body on every slice', () => {
    const slices = ctByUid();
    const rois = only('09-structures.dcm').dataSet.items(Tag.ROIContourSequence);

    expect(rois).toHaveLength(10);
    for (const contour of rois.flatMap((roi) => roi.items(Tag.ContourSequence))) {
      const image = contour.items(Tag.ContourImageSequence)[0]!.string(Tag.ReferencedSOPInstanceUID);
      const heights = contour.numbers(Tag.ContourData, 1000).filter((_, i) => i % 3 === 2);
      expect(new Set(heights)).toEqual(new Set([slices.get(image)!.numbers(Tag.ImagePositionPatient, 1000)[2]]));
    }
    const bodyImages = rois[0]!
      .items(Tag.ContourSequence)
      .map((contour) => contour.items(Tag.ContourImageSequence)[0]!.string(Tag.ReferencedSOPInstanceUID));
    expect(new Set(bodyImages)).toEqual(new Set(slices.keys()));
  });

  test('gives the largest lesion the prescribed dose and the far edge of the grid next to none', () => {
    const { dataSet, pixelData } = only('11-dose.dcm');
    const columns = dataSet.number(Tag.Columns)!;
    const rows = dataSet.number(Tag.Rows)!;
    const [x = 0, y = 0, z = 0] = dataSet.numbers(Tag.ImagePositionPatient, 1000);
    const spacing = dataSet.numbers(Tag.PixelSpacing, 1000)[0]!;
    const doseAt = (place: readonly [number, number, number]) => {
      const column = Math.round((place[0] - x) / spacing);
      const row = Math.round((place[1] - y) / spacing);
      const frame = Math.round((place[2] - z) / 3);
      const at = pixelData!.offset + 4 * ((frame * rows + row) * columns + column);
      const bytes = pixelData!.source.read(at, 4);
      return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) * dataSet.number(Tag.DoseGridScaling)!;
    };

    expect(dataSet.numbers(Tag.GridFrameOffsetVector, 1000)).toHaveLength(60);
    expect(doseAt([-82, -18, -22])).toBeGreaterThan(47.5);
    expect(doseAt([-82, -18, -22])).toBeLessThan(55);
    expect(doseAt([120, 0, 80])).toBeLessThan(0.5);
  });

  test('has a pyramid of three levels, each a quarter of the one below, with all its tiles', () => {
    const levels = [0, 1, 2].map((level) => only(`13-slide/level-${level}.dcm`).dataSet);
    const sizes = levels.map(
      (level) => [level.number(Tag.TotalPixelMatrixColumns)!, level.number(Tag.TotalPixelMatrixRows)!] as const,
    );

    expect(sizes).toEqual([
      [3072, 2304],
      [768, 576],
      [192, 144],
    ]);
    expect(new Set(levels.map((level) => level.string(Tag.PyramidUID))).size).toBe(1);
    // Tiles of 256: 12 x 9, 3 x 3 (the last row is padded), 1.
    expect(levels.map((level) => level.number(Tag.NumberOfFrames))).toEqual([108, 9, 1]);
    expect(only('13-slide/label.dcm').dataSet.strings(Tag.ImageType, 100)[2]).toBe('LABEL');
    expect(only('13-slide/overview.dcm').dataSet.strings(Tag.ImageType, 100)[2]).toBe('OVERVIEW');
  });
});

test('being aborted ends the writing with the reason of the signal', { timeout: WRITE_TIMEOUT_MS }, async () => {
  const folder = createTempFolder();
  const stop = new AbortController();
  const reason = new Error('stopped by the test');

  const writing = writeDemoStudy(folder, { signal: stop.signal });
  stop.abort(reason);

  await expect(writing).rejects.toBe(reason);
  expect(filesBelow(folder).length).toBeLessThan(99);
});

test('a folder that cannot be made fails with what the system says', async () => {
  const file = writeBelow(createTempFolder(), 'file');

  await expect(writeDemoStudy(join(file, 'study'))).rejects.toThrow('ENOTDIR');
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

function hashesOf(folder: string): Record<string, string> {
  const hash = (path: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  return Object.fromEntries(filesBelow(folder).map((path) => [path, hash(path)]));
}

function positionOf(group: DataSet): readonly number[] {
  return group.items(Tag.PlanePositionSequence)[0]!.numbers(Tag.ImagePositionPatient, 1000);
}

function sourceOf(group: DataSet): DataSet {
  return group.items(Tag.DerivationImageSequence)[0]!.items(Tag.SourceImageSequence)[0]!;
}

/** Current Requested Procedure Evidence Sequence. */
const EVIDENCE = 0x0040a375;

/** The instances that items and everything below them refer to. */
function namedBelow(items: readonly DataSet[]): string[] {
  return items.flatMap((item) => [
    ...item.items(Tag.ReferencedSOPSequence).flatMap((named) => named.string(Tag.ReferencedSOPInstanceUID) ?? []),
    ...[Tag.ContentSequence, Tag.ReferencedSeriesSequence].flatMap((tag) => namedBelow(item.items(tag))),
  ]);
}

/** All items below one whose concept has this code. */
function itemsNamed(item: DataSet, code: string): DataSet[] {
  const isNamed = item.items(Tag.ConceptNameCodeSequence)[0]?.string(Tag.CodeValue) === code;
  return [...(isNamed ? [item] : []), ...item.items(Tag.ContentSequence).flatMap((child) => itemsNamed(child, code))];
}

/** Of a closed outline, x and y alternating. */
function areaOf(points: readonly number[]): number {
  let twice = 0;
  for (let i = 0; i + 3 < points.length; i += 2) twice += points[i]! * points[i + 3]! - points[i + 2]! * points[i + 1]!;
  return Math.abs(twice) / 2;
}

/** The first number in a report whose concept has this code. */
function numberIn(item: DataSet, code: string): number | undefined {
  if (item.items(Tag.ConceptNameCodeSequence)[0]?.string(Tag.CodeValue) === code) {
    return item.items(Tag.MeasuredValueSequence)[0]?.number(Tag.NumericValue);
  }
  for (const child of item.items(Tag.ContentSequence)) {
    const found = numberIn(child, code);
    if (found !== undefined) return found;
  }
  return undefined;
}

function bitCount(byte: number): number {
  let count = 0;
  for (let rest = byte; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}

test(
  'the process that makes the study leaves the processors to whoever looks at its first slice',
  { ...needs('Linux'), timeout: 180_000 },
  async () => {
    const ending = new AbortController();
    const making = writeDemoStudy(createTempFolder(), { signal: ending.signal });
    const isStopped = making.then(
      () => false,
      () => true,
    );
    await until(() => prioritiesOfChildren().some((priority) => priority > getPriority()));
    ending.abort();
    expect(await isStopped).toBe(true);
  },
);

/** Priorities of the child processes of this process. */
function prioritiesOfChildren(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const [, parent] =
        readFileSync(`/proc/${Number(name)}/stat`, 'utf8')
          .split(') ')[1]
          ?.split(' ') ?? [];
      return Number(parent) === process.pid ? [getPriority(Number(name))] : [];
    } catch {
      // Not a process, or one that has ended.
      return [];
    }
  });
}
