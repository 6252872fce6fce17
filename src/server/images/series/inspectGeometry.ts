import type { AuditCode } from '../../../shared/contract/audits.ts';
import { roundingOf } from '../../../shared/evenSpacing.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { type FrameTable, orderFrames } from './frameTable.ts';
import { createOrientations, tabulateImages } from './imageStacks.ts';
import { mayLeaveOut, tabulateFrames } from './multiFrameStack.ts';
import { groupOrientations } from './orientationGroups.ts';
import type { Gap } from './places.ts';
import type { Series, Stack } from './stack.ts';
import type { PlaneSources } from './stackPlanes.ts';
import { besideGaps, listFilesOf, measureStack, type StackMeasures } from './stackWarnings.ts';
import {
  describeDuplicates,
  describeMissing,
  describeSpacing,
  describeTilt,
  describeTurned,
  type Noun,
} from './warningTexts.ts';

/** Something about the places of the images of a stack. */
export type GeometryFinding = {
  readonly code: AuditCode;
  readonly studyInstanceUid: string;
  readonly seriesInstanceUid: string;
  /** The first of the files concerned, ascending. */
  readonly fileIndices: readonly number[];
  readonly count: number;
  readonly message: string;
  readonly values: Readonly<Record<string, unknown>>;
};

type Found = Omit<GeometryFinding, 'studyInstanceUid' | 'seriesInstanceUid'>;

/** Files and gaps that a finding names. */
const MOST_NAMED = 20;

/** What is odd about the places of the images of a series, by the measures that the warnings of its stacks come from. */
export function inspectGeometry({ studyInstanceUid, seriesInstanceUid, stacks }: Series, sources: PlaneSources) {
  return stacks.flatMap((stack): GeometryFinding[] =>
    inspectOne(stack, sources).map(({ fileIndices, ...found }) => ({
      ...found,
      fileIndices: fileIndices.slice(0, MOST_NAMED),
      studyInstanceUid,
      seriesInstanceUid,
    })),
  );
}

function inspectOne(stack: Stack, sources: PlaneSources): Found[] {
  const { warnings, kind, frames } = stack;
  const found: Found[] = [];
  const incomplete = warnings.find(({ code }) => code === 'incomplete_concatenation');
  if (incomplete !== undefined) {
    const { message, fileIndices } = incomplete;
    found.push({ code: 'files_declared_missing', fileIndices, count: 1, message, values: {} });
  }
  const [first] = frames.fileIndices;
  const file = sources.files[first ?? -1];
  if (kind !== 'ordinary' || file === undefined || frames.length < 2) return found;
  const tabulated = tabulateStack(stack, file, sources);
  if (tabulated === undefined) return found;
  const { table, noun, isRadial } = tabulated;
  const measures = measureStack(table, orderFrames(table), { allowsGaps: mayLeaveOut(file) });
  if (measures === undefined) return [...found, ...findUnplaced(stack, file, noun)];
  return [...found, ...(isRadial ? [] : listFound(table, measures, noun))];
}

type Tabulated = { readonly table: FrameTable; readonly noun: Noun; readonly isRadial: boolean };

/** The table that the stack was built from. Undefined if its positions are not read. */
function tabulateStack({ frames }: Stack, file: DicomFile, { files, geometryOf }: PlaneSources): Tabulated | undefined {
  if (file.frameCount > 1) {
    const geometry = geometryOf(file);
    if (geometry !== undefined && !('problem' in geometry) && !geometry.isSpatial) return undefined;
    return { ...tabulateFrames(file, geometry), noun: 'frame' };
  }
  const images = Array.from(frames.fileIndices).flatMap((index) => files[index] ?? []);
  const orientations = createOrientations()(images);
  const { isRadial } = groupOrientations(orientations);
  return { table: tabulateImages(images, orientations), noun: 'image', isRadial };
}

function listFound(table: FrameTable, measures: StackMeasures, noun: Noun): Found[] {
  const { without, spacings, duplicates, turned, tilted, tiltDegrees, sparse } = measures;
  const gaps = spacings.flatMap(({ irregular }) => irregular);
  const holes = gaps.filter(({ missing }) => missing > 0);
  const uneven = spacings.map((one) => ({ ...one, irregular: one.irregular.filter(({ missing }) => missing === 0) }));
  const unevenGaps = uneven.flatMap(({ irregular }) => irregular);
  const toFound = (entries: readonly number[], found: Omit<Found, 'fileIndices'>): Found[] =>
    entries.length === 0 ? [] : [{ ...found, fileIndices: listFilesOf(table, entries) }];
  return [
    ...toFound(besideGaps(holes), {
      code: 'slice_missing',
      count: holes.reduce((sum, { missing }) => sum + missing, 0),
      message: describeMissing(0, holes, noun),
      values: { holes: holes.slice(0, MOST_NAMED).map(nameGap), all_holes: holes.length },
    }),
    ...toFound(sparse, {
      code: 'place_incomplete',
      count: sparse.length,
      message: `${sparse.length} ${noun}${sparse.length === 1 ? ' is in a place that has' : 's are in places that have'} fewer ${noun}s than most places`,
      values: {},
    }),
    ...toFound(duplicates, {
      code: 'slice_duplicate',
      count: duplicates.length,
      message: describeDuplicates(duplicates.length, noun),
      values: {},
    }),
    ...toFound(besideGaps(unevenGaps), {
      code: 'spacing_varies',
      count: unevenGaps.length,
      message: describeSpacing(uneven, noun),
      values: {
        gaps: unevenGaps.slice(0, MOST_NAMED).map(nameGap),
        tolerance_mm: round(Math.max(...spacings.map(({ spacingMm }) => roundingOf(spacingMm)))),
      },
    }),
    ...toFound(turned, {
      code: 'orientation_varies',
      count: turned.length,
      message: describeTurned(turned.length, noun),
      values: {},
    }),
    ...toFound(tilted, {
      code: 'gantry_tilt',
      count: tilted.length,
      message: describeTilt(tiltDegrees, noun),
      values: { degrees: round(tiltDegrees) },
    }),
    ...toFound(without, {
      code: 'position_missing',
      count: without.length,
      message: `${without.length} ${noun}${without.length === 1 ? ' has' : 's have'} no position, but others do`,
      values: {},
    }),
    ...findThickness(table, measures),
  ];
}

function nameGap({ fromMm, toMm, gapMm, expectedMm, missing }: Gap) {
  return {
    from_mm: round(fromMm),
    to_mm: round(toMm),
    gap_mm: round(gapMm),
    expected_mm: round(expectedMm),
    missing,
  };
}

/** Where thickness and distance of slices are two numbers, slices overlap or do not touch. */
function findThickness(table: FrameTable, { spacings, duplicates }: StackMeasures): Found[] {
  const [spacing, another] = spacings;
  if (spacing === undefined || another !== undefined || duplicates.length > 0) return [];
  const { spacingMm } = spacing;
  const thicknesses = new Set<number>();
  for (let entry = 0; entry < table.length && thicknesses.size < 2; entry += 1) {
    const thicknessMm = table.evidence.thicknessOf(entry);
    if (thicknessMm !== undefined && Number.isFinite(thicknessMm)) thicknesses.add(Math.abs(thicknessMm));
  }
  const [thicknessMm, second] = thicknesses;
  if (thicknessMm === undefined || second !== undefined || thicknessMm === 0) return [];
  const differenceMm = thicknessMm - spacingMm;
  if (Math.abs(differenceMm) <= roundingOf(spacingMm)) return [];
  const how = differenceMm > 0 ? `overlap by ${round(differenceMm)} mm` : `are ${round(-differenceMm)} mm apart`;
  return [
    {
      code: 'thickness_not_spacing',
      fileIndices: listFilesOf(table, [0]),
      count: 1,
      message: `slices of ${round(thicknessMm)} mm every ${round(spacingMm)} mm ${how}`,
      values: { thickness_mm: round(thicknessMm), spacing_mm: round(spacingMm) },
    },
  ];
}

/** CT, MR and PET images, which must have positions. PS3.3 A.3, A.4, A.21, A.36, A.38, A.56. */
const PLACED_CLASSES: ReadonlySet<string> = new Set(
  ['2', '2.1', '4', '4.1', '128', '130'].map((last) => `1.2.840.10008.5.1.4.1.1.${last}`),
);

/** A stack in which nothing has a position. The tiles of a mosaic have places of their own, and scouts need none. */
function findUnplaced({ frames, imageTypeRole, warnings }: Stack, file: DicomFile, noun: Noun): Found[] {
  const isMosaic = file.placement?.imageType.includes('MOSAIC') === true;
  if (!PLACED_CLASSES.has(file.sopClassUid) || isMosaic || imageTypeRole === 'LOCALIZER') return [];
  const files = [...new Set(frames.fileIndices)].toSorted((a, b) => a - b);
  const told = warnings.find(({ code }) => code === 'missing_positions')?.message;
  const message = told ?? `none of ${frames.length} ${noun}s has a position`;
  return [{ code: 'position_missing', fileIndices: files, count: frames.length, message, values: {} }];
}

function round(number: number): number {
  return Number(number.toFixed(3));
}
