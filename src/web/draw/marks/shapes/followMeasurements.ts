import { traitsOf } from '../../../../shared/markTraits.ts';
import { cellsOf } from '../../../kit/state/cells.ts';
import { findFile } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { type CutPlace, visibleCells } from '../../../show/pictures/shownFrame.ts';
import type { ShownTiles } from '../../../kit/state/shownTiles.ts';
import { toolsOf } from '../../../kit/state/tools.ts';
import { frameOnScreen, reportOf, viewportsOf } from '../../../show/pictures/viewports.ts';
import { findValues, frameValuesOf } from '../../../show/values/frameValues.ts';
import { readingOf, readingsOf } from '../../../show/values/reading.ts';
import { type FrameLoader, keyOf } from '../../../show/pictures/frameLoader.ts';
import { curveRegionOf } from '../../../show/pictures/curveRegion.ts';
import { imagingOf } from '../../../show/pictures/viewport/imaging.ts';
import { findShownSamples } from '../../../show/pictures/viewport/shownSamples.ts';
import { applyModality } from '../../../../shared/modality.ts';
import type { Region } from '../../../../shared/region.ts';
import { gatherStatistics } from '../../../../shared/regionStatistics.ts';
import { nextTurn, runInSlices } from '../../../kit/ui/runInSlices.ts';
import { loadFrameScale } from './frameScale.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import { findMeasuredFrame, findScale } from './measuredFrame.ts';
import { frameAddressOf } from './measureGesture.ts';
import { isOnFrame, type MeasuredValues, type Measurement } from './measurement.ts';
import { drawingOf, findSelectedShape, isSameForm, listMeasured, noteFacts, setDraft } from './measurements.ts';
import { marksOf } from '../sync/marks.ts';
import { describeSlideOrigin, measureSlide } from './measureSlide.ts';
import { isMeasuredHere } from './planeMarks.ts';
import { areSamplesShown, measureValues, rawWish } from './measureValues.ts';

/**
 * Keeps the numbers of measurements on the shown frames in step with their pixels. Returns a function that stops it.
 */
export function followMeasurements(page: Page): () => void {
  const { loader } = imagingOf(page);
  const wantSamples = createSampleWishes(page, loader);
  let run = new AbortController();
  let isBusy = false;
  let isAsked = false;

  /** Works until nothing more can be determined. */
  const work = async () => {
    wantSamples();
    isAsked = true;
    if (isBusy) return;
    isBusy = true;
    try {
      while (isAsked) {
        isAsked = false;
        while (await learnSome(page, run.signal));
      }
    } finally {
      isBusy = false;
    }
  };
  const workOn = () => void work();
  const stops = [
    marksOf(page).subscribe(workOn),
    drawingOf(page).subscribe(workOn),
    viewportsOf(page).subscribe(workOn),
    readingsOf(page).subscribe(workOn),
    frameValuesOf(page).subscribe(workOn),
    loader.onOutcome(workOn),
    page.onRestart(() => {
      run.abort();
      run = new AbortController();
    }),
    toolsOf(page).subscribe(({ tool }, before) => {
      if (tool !== before.tool && drawingOf(page).getState().draft !== undefined) setDraft(page, undefined);
    }),
    followCurveRegion(page),
  ];
  workOn();
  return () => {
    run.abort();
    loader.want(LOADER_NAME, { now: [], soon: [] });
    for (const stop of stops) stop();
  };
}

/** The mean in the selected region of a plane can be followed over the times of its volume. */
function followCurveRegion(page: Page): () => void {
  /** What the curve is of. */
  let offered: Measurement | undefined;
  const offer = () => {
    const item = findSelectedShape(page);
    // Only its values are known now, or another time is on the screen.
    if (item === undefined ? offered === undefined : offered !== undefined && isSameForm(offered, item)) return;
    const cut = item && findCutOf(page, item);
    const { title, regionOf } = item === undefined ? { title: '', regionOf: undefined } : MEASURE_KINDS[item.kind];
    const form = item && regionOf?.(item.points);
    const isOffered =
      form !== undefined && cut !== undefined && item !== undefined && traitsOf(item.kind).shape !== 'point';
    if (!isOffered && offered === undefined) return;
    offered = isOffered ? item : undefined;
    curveRegionOf(page).setState({
      region: isOffered
        ? {
            title: title.toLowerCase(),
            sourceId: cut.sourceId,
            position: cut.position,
            async mean(samples, isWanted) {
              const toValue = (stored: number) => applyModality(samples.modality, stored);
              const statistics = await runInSlices(gatherStatistics(samples, form, toValue), isWanted);
              return statistics && (statistics.count === 0 ? null : statistics.mean);
            },
          }
        : undefined,
    });
  };
  // The plane of a mark may come to the screen after the mark was selected.
  const stops = [marksOf(page).subscribe(offer), viewportsOf(page).subscribe(offer)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** The picture on the screen that has the samples of a measurement, if that is no stored frame. */
function findCutOf(page: Page, item: Measurement): CutPlace | undefined {
  const { place } = item;
  if (place.type === 'cut') return place.cut;
  if (place.type !== 'plane') return undefined;
  for (const cell of visibleCells(page)) {
    const shown = findMeasuredFrame(page, cell);
    if (shown?.cut !== undefined && isMeasuredHere(page, item, frameAddressOf(shown))) return shown.cut;
  }
  return undefined;
}

const LOADER_NAME = 'measure';

type Shown = { readonly item: Measurement; readonly cell: number };

/** Each measurement once. If several cells show its frame, the active one decides how its values are read. */
export function listShown(page: Page): readonly Shown[] {
  const measured = listMeasured(page);
  const listed = new Map<Measurement, Shown>();
  for (const cell of new Set([cellsOf(page).getState().activeCell, ...visibleCells(page)])) {
    const shown = findMeasuredFrame(page, cell);
    if (shown === undefined) continue;
    const place = frameAddressOf(shown);
    for (const item of measured) {
      const isHere = item.place.type === 'plane' ? isMeasuredHere(page, item, place) : isOnFrame(item, place);
      if (isHere && !listed.has(item)) listed.set(item, { item, cell });
    }
  }
  return [...listed.values()];
}

/** Requests the samples of images so large that they are shown without them. */
function createSampleWishes(page: Page, loader: FrameLoader): () => void {
  let asked = '';
  return () => {
    const missing = listShown(page).filter(({ item }) => {
      const file = findFile(page, item.fileIndex);
      return (
        item.place.type === 'frame' &&
        measuredRegionOf(item) !== undefined &&
        file !== undefined &&
        !areSamplesShown(file)
      );
    });
    const now = missing.map(({ item }) => rawWish(item));
    const wanted = now.map(keyOf).join();
    if (wanted !== asked) loader.want(LOADER_NAME, { now, soon: [] });
    asked = wanted;
  };
}

/** Values are measured on one image; a shape through a stack has an area and a volume. */
function measuredRegionOf({ kind, points, place }: Measurement): Region | undefined {
  return place.type === 'stack' ? undefined : MEASURE_KINDS[kind].regionOf?.(points);
}

/** Facts of thousands of marks are told in one change after this time, and the page gets its turn. */
const SLICE_MS = 5;

/** Determines some of the missing facts; false if there are none. */
async function learnSome(page: Page, signal: AbortSignal): Promise<boolean> {
  const learned = new Map<Measurement, Partial<Pick<Measurement, 'scale' | 'values'>>>();
  const scales = new Map<string, Measurement['scale']>();
  let hasChanged = false;
  const endMs = performance.now() + SLICE_MS;
  for (const { item, cell } of listShown(page)) {
    if (hasChanged || (learned.size > 0 && performance.now() >= endMs)) break;
    const file = findFile(page, item.fileIndex);
    if (file === undefined) continue;
    const { tiles } = reportOf(page, cell);
    if (tiles !== undefined) {
      hasChanged = await learnOnSlide(page, { item, cell }, tiles, signal);
      continue;
    }
    if (item.scale === undefined) {
      const unknown = { spacingMm: undefined, source: undefined, aspect: file.pixel_aspect_ratio ?? 1, regions: [] };
      // A cell shows one frame, so that all marks of its file have the same scale.
      const shownFile = `${cell} ${item.fileIndex}`;
      const scale =
        scales.get(shownFile) ??
        (await loadFrameScale(file, frameOnScreen(page, cell)?.frame.plane, signal).catch(() => unknown));
      if (signal.aborted) return false;
      scales.set(shownFile, scale);
      learned.set(item, { scale });
      continue;
    }
    const region = measuredRegionOf(item);
    if (region === undefined || !isStale(page, item, cell)) continue;
    const isWanted = () => !signal.aborted && isCurrent(page, item);
    const { loader } = imagingOf(page);
    const values =
      item.place.type === 'frame'
        ? await measureValues({
            loader,
            file,
            frame: item.frame,
            region,
            reading: readingOf(page, cell) ?? findReadingFailure(page, cell),
            isWanted,
          })
        : await measureCut(page, { cell, region, isWanted });
    if (values !== undefined) learned.set(item, { values });
    // Abandoned because the measurement has changed; the changed one is measured next.
    else if (!isCurrent(page, item)) hasChanged = true;
  }
  if (learned.size > 0) noteFacts(page, learned);
  if (learned.size > 1) await nextTurn();
  return hasChanged || learned.size > 0;
}

/** Modality values of a picture that is no stored frame, whose samples are on the screen. */
async function measureCut(
  page: Page,
  { cell, region, isWanted }: { readonly cell: number; readonly region: Region; readonly isWanted: () => boolean },
): Promise<MeasuredValues | undefined> {
  const { shown } = reportOf(page, cell);
  const samples = findShownSamples(page, cell);
  const cutKey = findMeasuredFrame(page, cell)?.cut?.key;
  if (shown === undefined || samples === undefined) return undefined;
  const { modality, origin: made } = samples;
  const reading = readingOf(page, cell);
  const toValue = (stored: number) => {
    const value = applyModality(modality, stored);
    return reading === undefined ? value : reading.toValue(value);
  };
  const statistics = await runInSlices(gatherStatistics(samples, region, toValue), isWanted);
  const { unit = shown.source.unit ?? '', origin = 'Modality values' } = reading ?? {};
  return statistics && { kind: 'numbers', statistics, unit, origin, made, cutKey };
}

/** Determines the scale from the slide, and the values from the tiles below it once nothing moves any more. */
async function learnOnSlide(
  page: Page,
  { item, cell }: Shown,
  tiles: ShownTiles,
  signal: AbortSignal,
): Promise<boolean> {
  const shown = findMeasuredFrame(page, cell);
  if (item.scale === undefined && shown !== undefined) {
    noteFacts(page, new Map([[item, { scale: findScale(shown) }]]));
    return true;
  }
  const region = measuredRegionOf(item);
  const isDraft = drawingOf(page).getState().draft?.uid === item.uid;
  if (region === undefined || isDraft) return false;
  const isKnown = item.values !== undefined && 'origin' in item.values;
  if (isKnown && item.values.origin === describeSlideOrigin({ tiles, region })) return false;
  const isWanted = () => !signal.aborted && isCurrent(page, item);
  const values = await measureSlide(page, { tiles, region, isWanted, signal }).catch((error: unknown) => ({
    kind: 'none' as const,
    reason: error instanceof Error ? error.message : String(error),
    origin: describeSlideOrigin({ tiles, region }),
  }));
  if (values !== undefined && isWanted()) noteFacts(page, new Map([[item, { values }]]));
  return values !== undefined || !isCurrent(page, item);
}

/** The reason why the meaning of the values on screen is unknown. */
function findReadingFailure(page: Page, cell: number): Error | undefined {
  const known = findValues(page, frameOnScreen(page, cell)?.frame);
  return known instanceof Error ? known : undefined;
}

function isCurrent(page: Page, item: Measurement): boolean {
  return listMeasured(page).some((one) => isSameForm(one, item));
}

/** The values are unknown, or the user has switched to another unit or another projection since. */
function isStale(page: Page, item: Measurement, cell: number): boolean {
  const { values } = item;
  if (values === undefined || (values.kind === 'none' && values.isUnseen === true)) return true;
  if (values.kind === 'numbers' && values.cutKey !== findMeasuredFrame(page, cell)?.cut?.key) return true;
  const reading = readingOf(page, cell);
  return (
    values.kind === 'numbers' &&
    reading !== undefined &&
    (values.unit !== reading.unit || values.origin !== reading.origin)
  );
}
