import { cellOf, updateCell } from '../../kit/state/cells.ts';
import type { Page } from '../../kit/state/page.ts';
import { findNamedPresentation, listKeyPositions } from '../../kit/state/presentations.ts';
import { pictureOf } from './pictureKinds.ts';

export function scrollTo(page: Page, cell: number, position: number): void {
  const last = (pictureOf(page, cell)?.positions ?? 1) - 1;
  const bounded = Math.max(0, Math.min(last, Math.round(position)));
  const kept = keptPositionsOf(page, cell);
  const next = kept === undefined ? bounded : nearestOf(kept, bounded);
  if (next !== cellOf(page, cell).position) updateCell(page, cell, { position: next, isAtStart: false });
}

export function scrollBy(page: Page, cell: number, steps: number): void {
  const { traits, positions = 0 } = pictureOf(page, cell) ?? {};
  const { position } = cellOf(page, cell);
  const kept = keptPositionsOf(page, cell);
  const next = kept === undefined ? position + steps : stepIn(kept, position, steps);
  scrollTo(page, cell, traits?.turns === true ? (next + positions) % positions : next);
}

/** The positions that the user scrolls through, ascending, if these are only key images; else undefined. */
export function keptPositionsOf(page: Page, cell: number): readonly number[] | undefined {
  const { keyObjects } = cellOf(page, cell);
  const known = keyObjects === undefined ? undefined : findNamedPresentation(page, keyObjects);
  const stack = pictureOf(page, cell)?.stack;
  if (known === undefined || stack === undefined) return undefined;
  const positions = listKeyPositions(stack, known);
  return positions.length === 0 ? undefined : positions;
}

function nearestOf(kept: readonly number[], position: number): number {
  return kept.reduce((best, one) => (Math.abs(one - position) < Math.abs(best - position) ? one : best));
}

/** The position some steps before or after one that need not be kept itself. */
function stepIn(kept: readonly number[], position: number, steps: number): number {
  const before = kept.findLastIndex((one) => one <= position);
  const isKept = kept[before] === position;
  const from = isKept || steps > 0 ? before : before + 1;
  return kept[Math.max(0, Math.min(kept.length - 1, from + steps))] ?? position;
}
