import { paletteColor } from '../../../../shared/segmentColor.ts';
import { nameSpace } from '../../../../shared/spaceName.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { WorkInTurns } from '../../../machine/workers/doInTurns.ts';
import type { LayerDescription, LayerWarning, PartOfSort, TargetFrames, UnplacedParts } from '../layerProvider.ts';
import { createPlacement, type LayerPlacement, unavailable } from '../placement.ts';
import { isSlide } from '../slidePlaces.ts';
import {
  type CoveredImages,
  findNearestWay,
  groupByOwn,
  joinTargets,
  listEnds,
  listCoveredSpaces,
  listCoveredFrames,
} from '../spatial/coverage.ts';
import type { RegionPart, RegionRecord } from './regionRecord.ts';
import type { CoveredByRegions } from './regionTasks.ts';

type Found = {
  readonly noun: string;
  readonly covers: Covers;
  /** For each image of the record. */
  readonly imageTargets: readonly (readonly TargetFrames[])[];
  /** The files of all levels of the slides that it lies on. */
  readonly levels: readonly DicomFile[];
};

/** The regions of an object over the images that they name or reach. */
export function* describeRegions(record: RegionRecord, found: Found): WorkInTurns<LayerDescription> {
  const { noun, covers, imageTargets, levels } = found;
  const placesOf = record.parts.map(() => new Set<number>());
  for (const [shape, part] of record.shapes.partOf.entries()) {
    yield;
    placesOf[part]?.add(record.shapes.placeOf[shape]!);
  }
  const reasons = new Map(record.leftOut.toReversed().map(({ part, reason }) => [part, reason] as const));
  const coversOf = groupByOwn(covers);
  const parts: PartOfSort<'region'>[] = [];
  for (const [at, part] of record.parts.entries()) {
    const places = placesOf[at] ?? new Set();
    const ends: RegionEnds[] = [];
    for (const end of listPartEnds(record, at, places, { coversOf, imageTargets })) {
      yield;
      if (end !== undefined) ends.push(end);
      if (ends.length === MOST_ENDS) break;
    }
    const onSlide = record.spaces.some(
      (own, space) => places.has(-1 - space) && coversOf.get(own)?.some(({ slides }) => slides.length > 0) === true,
    );
    const isDrawn = ends.length > 0 || onSlide;
    parts.push(
      describePart(part, at, { ends, problem: isDrawn ? undefined : explain(reasons.get(part.number), places) }),
    );
  }
  const onSlides = levels.map((level) => ({ file: level, frames: [0] }));
  const targets = joinTargets([...(yield* listCoveredFrames(covers)), ...onSlides, ...imageTargets.flat()]);
  const reached = listCoveredSpaces(covers);
  for (const { file } of imageTargets.flat()) {
    const uid = nameSpace(file.frameOfReferenceUid, file.seriesInstanceUid);
    if (uid === undefined || isSlide(file) || reached.has(uid)) continue;
    const placement = createPlacement('by_reference', 'the images that it names are in this frame of reference');
    reached.set(uid, { frameOfReferenceUid: uid, placement });
  }
  return {
    parts,
    targets,
    placement: judge(record, { ...found, hasTargets: targets.length > 0 }),
    frameOfReferenceUids: record.spaces,
    spaces: [...reached.values()],
    unplaced: [
      ...parts.flatMap(({ number, extent }): UnplacedParts[] =>
        extent.problem === undefined ? [] : [{ reason: extent.problem, part: number, count: 1 }],
      ),
      ...record.leftOut.map(({ part, reason, count }) => ({ part, reason, count })),
    ],
    warnings: listWarnings(record, noun),
    about: `${record.parts.length} ${record.parts.length === 1 ? 'region' : 'regions'}`,
  };
}

function judge(
  record: RegionRecord,
  { noun, covers, imageTargets, hasTargets }: Found & { readonly hasTargets: boolean },
): LayerPlacement {
  if (record.parts.length === 0) return unavailable(`the ${noun} has no regions`);
  if (hasTargets) {
    if (imageTargets.some((targets) => targets.length > 0)) {
      return createPlacement('by_reference', `the ${noun} names the images`);
    }
    const nearest = findNearestWay(covers, ({ slides }) => slides.length > 0);
    return nearest ?? createPlacement('direct', 'both have the same frame of reference');
  }
  if (record.shapes.length === 0) return unavailable('none of its regions can be drawn');
  if (record.images.length > 0) return unavailable('the images that it names are not open');
  return unavailable('no image of its frame of reference is open, or none reaches its regions');
}

type Covers = readonly CoveredImages<CoveredByRegions>[];
type RegionEnds = PartOfSort<'region'>['extent']['ends'][number];

/** Those of one part: in each series of the images that it may lie over, and in the images that it names. */
function* listPartEnds(
  record: RegionRecord,
  at: number,
  places: ReadonlySet<number>,
  { coversOf, imageTargets }: Pick<Found, 'imageTargets'> & { readonly coversOf: ReadonlyMap<string, Covers> },
): Generator<RegionEnds | undefined> {
  const covers = record.spaces.flatMap((own, space) => (places.has(-1 - space) ? (coversOf.get(own) ?? []) : []));
  yield* listEnds(at, record.parts.length, covers);
  for (const place of places) {
    for (const { file, frames } of imageTargets[place] ?? []) {
      const [first, last] = [frames[0], frames.at(-1)];
      yield first === undefined || last === undefined
        ? undefined
        : { first: { file, frame: first }, last: { file, frame: last } };
    }
  }
}

function describePart(
  part: RegionPart,
  at: number,
  { ends, problem }: { readonly ends: readonly RegionEnds[]; readonly problem: string | undefined },
): PartOfSort<'region'> {
  return {
    sort: 'region',
    number: part.number,
    label: part.label,
    description: part.description,
    propertyType: part.type,
    color: part.color ?? paletteColor(at + 1),
    colorSource: part.color === undefined ? 'palette' : 'declared',
    geometry: part.geometry,
    item: part.item,
    extent: { volumeMm3: undefined, ends, problem },
  };
}

const MOST_ENDS = 64;

/** Why nothing of a part is drawn. */
function explain(reason: string | undefined, places: ReadonlySet<number>): string {
  if (places.size === 0) return reason ?? 'it has no points';
  return [...places].some((place) => place >= 0)
    ? 'the image that it names is not open'
    : 'no open image of its frame of reference reaches it';
}

function listWarnings(record: RegionRecord, noun: string): LayerWarning[] {
  const warnings: LayerWarning[] = [];
  if (record.isCut) {
    warnings.push({ code: 'incomplete', message: `the ${noun} was not read to its end, so regions may be missing` });
  }
  const left = record.leftOut.reduce((sum, { count }) => sum + count, 0);
  if (left > 0) {
    const [first] = record.leftOut;
    warnings.push({
      code: 'regions_left_out',
      message: `${left} ${left === 1 ? 'region is' : 'regions are'} not drawn: ${first?.reason ?? ''}`,
    });
  }
  return warnings;
}
