import { RT_DOSE_STORAGE } from '../../../../shared/contract/layers.ts';
import { pickFullest } from '../../../../shared/pickFullest.ts';
import { paletteColor } from '../../../../shared/segmentColor.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { WorkInTurns } from '../../../machine/workers/doInTurns.ts';
import type { LayerDescription, LayerTarget, LayerWarning, PartOfSort, UnplacedParts } from '../layerProvider.ts';
import { createPlacement, type LayerPlacement, unavailable } from '../placement.ts';
import {
  type CoveredImages,
  findNearestWay,
  groupByOwn,
  listEnds,
  listCoveredSpaces,
  listCoveredFrames,
  nearestFirst,
} from '../spatial/coverage.ts';
import type { StructureSetRecord, StructureSetRoi } from './structureSetRecord.ts';
import type { CoveredByContours } from './structureSetTasks.ts';

const NON_PLANAR_MM = 0.1;

/** Images that contours may lie over, and why none of them has a place; undefined if one has. */
export type CoveredStack = CoveredImages<CoveredByContours> & { readonly unplaced: string | undefined };

/** A structure set over the images that its contours cover. */
export function* describeStructures(
  record: StructureSetRecord,
  frameOfReferenceUids: readonly string[],
  covers: readonly CoveredStack[],
): WorkInTurns<LayerDescription> {
  const coversOf = groupByOwn(covers);
  const reasons = new Map(record.leftOut.map(({ roi, reason }) => [roi, reason] as const));
  const parts: RoiPart[] = [];
  for (const [at, roi] of record.rois.entries()) {
    const images = roi.frameOfReferenceUid === undefined ? [] : (coversOf.get(roi.frameOfReferenceUid) ?? []);
    const ends: RoiEnds[] = [];
    for (const end of listEnds(at, record.rois.length, images)) {
      yield;
      if (end !== undefined) ends.push(end);
    }
    const problem = ends.length > 0 ? undefined : explain(roi, images, reasons.get(roi.number));
    parts.push(describeRoi(roi, at, { ends, problem }));
  }
  const unplaced = parts.flatMap(({ number, extent, count }): UnplacedParts[] =>
    extent.problem === undefined ? [] : [{ reason: extent.problem, part: number, count }],
  );
  const lost = covers.flatMap(({ covered: { lost: ofRois }, placement }) =>
    record.rois.flatMap(({ number }, at): UnplacedParts[] => {
      const count = ofRois?.[at] ?? 0;
      const reason = `the contours lie outside of what the registration describes, ${placement.reason}`;
      return count === 0 ? [] : [{ reason, part: number, count }];
    }),
  );
  return {
    parts,
    targets: yield* listCoveredFrames(covers),
    fullest: findFullest(covers),
    placement: judge(record, parts, covers),
    frameOfReferenceUids,
    spaces: [...listCoveredSpaces(covers).values()],
    unplaced: [...unplaced, ...lost, ...record.leftOut.map(({ roi, reason, count }) => ({ reason, part: roi, count }))],
    warnings: [...covers.flatMap(({ warnings }) => warnings), ...listWarnings(record)],
  };
}

/** In its own frame of reference, if an image there is covered. */
function findFullest(covers: readonly CoveredStack[]): LayerTarget | undefined {
  for (const { placed, covered } of nearestFirst(covers)) {
    // Of images of several series in the same planes, those of one.
    const wanted = covered.areas.map((area, at) => area * likelihoodOf(placed[at]?.file));
    const series = placed[pickFullest(wanted) ?? -1]?.file.seriesInstanceUid;
    const areas = covered.areas.map((area, at) => (placed[at]?.file.seriesInstanceUid === series ? area : 0));
    const frame = placed[pickFullest(areas) ?? -1];
    if (frame !== undefined) return { file: frame.file, frame: frame.frame };
  }
  return undefined;
}

/** Structures are drawn on a CT or MR. A dose often has the same planes. */
function likelihoodOf(file: DicomFile | undefined): number {
  if (file?.modality === 'CT') return 1;
  return file?.sopClassUid === RT_DOSE_STORAGE ? 0.01 : 0.9;
}

type RoiPart = PartOfSort<'contours'>;
type RoiEnds = RoiPart['extent']['ends'][number];

function describeRoi(
  roi: StructureSetRoi,
  at: number,
  { ends, problem }: Pick<RoiPart['extent'], 'ends' | 'problem'>,
): RoiPart {
  return {
    sort: 'contours',
    number: roi.number,
    label: roi.name,
    description: roi.description,
    color: roi.color ?? paletteColor(at + 1),
    colorSource: roi.color === undefined ? 'palette' : 'declared',
    interpretedType: roi.interpretedType,
    geometry: roi.types,
    count: roi.contourCount,
    isNested: roi.isNested,
    extent: { volumeMm3: roi.volumeMm3, ends, problem },
  };
}

function explain(roi: StructureSetRoi, images: readonly CoveredStack[], leftOut: string | undefined): string {
  if (roi.contourCount === 0) return leftOut ?? 'the object has no contours of it';
  if (roi.frameOfReferenceUid === undefined)
    return 'the object has no Referenced Frame of Reference UID (3006,0024) for it';
  if (images.every((one) => one.images === 0)) return 'no image of its frame of reference is open';
  const hasPlaced = images.some(({ placed }) => placed.length > 0);
  const problem = hasPlaced ? undefined : images.find(({ unplaced }) => unplaced !== undefined)?.unplaced;
  return problem ?? 'none of its contours reaches an open image';
}

function judge(
  { rois }: StructureSetRecord,
  parts: readonly RoiPart[],
  covers: readonly CoveredStack[],
): LayerPlacement {
  if (rois.length === 0) return unavailable('the object describes no ROI');
  const drawn = parts.filter(({ extent }) => extent.problem === undefined).length;
  if (drawn === 0) return unavailable(`no ROI lies over an open image: ${parts[0]?.extent.problem ?? ''}`);
  const counted = `${drawn} of ${rois.length} ROIs lie over open images`;
  const nearest = findNearestWay(covers);
  if (nearest?.steps === undefined) return createPlacement('direct', counted);
  return { ...nearest, reason: `${counted}, ${nearest.reason}` };
}

function listWarnings({ rois, isCut }: StructureSetRecord): LayerWarning[] {
  const nested = rois.filter(({ isNested }) => isNested);
  const bent = rois.filter(({ deviationMm }) => deviationMm > NON_PLANAR_MM);
  const warnings: LayerWarning[] = [];
  if (nested.length > 0) {
    const message = `contours inside others are drawn as holes, although the object does not say so: ${nameRois(nested)}`;
    warnings.push({ code: 'nested_contours', message });
  }
  if (bent.length > 0) {
    const message = `contours that should be planar leave their plane by more than ${NON_PLANAR_MM} mm: ${nameRois(bent)}`;
    warnings.push({ code: 'non_planar', message });
  }
  if (isCut) {
    warnings.push({ code: 'incomplete', message: 'the object is truncated or too large, so contours are missing' });
  }
  return warnings;
}

const MOST_NAMED = 8;

function nameRois(rois: readonly StructureSetRoi[]): string {
  const names = rois.slice(0, MOST_NAMED).map(({ name, number }) => name ?? `ROI ${number}`);
  const others = rois.length > MOST_NAMED ? ` and ${rois.length - MOST_NAMED} others` : '';
  return `${names.join(', ')}${others}`;
}
