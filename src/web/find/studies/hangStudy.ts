import { BUILT_IN_RULES } from '../../../shared/hanging/builtInRules.ts';
import type { HungWindow } from '../../../shared/hanging/hangingRule.ts';
import { type PlannedCell, planHanging } from '../../../shared/hanging/planHanging.ts';
import { CT_PRESETS } from '../../../shared/windowPresets.ts';
import { type CellWindow, NO_LINKS } from '../../kit/state/cells.ts';
import { say } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import { WHOLE_IMAGE } from '../../kit/state/viewState.ts';
import { loadUserRules } from './userRules.ts';
import { waitForStudies } from './waitForStudies.ts';
import { showScreen, type WantedCell } from './showScreen.ts';
import { listStudySeries, type StudySeries } from './studySeries.ts';

/** Shows a study by the first rule that fits: of the user, then of negato. */
export async function hangStudy(page: Page, studyUid: string): Promise<void> {
  await waitForStudies(page);
  const [series, rules] = await Promise.all([listStudySeries(page, studyUid), loadUserRules(page)]);
  const plan = planHanging([...rules, ...BUILT_IN_RULES], series);
  if (plan === undefined) return;
  const byId = new Map(series.map((one) => [one.id, one]));
  const cells = plan.cells.map((cell) => cell && toWanted(cell, byId));
  const linked = Object.fromEntries(plan.links.map((link) => [link, true]));
  const isShown = await showScreen(page, { layout: plan.layout, cells, links: { ...NO_LINKS, ...linked } });
  if (!isShown) return;
  const shown = plan.rule === undefined ? '' : `Shown by the rule "${plan.rule}".`;
  const text = [...plan.notes, shown].filter((part) => part !== '').join(' ');
  if (text !== '') say(page, text, plan.notes.length > 0 ? 'failed' : 'done');
}

function toWanted(
  { series, view, window, layers, isMirrored }: PlannedCell,
  byId: ReadonlyMap<string, StudySeries>,
): WantedCell | undefined {
  const found = byId.get(series.id);
  if (found === undefined) return undefined;
  const isEmission = ['PT', 'NM'].includes(found.file.modality);
  return {
    series: found,
    plane: view === 'images' ? undefined : view,
    look: {
      window: toCellWindow(window),
      view: { ...WHOLE_IMAGE, flipHorizontal: isMirrored },
      // Hot spots are looked for on a bright ground.
      invert: view === 'mip' && isEmission,
    },
    layers: layers.flatMap(({ id }) => byId.get(id)?.file ?? []),
  };
}

function toCellWindow(window: HungWindow): CellWindow {
  if (window === 'file') return { kind: 'file', index: 0 };
  if (window === 'full') return { kind: 'full' };
  const preset = CT_PRESETS.find(({ center, width }) => center === window.center && width === window.width);
  return preset === undefined ? { kind: 'custom', ...window } : { kind: 'preset', name: preset.name, ...window };
}
