import { explainNoLine } from '../../../shared/explainNoLine.ts';
import {
  type FrameValues,
  listCaveats,
  listFrameReadings,
  type NamedReading,
} from '../../../shared/listFrameReadings.ts';
import { INITIAL_CELLS } from '../../kit/state/cells.ts';
import type { Page } from '../../kit/state/page.ts';
import { frameOnScreen, type ShownFrameImage, viewportsOf } from '../pictures/viewports.ts';
import { followRest } from '../pictures/followRest.ts';
import { findValues, frameValuesOf, loadValues } from './frameValues.ts';
import { type CellReading, findValued, isSameImage, readingsOf, type ValuedImage } from './reading.ts';

/** Keeps `readingsOf` up to date for the frames on screen. Values are requested when the user rests on a frame. */
export function followReadings(page: Page): () => void {
  const stops = [...INITIAL_CELLS.cells.keys()].flatMap((cell) => [
    followRest(page, cell, (frame, signal) => {
      if (hasValues(frameOnScreen(page, cell))) void loadValues(page, frame, signal);
    }),
    followCell(page, cell),
  ]);
  return () => {
    for (const stop of stops) stop();
  };
}

/** Color has no single value that could have a meaning. */
export function hasValues(shown: ShownFrameImage | undefined): boolean {
  return shown !== undefined && shown.file.photometric_interpretation.startsWith('MONOCHROME');
}

function followCell(page: Page, cell: number): () => void {
  let last:
    | {
        readonly shown: ValuedImage;
        readonly values: FrameValues;
        readonly choice: string | undefined;
      }
    | undefined;
  const ending = new AbortController();
  let asked = '';
  const update = () => {
    const shown = findValued(page, cell);
    const values = findValues(page, shown?.frame);
    const key = shown === undefined ? '' : `${shown.frame.fileIndex}/${shown.frame.frame}`;
    // All planes of a volume have the header of one frame, so this is one request for a volume.
    if (shown?.isCut === true && values === undefined && asked !== key) {
      asked = key;
      void loadValues(page, shown.frame, ending.signal);
    }
    if (shown === undefined || values === undefined || values instanceof Error) return;
    const choice = readingsOf(page).getState().choices.get(shown.stackId);
    if (isSameImage(last?.shown, shown) && last?.values === values && last.choice === choice) return;
    last = { shown, values, choice };
    setReading(page, cell, readFrame(values, shown, choice));
  };
  const stops = [viewportsOf(page), frameValuesOf(page), readingsOf(page)].map((store) => store.subscribe(update));
  update();
  return () => {
    ending.abort();
    for (const stop of stops) stop();
  };
}

function readFrame(values: FrameValues, shown: ValuedImage, choice: string | undefined): CellReading | undefined {
  const ofFrame = listFrameReadings(values);
  const { isCut, isRealWorld = false } = shown;
  const readings = isRealWorld ? ofFrame.slice(0, 1).map(asSampled) : isCut ? listOfPlanes(ofFrame) : ofFrame;
  const findIn = (list: readonly NamedReading[]) => list.find(({ id }) => id === choice) ?? list[0];
  const [chosen, ofImages] = [findIn(readings), findIn(ofFrame)];
  if (chosen === undefined || ofImages === undefined) return undefined;
  const { id, reading, rival } = chosen;
  // Samples that are real-world values are so whatever is chosen for the images.
  const unlike = isRealWorld ? ofFrame[0] : ofImages;
  const isOther = isCut && unlike !== undefined && (!isRealWorld || ofImages.id !== id);
  const why = isOther ? explainNoLine(unlike, values.mapping) : undefined;
  const caveats = [
    ...listCaveats(ofFrame, values.mapping),
    ...(why === undefined ? [] : [`planes are in ${nameInSentence(chosen)}, because ${why}`]),
  ];
  return { ...shown, reading, rival, id, ids: readings.map((each) => each.id), caveats };
}

/** Modality values that are not among the readings of a frame equal the stored ones, which are the last. */
function listOfPlanes(ofFrame: readonly NamedReading[]): readonly NamedReading[] {
  const readings = ofFrame.flatMap((each) => overModality(each) ?? []);
  return readings.length > 0 ? readings : ofFrame.slice(-1);
}

function nameInSentence({ kind, title }: NamedReading): string {
  return kind === 'modality' || kind === 'stored' ? title.toLowerCase() : title;
}

/** A reading of samples that are its values. */
function asSampled(named: NamedReading): NamedReading {
  const reading = { ...named.reading, toValue: (value: number) => value, ofModality: { slope: 1, intercept: 0 } };
  return { ...named, reading, rival: undefined };
}

/** A reading as a function of modality values; undefined if it is none, or is none in other frames. */
function overModality(named: NamedReading): NamedReading | undefined {
  const { reading, rival, isOfAllFrames } = named;
  const { ofModality } = reading;
  if (ofModality === undefined || !isOfAllFrames) return undefined;
  const toValue = (value: number) => value * ofModality.slope + ofModality.intercept;
  // Two rivals name each other.
  const other = rival && overModality({ ...rival, rival: undefined });
  return { ...named, reading: { ...reading, toValue }, rival: other };
}

function setReading(page: Page, cell: number, reading: CellReading | undefined): void {
  readingsOf(page).setState(({ readings }) => {
    const next = new Map(readings);
    if (reading === undefined) next.delete(cell);
    else next.set(cell, reading);
    return { readings: next };
  });
}
