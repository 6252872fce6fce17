import { type CellWindow, cellOf, cellsStore, setWindow, stackOfCell } from '../state/cells.ts';
import type { Command } from '../state/commands.ts';
import { loadInfo } from '../state/fileInfo.ts';
import type { Page } from '../state/page.ts';
import { CT_PRESETS } from '../state/presets.ts';
import { isShownAsStack, isWindowUndeclared } from '../state/stackWindows.ts';
import { openWindowEntry } from '../state/windowEntry.ts';
import { reportOf } from '../state/viewports.ts';
import { activeCell, activeFile, hasImage, hasSeveralImages } from './activeCell.ts';

export const WINDOW_COMMANDS: readonly Command[] = [
  {
    id: 'window.file',
    title: "The file's own window (again: its next one)",
    group: 'Window',
    keys: ['0'],
    run: () => void takeFileWindow(),
    isEnabled: isGray,
  },
  {
    id: 'window.type',
    title: 'Type the center and the width of the window',
    group: 'Window',
    keys: ['Shift+L'],
    run: (page) => openWindowEntry(page, activeCell()),
    isEnabled: () => reportOf(activeCell()).window !== undefined,
  },
  {
    id: 'window.full',
    title: 'Full dynamic range',
    group: 'Window',
    keys: ['`'],
    run: () => setWindow(activeCell(), { kind: 'full' }),
    isEnabled: isGray,
  },
  {
    id: 'window.stack',
    title: 'One window for the stack, or each slice by itself',
    group: 'Window',
    keys: ['Shift+W'],
    run: (page) => setWindow(activeCell(), nextStackWindow(page)),
    isEnabled: () => isGray() && hasSeveralImages(),
    isOn: isStackWindowOn,
  },
  ...CT_PRESETS.map(({ key, name, center, width }): Command => ({
    id: `window.${key}`,
    title: `${name} (CT, ${width}/${center})`,
    group: 'Window',
    keys: [key],
    run: () => setWindow(activeCell(), { kind: 'preset', name, center, width }),
    isEnabled: isCt,
    isOn: () => isPresetOn(name),
  })),
  {
    id: 'window.custom',
    title: 'The last window set by hand (CT)',
    group: 'Window',
    keys: ['9'],
    run: () => {
      const { lastCustomWindow } = cellsStore.getState();
      if (lastCustomWindow !== undefined) setWindow(activeCell(), { kind: 'custom', ...lastCustomWindow });
    },
    isEnabled: () => isCt() && cellsStore.getState().lastCustomWindow !== undefined,
  },
];

async function takeFileWindow(): Promise<void> {
  const cell = activeCell();
  const { window } = cellOf(cell);
  const file = activeFile();
  if (window.kind !== 'file' || file === undefined) {
    setWindow(cell, { kind: 'file', index: 0 });
    return;
  }
  const info = await loadInfo(file.index, new AbortController().signal);
  setWindow(cell, { kind: 'file', index: (window.index + 1) % Math.max(1, info?.windows.length ?? 1) });
}

/** The window after toggling. If no window is declared, the default is already the window of the stack. */
function nextStackWindow(page: Page): CellWindow {
  if (isStackWindowOn(page)) return { kind: 'slice' };
  const [file, stack] = [activeFile(), stackOfCell(activeCell())];
  const isDefault = file !== undefined && stack !== undefined && isWindowUndeclared(page, file, stack);
  return isDefault ? { kind: 'file', index: 0 } : { kind: 'stack' };
}

function isStackWindowOn(page: Page): boolean {
  const stack = stackOfCell(activeCell());
  return stack !== undefined && isShownAsStack(page, cellOf(activeCell()).window, { file: activeFile(), stack });
}

function isPresetOn(name: string): boolean {
  const { window } = cellOf(activeCell());
  return window.kind === 'preset' && window.name === name;
}

/** An image that is not loaded yet may be gray, so the key is not refused. */
export function isGray(): boolean {
  const { status, window } = reportOf(activeCell());
  return hasImage() && (status !== 'ready' || window !== undefined);
}

export function isCt(): boolean {
  return hasImage() && activeFile()?.modality === 'CT';
}
