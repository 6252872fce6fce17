import type { WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { type PackedList, unpackInTurn } from '../../machine/workers/packedList.ts';
import type { FoundImage, LostImage, Presentations } from './presentations.ts';
import type { NamedRange, NamedImage } from './presentationTasks.ts';

/** An open image, with its frames counted from 0 and ascending; undefined for all of them. */
export type ListedImage = { readonly fileIndex: number; readonly frames: Uint32Array | undefined };

/** Which of the images that an object names are open. */
export interface NamedImages {
  /** The open ones of a range, each file once. */
  listFound(range: NamedRange): readonly ListedImage[];
  listMissing(range: NamedRange): readonly LostImage[];
  /** More copies of the images are open than are listed. */
  readonly isCut: boolean;
  /** The index of an open file that is no image; undefined if it is not open. */
  findIndex(sopInstanceUid: string): number | undefined;
  /** The indices of the open images of a series. */
  listSeries(seriesInstanceUid: string): readonly number[];
}

/** Takes well below a millisecond. */
const TURN_IMAGES = 128;
/**
 * Files and frames that are found for one object, more than one can name. An image can be named ten thousands of times,
 * and any number of copies of it can be open: when there is no more room, one copy of each is found.
 */
const MOST_FOUND = 2 ** 17;

/** Looks for all images that an object names, of which there may be ten thousands. */
export function* findNamed(
  presentations: Pick<Presentations, 'resolve' | 'findIndex' | 'listSeries'>,
  named: PackedList<NamedImage>,
): WorkInTurns<NamedImages> {
  const outcomes: (readonly FoundImage[] | LostImage)[] = [];
  let [found, ofTurn, isCut] = [0, 0, false];
  for (const image of unpackInTurn(named)) {
    const most = Math.max(1, Math.floor((MOST_FOUND - found) / Math.max(1, image.frameNumbers.length)));
    // One more shows whether there are more.
    const outcome = presentations.resolve(image, most + 1);
    if ('reason' in outcome) {
      outcomes.push(outcome);
      ofTurn += 1;
    } else {
      outcomes.push(outcome.slice(0, most));
      isCut ||= outcome.length > most;
      for (const { frames } of outcome) found += frames?.length ?? 1;
      ofTurn += outcome.length;
    }
    if (ofTurn < TURN_IMAGES) continue;
    ofTurn = 0;
    yield;
  }
  const listOf = ({ from, to }: NamedRange) => outcomes.slice(from, to);
  return {
    isCut,
    findIndex: (sopInstanceUid) => presentations.findIndex(sopInstanceUid),
    listSeries: (seriesInstanceUid) => presentations.listSeries(seriesInstanceUid),
    listFound: (range) => join(listOf(range).flatMap((outcome) => ('reason' in outcome ? [] : outcome))),
    listMissing: (range) => listOf(range).flatMap((outcome) => ('reason' in outcome ? outcome : [])),
  };
}

/** An image that is named several times, each time with other frames, becomes one. */
function join(images: readonly FoundImage[]): ListedImage[] {
  const byFile = new Map<number, Uint32Array[] | undefined>();
  for (const { file, frames } of images) {
    const known = byFile.get(file.index);
    if (frames === undefined || (known === undefined && byFile.has(file.index))) byFile.set(file.index, undefined);
    else if (known === undefined) byFile.set(file.index, [frames]);
    else known.push(frames);
  }
  return [...byFile].map(([fileIndex, lists]) => ({ fileIndex, frames: lists && mergeLists(lists) }));
}

function mergeLists(lists: readonly Uint32Array[]): Uint32Array {
  const [first = new Uint32Array(0)] = lists;
  if (lists.length === 1) return first;
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all.toSorted().filter((frame, i, sorted) => frame !== sorted[i - 1]);
}
