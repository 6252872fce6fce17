import { cellsOf } from '../../kit/state/cells.ts';
import type { Command } from '../../kit/state/commands.ts';
import { closeLightbox, findSpread, isLightboxOpen, openLightbox } from './lightbox.ts';

export const LIGHTBOX_COMMANDS: readonly Command[] = [
  {
    id: 'lightbox.toggle',
    title: 'Lightbox: all images of the series side by side',
    group: 'Layout',
    keys: ['Alt+A'],
    run: (page) => (isLightboxOpen(page) ? closeLightbox(page) : openLightbox(page)),
    isEnabled: (page) => isLightboxOpen(page) || findSpread(page, cellsOf(page).getState().activeCell) !== undefined,
    isOn: isLightboxOpen,
  },
];
