import { traitsOf } from '../../../../shared/markTraits.ts';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import type { MarkStatisticsResponse } from '../../../../shared/contract/marks.ts';
import { ERROR_STATUS } from '../../../../shared/contract/errorStatus.ts';
import { isGray } from '../../../../shared/rawFrames.ts';
import { fetchMarkStatistics } from '../../../kit/api/marks.ts';
import { RequestRefused } from '../../../kit/api/send.ts';
import { findFile, libraryOf, stackOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { findPosition } from '../../../kit/state/stacks.ts';
import { wait } from '../../../kit/state/wait.ts';
import { listShown } from './followMeasurements.ts';
import { findFrameScale, loadFrameScale } from './frameScale.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import type { MeasuredValues, Measurement } from './measurement.ts';
import { type LearnedFacts, listShapes, noteFacts } from './measurements.ts';
import { marksOf } from '../sync/marks.ts';
import { storedMarksOf } from '../sync/markKind.ts';
import { refuseLarge, sampleShapeOf } from './measureValues.ts';

/** Facts are told together after this time, because each telling draws the list again. */
const BATCH_MS = 500;
/** After a request that the server had no time for. */
const PAUSE_MS = 2_000;

type Facts = { scale?: Measurement['scale']; values?: MeasuredValues };

/**
 * Determines the numbers of marks on images that are not on screen, while they are listed: sizes from the headers, values
 * by asking the server, one mark after another. Returns a function that stops it.
 */
export function learnListed(page: Page): () => void {
  const ended = new AbortController();
  let isBusy = false;
  let isAsked = false;
  const work = async () => {
    isAsked = true;
    if (isBusy) return;
    isBusy = true;
    while (isAsked && !ended.signal.aborted) {
      isAsked = false;
      const signal = page.untilRestart(ended.signal);
      if (await learnSome(page, signal).catch(() => false)) isAsked = true;
    }
    isBusy = false;
  };
  const workOn = () => void work();
  const stops = [marksOf(page).subscribe(workOn), libraryOf(page).subscribe(workOn)];
  workOn();
  return () => {
    ended.abort();
    for (const stop of stops) stop();
  };
}

/** Returns whether something was learned. */
async function learnSome(page: Page, signal: AbortSignal): Promise<boolean> {
  const onScreen = new Set(listShown(page).map(({ item }) => item.uid));
  const learned = new Map<Measurement, Facts>();
  const endMs = performance.now() + BATCH_MS;
  for (const item of listShapes(page)) {
    if (learned.size > 0 && performance.now() >= endMs) break;
    const file = findFile(page, item.fileIndex);
    if (file === undefined || item.place.type === 'cut' || onScreen.has(item.uid)) continue;
    const facts: Facts = {};
    if (item.scale === undefined) facts.scale = await learnScale(page, file, item, signal);
    if (item.values === undefined && item.place.type !== 'stack' && MEASURE_KINDS[item.kind].regionOf !== undefined) {
      const values = await learnValues(page, file, item, signal);
      if (values !== undefined) facts.values = values;
    }
    if (signal.aborted) return false;
    if (facts.scale !== undefined || facts.values !== undefined) learned.set(item, withoutUndefined(facts));
  }
  if (learned.size > 0) noteFacts(page, learned satisfies LearnedFacts);
  return learned.size > 0;
}

function withoutUndefined({ scale, values }: Facts): Facts {
  return { ...(scale !== undefined && { scale }), ...(values !== undefined && { values }) };
}

async function learnScale(page: Page, file: FileRecord, item: Measurement, signal: AbortSignal) {
  // The size of the pixels of a slide may come from the size of the whole slide, which its view knows.
  if (item.place.type === 'slide' && file.pixel_spacing_mm === null) return undefined;
  const stack = stackOf(page, file);
  const plane = stack.frames[findPosition(stack, item.fileIndex, item.frame) ?? -1]?.plane;
  return findFrameScale(file, plane) ?? loadFrameScale(file, plane, signal).catch(() => undefined);
}

/** Undefined if it may be known later. */
async function learnValues(
  page: Page,
  file: FileRecord,
  item: Measurement,
  signal: AbortSignal,
): Promise<MeasuredValues | undefined> {
  if (item.place.type !== 'frame') return notYet('they are measured where the mark is on screen');
  if (!isGray(sampleShapeOf(file))) {
    return traitsOf(item.kind).shape === 'point'
      ? notYet('they are measured where the mark is on screen')
      : { kind: 'color', rgb: undefined };
  }
  const tooLarge = refuseLarge(file);
  if (tooLarge !== undefined) return tooLarge;
  const known = storedMarksOf(page).get(item.uid);
  if (known === undefined) return undefined;
  try {
    const found = await fetchMarkStatistics(known.id, signal);
    // Another client has changed the mark meanwhile, and the page will hear of it.
    return found.etag === known.etag ? toValues(found) : undefined;
  } catch (error) {
    if (error instanceof RequestRefused && ERROR_STATUS[error.code] < 500) return notYet(error.message);
    await wait(PAUSE_MS, signal);
    return undefined;
  }
}

function notYet(reason: string): MeasuredValues {
  return { kind: 'none', reason, isUnseen: true };
}

function toValues(found: MarkStatisticsResponse): MeasuredValues {
  const { count, mean, sd, min, max, without_value: unmappedCount, unit } = found;
  const [known, spread, low, high] = [mean, sd, min, max].map((value) => value ?? NaN);
  return {
    kind: 'numbers',
    statistics: { count, mean: known!, sd: spread!, min: low!, max: high!, paddingCount: 0, unmappedCount },
    unit,
    origin: 'As the stack is read by default',
  };
}
