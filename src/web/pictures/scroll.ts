import { cellOf, updateCell } from '../state/cells.ts';
import type { Page } from '../state/page.ts';
import { pictureOf } from './pictureKinds.ts';

export function scrollTo(page: Page, cell: number, position: number): void {
  const last = (pictureOf(page, cell)?.positions ?? 1) - 1;
  const bounded = Math.max(0, Math.min(last, Math.round(position)));
  if (bounded !== cellOf(page, cell).position) updateCell(page, cell, { position: bounded, isAtStart: false });
}

export function scrollBy(page: Page, cell: number, steps: number): void {
  const { traits, positions = 0 } = pictureOf(page, cell) ?? {};
  const next = cellOf(page, cell).position + steps;
  scrollTo(page, cell, traits?.turns === true ? (next + positions) % positions : next);
}
