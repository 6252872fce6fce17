import { cellOf, cellsStore, EMPTY_CELL, setView, updateCell } from '../state/cells.ts';
import type { Command } from '../state/commands.ts';
import { MAGNIFIER_KEY, setMagnifier } from '../state/magnifier.ts';
import { rotateBy, type ViewState, WHOLE_IMAGE } from '../state/viewState.ts';
import { reportOf } from '../state/viewports.ts';
import { chooseNextReading, hasSeveralReadings } from '../values/reading.ts';
import { MAX_ZOOM, MIN_ZOOM } from '../pictures/viewTransform.ts';
import { activeCell, hasImage } from './activeCell.ts';

const ZOOM_STEP = 1.25;

function command(id: string, title: string, keys: readonly string[], change: (view: ViewState) => ViewState): Command {
  const run = () => setView(activeCell(), change(cellOf(activeCell()).view));
  return { id: `view.${id}`, title, group: 'View', keys, run, isEnabled: hasImage };
}

function zoomBy(factor: number): (view: ViewState) => ViewState {
  return (view) => {
    // The last report is outdated when keys follow each other quickly, so the zoom of the state is used.
    const { screen } = reportOf(activeCell());
    const zoom = view.zoom === 'fit' ? screen?.zoom : view.zoom;
    if (zoom === undefined) return view;
    const least = Math.min(MIN_ZOOM, screen?.fitZoom ?? MIN_ZOOM);
    return { ...view, zoom: Math.min(MAX_ZOOM, Math.max(least, zoom * factor)) };
  };
}

export const VIEW_COMMANDS: readonly Command[] = [
  command('fit', 'Fit the whole image', ['='], (view) => ({ ...view, zoom: 'fit', center: undefined })),
  command('actual', 'Zoom 1:1', ['\\'], (view) => ({ ...view, zoom: 1 })),
  command('zoomIn', 'Zoom in', ['+'], zoomBy(ZOOM_STEP)),
  command('zoomOut', 'Zoom out', ['-'], zoomBy(1 / ZOOM_STEP)),
  command('rotateRight', 'Rotate right', ['Alt+R'], (view) => rotateBy(view, 1)),
  command('rotateLeft', 'Rotate left', ['Alt+L'], (view) => rotateBy(view, -1)),
  {
    ...command('flipHorizontal', 'Flip left to right', ['H'], (view) => ({
      ...view,
      flipHorizontal: !view.flipHorizontal,
    })),
    isOn: () => cellOf(activeCell()).view.flipHorizontal,
  },
  {
    ...command('flipVertical', 'Flip top to bottom', ['Shift+V'], (view) => ({
      ...view,
      flipVertical: !view.flipVertical,
    })),
    isOn: () => cellOf(activeCell()).view.flipVertical,
  },
  {
    id: 'view.invert',
    title: 'Invert',
    group: 'View',
    keys: ['I'],
    run: () => updateCell(activeCell(), { invert: !cellOf(activeCell()).invert }),
    isEnabled: hasImage,
    isOn: () => cellOf(activeCell()).invert,
  },
  {
    id: 'view.magnifier',
    title: 'Magnifier at the pointer, while the key is held',
    group: 'View',
    keys: [MAGNIFIER_KEY],
    run: (page) => setMagnifier(page, true),
    isEnabled: hasImage,
  },
  {
    id: 'view.reading',
    title: 'Values in the next unit: real world, SUV, modality, stored',
    group: 'View',
    keys: ['V'],
    run: (page) => chooseNextReading(page, activeCell()),
    isEnabled: (page) => hasSeveralReadings(page, activeCell()),
  },
  {
    id: 'view.interpolation',
    title: 'Smooth or square pixels',
    group: 'View',
    keys: [],
    run: () => {
      const { interpolation } = cellOf(activeCell());
      const next = ({ auto: 'nearest', nearest: 'smooth', smooth: 'auto' } as const)[interpolation];
      for (const cell of cellsStore.getState().cells.keys()) updateCell(cell, { interpolation: next });
    },
  },
  {
    id: 'view.reset',
    title: 'Reset the view',
    group: 'View',
    keys: ['Shift+Esc'],
    run: () =>
      updateCell(activeCell(), { view: WHOLE_IMAGE, invert: false, colorMap: 'gray', window: EMPTY_CELL.window }),
    isEnabled: hasImage,
  },
];
