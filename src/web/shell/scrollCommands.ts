import { cineRateOf } from '../cine/useCine.ts';
import { LEAST_FPS, MOST_FPS } from '../cine/player.ts';
import { buildStudyTree } from '../series/studyTree.ts';
import { listStacks } from '../series/treeNode.ts';
import { cellOf, openAtStart, scrollBy, scrollTo, setCine } from '../state/cells.ts';
import type { Command } from '../state/commands.ts';
import { findStack, libraryStore } from '../state/library.ts';
import { panelsStore } from '../state/panels.ts';
import { activeCell, hasSeveralImages } from './activeCell.ts';

const FAR = 10;

function scroll(id: string, title: string, keys: readonly string[], run: () => void): Command {
  return { id: `scroll.${id}`, title, group: 'Scroll', keys, run, isEnabled: hasSeveralImages };
}

export const SCROLL_COMMANDS: readonly Command[] = [
  scroll('previous', 'Previous image', ['Up', 'Left'], () => scrollBy(activeCell(), -1)),
  scroll('next', 'Next image', ['Down', 'Right'], () => scrollBy(activeCell(), 1)),
  scroll('back', '10 images back', ['Shift+Up', 'Shift+Left'], () => scrollBy(activeCell(), -FAR)),
  scroll('on', '10 images on', ['Shift+Down', 'Shift+Right'], () => scrollBy(activeCell(), FAR)),
  scroll('first', 'First image', ['Home'], () => scrollTo(activeCell(), 0)),
  scroll('last', 'Last image', ['End'], () => scrollTo(activeCell(), Infinity)),
  { id: 'series.previous', title: 'Previous series', group: 'Scroll', keys: ['PgUp'], run: () => openNeighbour(-1) },
  { id: 'series.next', title: 'Next series', group: 'Scroll', keys: ['PgDn'], run: () => openNeighbour(1) },
];

export const CINE_COMMANDS: readonly Command[] = [
  {
    id: 'cine.play',
    title: 'Play or pause',
    group: 'Cine',
    keys: ['Space'],
    run: () => setCine(activeCell(), { playing: !cellOf(activeCell()).cine.playing }),
    isEnabled: hasSeveralImages,
  },
  {
    id: 'cine.slower',
    title: 'Slower',
    group: 'Cine',
    keys: ['['],
    run: () => changeRate(-1),
    isEnabled: hasSeveralImages,
  },
  {
    id: 'cine.faster',
    title: 'Faster',
    group: 'Cine',
    keys: [']'],
    run: () => changeRate(1),
    isEnabled: hasSeveralImages,
  },
];

/** By a fifth, but at least by one frame per second. */
function changeRate(direction: 1 | -1): void {
  const rate = Math.round(cineRateOf(activeCell()));
  const step = Math.max(1, Math.round(rate / 5));
  setCine(activeCell(), { fps: Math.min(MOST_FPS, Math.max(LEAST_FPS, rate + direction * step)) });
}

/** In the order of the explorer. */
function openNeighbour(step: 1 | -1): void {
  const library = libraryStore.getState();
  const stacks = listStacks(buildStudyTree(library.files, library, panelsStore.getState().explorerOrder));
  const cell = activeCell();
  const at = stacks.indexOf(cellOf(cell).stackId ?? '');
  const next = findStack(stacks[at < 0 ? 0 : at + step]);
  if (next !== undefined) openAtStart(cell, next);
}
