import { cellOf, updateCell } from '../kit/state/cells.ts';
import { COLOR_MAPS, type ColorMapName } from '../kit/state/colorMaps.ts';
import type { Command } from '../kit/state/commands.ts';
import type { Page } from '../kit/state/page.ts';
import { activeCell } from './activeCell.ts';
import { mayBeGray } from './windowCommands.ts';

export function setColorMap(page: Page, colorMap: ColorMapName): void {
  updateCell(page, activeCell(page), { colorMap });
}

export const COLOR_COMMANDS: readonly Command[] = [
  {
    id: 'color.next',
    title: 'Next color map',
    group: 'View',
    keys: ['K'],
    run: (page) => setColorMap(page, neighbour(page, 1)),
    isEnabled: mayBeGray,
  },
  {
    id: 'color.previous',
    title: 'Previous color map',
    group: 'View',
    keys: ['Shift+K'],
    run: (page) => setColorMap(page, neighbour(page, -1)),
    isEnabled: mayBeGray,
  },
  ...COLOR_MAPS.map(({ name, title }): Command => ({
    id: `color.${name}`,
    title: `Color map: ${title}`,
    group: 'View',
    keys: [],
    run: (page) => setColorMap(page, name),
    isEnabled: mayBeGray,
    isOn: (page) => cellOf(page, activeCell(page)).colorMap === name,
  })),
];

function neighbour(page: Page, step: 1 | -1): ColorMapName {
  const { colorMap } = cellOf(page, activeCell(page));
  const at = COLOR_MAPS.findIndex(({ name }) => name === colorMap);
  return COLOR_MAPS.at((at + step) % COLOR_MAPS.length)?.name ?? 'gray';
}
