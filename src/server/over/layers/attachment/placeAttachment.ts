import { dirname, relative, sep } from 'node:path';
import { FLIP_AXES, type FlipAxis } from '../../../../shared/flipAxes.ts';
import type { Attachment } from '../../../images/attachments/attachments.ts';
import { createPlacement, type LayerPlacement, unavailable } from '../placement.ts';
import { type Arrangement, arrangeOrder, nameOrder } from './arrayOrder.ts';
import { type ArrayMatch, type MatchAnswer, matchArray } from './matchArray.ts';
import { matchPictures, type PictureMatch } from './matchPictures.ts';
import type { StackGrid } from './stackGrids.ts';

/** A stack that the user has chosen, and how the attachment is to lie there. */
export type ChosenStack = { readonly grid: StackGrid; readonly arrangement: Arrangement };

/** An attachment over one stack. */
export type AttachmentMatch = ArrayMatch | Exclude<PictureMatch, { method: 'none' }>;

export type PlacedOver = { readonly grid: StackGrid; readonly match: AttachmentMatch };

/** A stack that an attachment fits, with the way it does. */
export type StackMatch = {
  readonly grid: StackGrid;
  readonly answer: MatchAnswer | PictureMatch;
  /** The orders of its axes in words, and the axes that may run the other way, where the file does not say how it lies. */
  readonly orders: readonly string[];
  /** Whether its coordinates may be read the other way, which is order 1. */
  readonly hasOther?: boolean | undefined;
  readonly flips: readonly FlipAxis[];
};

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
  chosen?: ChosenStack,
): AttachmentPlaces {
  const { content } = attachment;
  if (content.kind === 'unreadable') return { over: [], placement: unavailable(content.reason), matches: [] };
  const answers = grids.map((grid): StackMatch => {
    if (content.kind === 'pictures') {
      const answer = matchPictures(content.pictures, grid);
      return { grid, answer, orders: [], flips: answer.method === 'by_shape' ? ['slices'] : [] };
    }
    const answer = matchArray(content.header, grid);
    const match = 'usual' in answer ? answer.usual : 'orders' in answer ? answer : undefined;
    if (match?.other !== undefined) return { grid, answer, orders: [], hasOther: true, flips: [] };
    const orders = (match?.orders ?? []).map((order) => nameOrder(content.header, order));
    return { grid, answer, orders, flips: orders.length === 0 ? [] : FLIP_AXES };
  });
  const stepsTo = new Map(grids.map((grid) => [grid, countSteps(attachment, grid)] as const));
  const near = ({ grid }: StackMatch) => stepsTo.get(grid) ?? Infinity;
  const fitting = answers
    .filter(({ answer }) => answer.method !== 'none')
    .toSorted((a, b) => rankOf(a) - rankOf(b) || near(a) - near(b));
  const byUser = fitting.find(({ grid }) => grid === chosen?.grid);
  if (byUser !== undefined && chosen !== undefined) {
    const over = toPlaced(byUser, true).map((one) => arrange(one, chosen.arrangement));
    const [{ method } = { method: 'by_shape' as const }] = over.map(({ match }) => match);
    return { over, placement: createPlacement(method, 'laid over these images by the user'), matches: fitting };
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

/** As the user wants it, where the file itself does not say how it lies. */
function arrange({ grid, match }: PlacedOver, arrangement: Arrangement): PlacedOver {
  if ('order' in match) {
    if (match.other !== undefined) return { grid, match: arrangement.order === 1 ? match.other : match };
    const order = arrangeOrder(match.orders, arrangement);
    return { grid, match: order === undefined ? match : { ...match, order } };
  }
  if (match.method !== 'by_shape' || !arrangement.flips.slices) return { grid, match };
  const last = grid.placeCount - 1;
  const places = match.places.map(({ picture, place }) => ({ picture, place: last - place }));
  return { grid, match: { ...match, places } };
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
