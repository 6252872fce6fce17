import { type CellLinks, cellsOf, setLayout, setLink, toggleMaximised } from '../kit/state/cells.ts';
import type { Command } from '../kit/state/commands.ts';
import type { Page } from '../kit/state/page.ts';
import { linkScrolling } from '../show/pictures/linkCells.ts';
import { activeCell } from './activeCell.ts';

const LAYOUTS = ['1x1', '1x2', '2x1', '2x2', '2x3', '3x3', '4x4'];

const LINKS: readonly (readonly [keyof CellLinks, string])[] = [
  ['scroll', 'Link scrolling by patient position'],
  ['window', 'Link windows'],
  ['zoom', 'Link zoom and pan'],
  ['layers', 'Link layers'],
];

export const LAYOUT_COMMANDS: readonly Command[] = [
  ...LAYOUTS.map((name): Command => {
    const [rows = 1, columns = 1] = name.split('x').map(Number);
    return {
      id: `layout.${name}`,
      title: `Layout ${name}`,
      group: 'Layout',
      keys: [],
      run: (page) => setLayout(page, { rows, columns }),
      isOn: (page) => {
        const { layout, maximisedCell } = cellsOf(page).getState();
        return layout.rows === rows && layout.columns === columns && maximisedCell === undefined;
      },
    };
  }),
  {
    id: 'layout.maximise',
    title: 'Maximize or restore this cell',
    group: 'Layout',
    keys: [],
    run: (page) => toggleMaximised(page, activeCell(page)),
  },
  ...LINKS.map(([link, title]): Command => ({
    id: `link.${link}`,
    title,
    group: 'Layout',
    keys: [],
    run: (page) => toggleLink(page, link),
    isOn: (page) => cellsOf(page).getState().links[link],
  })),
];

function toggleLink(page: Page, link: keyof CellLinks): void {
  const isOn = cellsOf(page).getState().links[link];
  if (link === 'scroll' && !isOn) linkScrolling(page);
  else setLink(page, link, !isOn);
}
