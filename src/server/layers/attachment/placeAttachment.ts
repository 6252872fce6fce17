import { dirname, relative, sep } from 'node:path';
import type { Attachment } from '../../attachments/attachments.ts';
import { createPlacement, type LayerPlacement, unavailable } from '../placement.ts';
import { type ArrayMatch, type MatchAnswer, matchArray } from './matchArray.ts';
import { matchPictures, type PictureMatch } from './matchPictures.ts';
import type { StackGrid } from './stackGrids.ts';

/** An attachment over one stack. */
export type AttachmentMatch = ArrayMatch | Exclude<PictureMatch, { method: 'none' }>;

export type PlacedOver = { readonly grid: StackGrid; readonly match: AttachmentMatch };

/** A stack that an attachment fits, with the way it does. */
export type StackMatch = { readonly grid: StackGrid; readonly answer: MatchAnswer | PictureMatch };

export type AttachmentPlaces = {
  /** The stacks that it lies over. All of them show the same part of space in the same way. */
  readonly over: readonly PlacedOver[];
  readonly placement: LayerPlacement;
  /** Every stack that it fits, also where it does not lie, the best first. */
  readonly matches: readonly StackMatch[];
};

const METHODS = ['by_grid', 'by_reference', 'direct', 'by_shape'] as const;

/** Decides where an attachment lies. Of several stacks, the nearest folder counts; if that is no help, the user is asked. */
export function placeAttachment(
  attachment: Attachment,
  grids: readonly StackGrid[],
  chosen?: StackGrid,
): AttachmentPlaces {
  const { content } = attachment;
  if (content.kind === 'unreadable') return { over: [], placement: unavailable(content.reason), matches: [] };
  const answers = grids.map((grid): StackMatch => {
    const answer = content.kind === 'array' ? matchArray(content.header, grid) : matchPictures(content.pictures, grid);
    return { grid, answer };
  });
  const stepsTo = new Map(grids.map((grid) => [grid, countSteps(attachment, grid)] as const));
  const near = ({ grid }: StackMatch) => stepsTo.get(grid) ?? Infinity;
  const fitting = answers
    .filter(({ answer }) => answer.method !== 'none')
    .toSorted((a, b) => rankOf(a) - rankOf(b) || near(a) - near(b));
  const byUser = fitting.find(({ grid }) => grid === chosen);
  if (byUser !== undefined) {
    const over = toPlaced(byUser, true);
    const [{ method } = { method: 'by_shape' as const }] = over.map(({ match }) => match);
    return { over, placement: createPlacement(method, 'the user has laid it over these images'), matches: fitting };
  }
  const [best] = fitting;
  if (best === undefined) {
    const reason = answers.toSorted((a, b) => near(a) - near(b))[0]?.answer.reason ?? 'no images are open';
    return { over: [], placement: unavailable(`it fits no open images: ${reason}`), matches: [] };
  }
  const equal = fitting.filter((one) => rankOf(one) === rankOf(best) && near(one) === near(best));
  const over = equal.flatMap((one) => toPlaced(one));
  const [first] = over;
  if (first === undefined)
    return { over: [], placement: createPlacement('ambiguous', best.answer.reason), matches: fitting };
  const isOneSpace = over.every(({ grid }) => isSameSpace(grid, first.grid));
  if (!isOneSpace) {
    const reason = `it fits ${over.length} stacks of different images equally well`;
    return { over: [], placement: createPlacement('ambiguous', reason), matches: fitting };
  }
  // The same grid in the same space may be filled by several stacks, such as the phases of one scan.
  const others = fitting.filter(
    (one) =>
      !equal.includes(one) &&
      rankOf(one) === rankOf(best) &&
      first.match.method === 'by_grid' &&
      isSameSpace(one.grid, first.grid),
  );
  const all = [...over, ...others.flatMap((one) => toPlaced(one))];
  const { method, reason } = first.match;
  const residualMm = 'residualMm' in first.match ? first.match.residualMm : undefined;
  return { over: all, placement: { ...createPlacement(method, reason), residualMm }, matches: fitting };
}

/** What fits in several ways is placed only if the user wants it so. */
function toPlaced({ grid, answer }: StackMatch, isChosen = false): PlacedOver[] {
  if ('usual' in answer) return isChosen ? [{ grid, match: answer.usual }] : [];
  return 'warning' in answer ? [{ grid, match: answer }] : [];
}

function rankOf({ answer }: StackMatch): number {
  const rank = METHODS.findIndex((method) => method === answer.method);
  return rank < 0 ? METHODS.length : rank;
}

function isSameSpace(a: StackGrid, b: StackGrid): boolean {
  if (a === b) return true;
  return a.frameOfReferenceUid !== undefined && a.frameOfReferenceUid === b.frameOfReferenceUid;
}

/** Folders between the two; half a step less if the name of the attachment has that of the series. */
export function countSteps({ path, format }: Attachment, { first }: StackGrid): number {
  const folder = format === 'png' ? path : dirname(path);
  const way = relative(folder, dirname(first.path));
  const steps = way === '' ? 0 : way.split(sep).length;
  const names = [first.seriesInstanceUid, first.seriesDescription].filter((name) => name.length > 3);
  return names.some((name) => path.includes(name)) ? steps - 0.5 : steps;
}
