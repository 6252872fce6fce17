import { type CellWindow, cellOf, cellsOf, setWindow, stackOfCell } from '../kit/state/cells.ts';
import type { Command } from '../kit/state/commands.ts';
import { loadInfo } from '../kit/state/fileInfo.ts';
import type { Page } from '../kit/state/page.ts';
import { CT_PRESETS } from '../../shared/windowPresets.ts';
import { isShownAsStack, isWindowUndeclared } from '../kit/state/stackWindows.ts';
import { openWindowEntry } from '../kit/state/windowEntry.ts';
import { pictureOf } from '../show/pictures/pictureKinds.ts';
import { reportOf } from '../show/pictures/viewports.ts';
import { activeCell, activeFile, hasImage, hasSeveralImages, storedFile } from './activeCell.ts';

export const WINDOW_COMMANDS: readonly Command[] = [
  {
    id: 'window.file',
    title: 'Window from file (press again for the next one)',
    group: 'Window',
    keys: ['0'],
    run: (page) => void takeFileWindow(page),
    isEnabled: mayBeGray,
  },
  {
    id: 'window.type',
    title: 'Enter window center and width',
    group: 'Window',
    keys: ['Shift+L'],
    run: (page) => openWindowEntry(page, activeCell(page)),
    isEnabled: (page) => reportOf(page, activeCell(page)).window !== undefined,
  },
  {
    id: 'window.full',
    title: 'Full range',
    group: 'Window',
    keys: ['`'],
    run: (page) => setWindow(page, activeCell(page), { kind: 'full' }),
    isEnabled: mayBeGray,
  },
  {
    id: 'window.stack',
    title: 'One window for the stack or one per image',
    group: 'Window',
    keys: ['Shift+W'],
    run: (page) => setWindow(page, activeCell(page), nextStackWindow(page)),
    isEnabled: (page) => mayBeGray(page) && hasSeveralImages(page) && canShareWindow(page),
    isOn: isStackWindowOn,
  },
  ...CT_PRESETS.map(({ key, name, center, width }): Command => ({
    id: `window.${key}`,
    title: `${name} (CT, ${width}/${center})`,
    group: 'Window',
    keys: [key],
    run: (page) => setWindow(page, activeCell(page), { kind: 'preset', name, center, width }),
    isEnabled: isCt,
    isOn: (page) => isPresetOn(page, name),
  })),
  {
    id: 'window.custom',
    title: 'Last custom window (CT)',
    group: 'Window',
    keys: ['9'],
    run: (page) => {
      const { lastCustomWindow } = cellsOf(page).getState();
      if (lastCustomWindow !== undefined) setWindow(page, activeCell(page), { kind: 'custom', ...lastCustomWindow });
    },
    isEnabled: (page) => isCt(page) && cellsOf(page).getState().lastCustomWindow !== undefined,
  },
];

async function takeFileWindow(page: Page): Promise<void> {
  const cell = activeCell(page);
  const { window } = cellOf(page, cell);
  const file = storedFile(page);
  // Only a stored image can have one of several windows of its file.
  if (window.kind !== 'file' || file === undefined) {
    setWindow(page, cell, { kind: 'file', index: 0 });
    return;
  }
  const info = await loadInfo(page, file.index, new AbortController().signal);
  setWindow(page, cell, { kind: 'file', index: (window.index + 1) % Math.max(1, info?.windows.length ?? 1) });
}

function canShareWindow(page: Page): boolean {
  return pictureOf(page, activeCell(page))?.traits.sharesWindow === true;
}

/** The window after toggling. If no window is declared, the default is already the window of the stack. */
function nextStackWindow(page: Page): CellWindow {
  if (isStackWindowOn(page)) return { kind: 'slice' };
  const [file, stack] = [activeFile(page), stackOfCell(page, activeCell(page))];
  const isDefault = file !== undefined && stack !== undefined && isWindowUndeclared(page, file, stack);
  return isDefault ? { kind: 'file', index: 0 } : { kind: 'stack' };
}

function isStackWindowOn(page: Page): boolean {
  const stack = stackOfCell(page, activeCell(page));
  return (
    stack !== undefined &&
    isShownAsStack(page, cellOf(page, activeCell(page)).window, { file: activeFile(page), stack })
  );
}

function isPresetOn(page: Page, name: string): boolean {
  const { window } = cellOf(page, activeCell(page));
  return window.kind === 'preset' && window.name === name;
}

/**
 * Why windows and color maps do not apply to the active cell. Undefined if they do, and for an image that is not loaded
 * yet: it may be gray, so a key is not refused.
 */
export function whyNotGray(page: Page): string | undefined {
  if (!hasImage(page)) return 'No image is shown.';
  const { status, window } = reportOf(page, activeCell(page));
  if (status === 'failed') return 'The image cannot be shown.';
  return status === 'ready' && window === undefined ? 'The image is in color.' : undefined;
}

export function mayBeGray(page: Page): boolean {
  return whyNotGray(page) === undefined;
}

function isCt(page: Page): boolean {
  return mayBeGray(page) && activeFile(page)?.modality === 'CT';
}
