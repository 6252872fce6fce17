import { cineRateOf } from '../show/cine/useCine.ts';
import { LEAST_FPS, MOST_FPS } from '../show/cine/player.ts';
import { listStacksInOrder } from '../show/series/stackOrder.ts';
import { cellOf, openAtStart, setCine } from '../kit/state/cells.ts';
import { scrollBy, scrollTo } from '../show/pictures/scroll.ts';
import type { Command } from '../kit/state/commands.ts';
import { findStack } from '../kit/state/library.ts';
import type { Page } from '../kit/state/page.ts';
import { activeCell, canPlay, hasSeveralImages } from './activeCell.ts';

const FAR = 10;

function scroll(id: string, title: string, keys: readonly string[], run: Command['run']): Command {
  return { id: `scroll.${id}`, title, group: 'Scroll', keys, run, isEnabled: hasSeveralImages };
}

export const SCROLL_COMMANDS: readonly Command[] = [
  scroll('previous', 'Previous image', ['Up', 'Left'], (page) => scrollBy(page, activeCell(page), -1)),
  scroll('next', 'Next image', ['Down', 'Right'], (page) => scrollBy(page, activeCell(page), 1)),
  scroll('back', '10 images back', ['Shift+Up', 'Shift+Left'], (page) => scrollBy(page, activeCell(page), -FAR)),
  scroll('on', '10 images forward', ['Shift+Down', 'Shift+Right'], (page) => scrollBy(page, activeCell(page), FAR)),
  scroll('first', 'First image', ['Home'], (page) => scrollTo(page, activeCell(page), 0)),
  scroll('last', 'Last image', ['End'], (page) => scrollTo(page, activeCell(page), Infinity)),
  {
    id: 'series.previous',
    title: 'Previous series',
    group: 'Scroll',
    keys: ['PgUp'],
    run: (page) => openNeighbour(page, -1),
  },
  { id: 'series.next', title: 'Next series', group: 'Scroll', keys: ['PgDn'], run: (page) => openNeighbour(page, 1) },
];

export const CINE_COMMANDS: readonly Command[] = [
  {
    id: 'cine.play',
    title: 'Play or pause',
    group: 'Cine',
    keys: ['Space'],
    run: (page) => setCine(page, activeCell(page), { playing: !cellOf(page, activeCell(page)).cine.playing }),
    isEnabled: canPlay,
  },
  {
    id: 'cine.slower',
    title: 'Slower',
    group: 'Cine',
    keys: ['['],
    run: (page) => changeRate(page, -1),
    isEnabled: canPlay,
  },
  {
    id: 'cine.faster',
    title: 'Faster',
    group: 'Cine',
    keys: [']'],
    run: (page) => changeRate(page, 1),
    isEnabled: canPlay,
  },
];

/** By a fifth, but at least by one frame per second. */
function changeRate(page: Page, direction: 1 | -1): void {
  const rate = Math.round(cineRateOf(page, activeCell(page)));
  const step = Math.max(1, Math.round(rate / 5));
  setCine(page, activeCell(page), { fps: Math.min(MOST_FPS, Math.max(LEAST_FPS, rate + direction * step)) });
}

/** In the order of the explorer. */
function openNeighbour(page: Page, step: 1 | -1): void {
  const stacks = listStacksInOrder(page);
  const cell = activeCell(page);
  const at = stacks.indexOf(cellOf(page, cell).pictureId ?? '');
  const next = findStack(page, stacks[at < 0 ? 0 : at + step]);
  if (next !== undefined) openAtStart(page, cell, next);
}
