import { downloadFile } from '../show/series/downloadFile.ts';
import { downloadVolume } from '../show/series/downloadVolume.ts';
import type { Command } from '../kit/state/commands.ts';
import { openLabels } from '../kit/state/labelChoice.ts';
import { sayOutcome } from '../kit/state/messages.ts';
import type { Page } from '../kit/state/page.ts';
import { setPanels } from '../kit/state/panels.ts';
import { reportOf } from '../show/pictures/viewports.ts';
import { download } from '../kit/ui/download.ts';
import { formatScreen } from '../show/pictures/formatScreen.ts';
import { activeCell, canPlay, storedFile, volumeFrame } from './activeCell.ts';
import { captureDrawing, capturePicture, type CaptureChoice } from './capturePicture.ts';
import { namePicture } from './pictureName.ts';

const isImageShown = (page: Page) => reportOf(page, activeCell(page)).screen !== undefined;

/** Commands for saving and sharing. */
export const PICTURE_COMMANDS: readonly Command[] = [
  {
    id: 'picture.save',
    title: 'Save image…',
    group: 'Sharing',
    keys: ['Ctrl+S'],
    run: (page) => setPanels(page, { dialog: 'picture' }),
    isEnabled: isImageShown,
  },
  {
    id: 'picture.copy',
    title: 'Copy image as shown',
    group: 'Sharing',
    keys: ['Shift+C'],
    run: (page) => void copyPicture(page, activeCell(page), { withOverlays: true, size: 'screen' }),
    isEnabled: isImageShown,
  },
  {
    id: 'film.save',
    title: 'Save film…',
    group: 'Sharing',
    keys: [],
    run: (page) => setPanels(page, { dialog: 'film' }),
    isEnabled: (page) => isImageShown(page) && canPlay(page),
  },
  {
    id: 'link.copy',
    title: 'Copy link to this view',
    group: 'Sharing',
    keys: ['Shift+Y'],
    run: (page) => void copyLink(page),
  },
  {
    id: 'file.download',
    title: 'Download file',
    group: 'Sharing',
    keys: ['D'],
    run(page) {
      const file = storedFile(page);
      if (file !== undefined) void downloadFile(page, file);
    },
    isEnabled: (page) => storedFile(page) !== undefined,
  },
  {
    id: 'volume.download',
    title: 'Download volume as NIfTI',
    group: 'Sharing',
    keys: [],
    run(page) {
      const frame = volumeFrame(page);
      if (frame !== undefined) void downloadVolume(page, frame);
    },
    isEnabled: (page) => volumeFrame(page) !== undefined,
  },
  {
    id: 'labels.download',
    title: 'Download labels…',
    group: 'Sharing',
    keys: [],
    run(page) {
      const frame = volumeFrame(page);
      if (frame !== undefined) openLabels(page, frame);
    },
    isEnabled: (page) => volumeFrame(page) !== undefined,
  },
];

export async function savePicture(page: Page, cell: number, choice: CaptureChoice): Promise<void> {
  const name = namePicture(page, cell);
  await sayOutcome(page, async () => {
    download(await capturePicture(page, cell, choice), name);
    return `Saved ${name}.`;
  });
}

/** Saves what a cell shows as SVG. */
export async function saveDrawing(page: Page, cell: number, withOverlays: boolean): Promise<void> {
  const name = namePicture(page, cell, { extension: 'svg' });
  await sayOutcome(page, async () => {
    download(await captureDrawing(page, cell, withOverlays), name);
    return `Saved ${name}.`;
  });
}

export async function copyPicture(page: Page, cell: number, choice: CaptureChoice): Promise<void> {
  await sayOutcome(page, async () => {
    if (!('ClipboardItem' in window))
      throw new Error('This browser does not allow pages to copy images. Save the image instead.');
    // Contains a promise, because the browser accepts the request only during the key press.
    const item = new ClipboardItem({ 'image/png': capturePicture(page, cell, choice) });
    await navigator.clipboard.write([item]);
    return 'Image copied.';
  });
}

async function copyLink(page: Page): Promise<void> {
  await sayOutcome(page, async () => {
    await navigator.clipboard.writeText(new URL(`#${formatScreen(page)}`, location.href).href);
    return 'Link copied.';
  });
}
