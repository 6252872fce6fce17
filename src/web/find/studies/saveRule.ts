import { HUNG_LINKS, HUNG_VIEWS, type HungWindow } from '../../../shared/hanging/hangingRule.ts';
import { ruleOfScreen, type HungCell } from '../../../shared/hanging/ruleOfScreen.ts';
import { writeHangingRule } from '../../../shared/hanging/writeHangingRule.ts';
import { cellOf, cellsOf, cellsOfLayout, type CellWindow } from '../../kit/state/cells.ts';
import { say } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import { download } from '../../kit/ui/download.ts';
import { findShown } from './nextStudy.ts';
import { addUserRule, loadUserRules } from './userRules.ts';

const FILE_NAME = 'hanging.json';

/** Makes the screen a rule, which this page uses from now on, and downloads all rules of the user with it. */
export async function saveRule(page: Page): Promise<void> {
  const { layout, links } = cellsOf(page).getState();
  const shown = await Promise.all(cellsOfLayout(layout).map((cell) => findShown(page, cell)));
  const [first] = shown.flatMap((cell) => cell ?? []);
  if (first === undefined) {
    say(page, 'There is nothing on the screen that a rule could show.', 'failed');
    return;
  }
  const cells = shown.map((cell, at): HungCell | undefined => {
    if (cell === undefined) return undefined;
    const view = HUNG_VIEWS.find((name) => name === cell.plane?.split('~')[0]) ?? 'images';
    return { series: cell.series, view, window: toHungWindow(cellOf(page, at).window), layers: cell.layers };
  });
  const { StudyDescription, Modality } = first.series.values;
  const name = `${StudyDescription || Modality || 'Study'}, ${layout.rows} x ${layout.columns}`;
  const linked = HUNG_LINKS.filter((link) => links[link]);
  addUserRule(page, ruleOfScreen(name, { layout, cells, links: linked }, first.study));
  const rules = (await loadUserRules(page)).map(writeHangingRule);
  download(new Blob([`${JSON.stringify({ rules }, null, 2)}\n`], { type: 'application/json' }), FILE_NAME);
  say(
    page,
    `Saved ${FILE_NAME}. This page uses the rule from now on, and "negato --hanging ${FILE_NAME}" in every run.`,
  );
}

function toHungWindow(window: CellWindow): HungWindow {
  if (window.kind === 'custom' || window.kind === 'preset') return { center: window.center, width: window.width };
  return window.kind === 'full' ? 'full' : 'file';
}
