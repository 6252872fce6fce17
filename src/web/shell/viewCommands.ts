import { cellOf, cellsOf, EMPTY_CELL, setView, updateCell } from '../kit/state/cells.ts';
import type { Command } from '../kit/state/commands.ts';
import { MAGNIFIER_KEY, setMagnifier } from '../kit/state/magnifier.ts';
import type { Page } from '../kit/state/page.ts';
import { rotateBy, type ViewState, WHOLE_IMAGE } from '../kit/state/viewState.ts';
import { reportOf } from '../show/pictures/viewports.ts';
import { chooseNextReading, hasSeveralReadings } from '../show/values/reading.ts';
import { MAX_ZOOM, MIN_ZOOM } from '../show/pictures/viewTransform.ts';
import { activeCell, hasImage } from './activeCell.ts';

const ZOOM_STEP = 1.25;

type Change = (view: ViewState, page: Page) => ViewState;

function command(id: string, title: string, keys: readonly string[], change: Change): Command {
  const run = (page: Page) => setView(page, activeCell(page), change(cellOf(page, activeCell(page)).view, page));
  return { id: `view.${id}`, title, group: 'View', keys, run, isEnabled: hasImage };
}

function zoomBy(factor: number): Change {
  return (view, page) => {
    // The last report is outdated when keys follow each other quickly, so the zoom of the state is used.
    const { screen } = reportOf(page, activeCell(page));
    const zoom = view.zoom === 'fit' ? screen?.zoom : view.zoom;
    if (zoom === undefined) return view;
    const least = Math.min(MIN_ZOOM, screen?.fitZoom ?? MIN_ZOOM);
    return { ...view, zoom: Math.min(MAX_ZOOM, Math.max(least, zoom * factor)) };
  };
}

export const VIEW_COMMANDS: readonly Command[] = [
  command('fit', 'Fit image to cell', ['='], (view) => ({ ...view, zoom: 'fit', center: undefined })),
  command('actual', 'Zoom 1:1', ['\\'], (view) => ({ ...view, zoom: 1 })),
  command('zoomIn', 'Zoom in', ['+'], zoomBy(ZOOM_STEP)),
  command('zoomOut', 'Zoom out', ['-'], zoomBy(1 / ZOOM_STEP)),
  command('rotateRight', 'Rotate right', ['Alt+R'], (view) => rotateBy(view, 1)),
  command('rotateLeft', 'Rotate left', ['Alt+L'], (view) => rotateBy(view, -1)),
  {
    ...command('flipHorizontal', 'Flip horizontally', ['H'], (view) => ({
      ...view,
      flipHorizontal: !view.flipHorizontal,
    })),
    isOn: (page) => cellOf(page, activeCell(page)).view.flipHorizontal,
  },
  {
    ...command('flipVertical', 'Flip vertically', ['Shift+V'], (view) => ({
      ...view,
      flipVertical: !view.flipVertical,
    })),
    isOn: (page) => cellOf(page, activeCell(page)).view.flipVertical,
  },
  {
    id: 'view.invert',
    title: 'Invert',
    group: 'View',
    keys: ['I'],
    run: (page) => updateCell(page, activeCell(page), { invert: !cellOf(page, activeCell(page)).invert }),
    isEnabled: hasImage,
    isOn: (page) => cellOf(page, activeCell(page)).invert,
  },
  {
    id: 'view.magnifier',
    title: 'Magnifier at the pointer (hold key)',
    group: 'View',
    keys: [MAGNIFIER_KEY],
    run: (page) => setMagnifier(page, true),
    isEnabled: hasImage,
  },
  {
    id: 'view.reading',
    title: 'Next value unit: real world, SUV, modality, stored',
    group: 'View',
    keys: ['V'],
    run: (page) => chooseNextReading(page, activeCell(page)),
    isEnabled: (page) => hasSeveralReadings(page, activeCell(page)),
  },
  {
    id: 'view.interpolation',
    title: 'Interpolation: automatic, square pixels or smooth',
    group: 'View',
    keys: [],
    run: (page) => {
      const { interpolation } = cellOf(page, activeCell(page));
      const next = ({ auto: 'nearest', nearest: 'smooth', smooth: 'auto' } as const)[interpolation];
      for (const cell of cellsOf(page).getState().cells.keys()) updateCell(page, cell, { interpolation: next });
    },
  },
  {
    id: 'view.reset',
    title: 'Reset view',
    group: 'View',
    keys: ['Shift+Esc'],
    run: (page) =>
      updateCell(page, activeCell(page), {
        view: WHOLE_IMAGE,
        invert: false,
        colorMap: 'gray',
        window: EMPTY_CELL.window,
        presentation: undefined,
      }),
    isEnabled: hasImage,
  },
];
