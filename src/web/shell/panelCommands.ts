import type { Command } from '../kit/state/commands.ts';
import { hasDvh, toggleDvh } from '../kit/state/dvh.ts';
import { panelsOf, setPanels, showTab, type Theme } from '../kit/state/panels.ts';

const NEXT_THEME: Readonly<Record<Theme, Theme>> = { system: 'dark', dark: 'light', light: 'system' };

function panel(id: string, title: string, keys: readonly string[], run: Command['run']): Command {
  return { id: `panel.${id}`, title, group: 'Panels', keys, run };
}

function everywhere(command: Command): Command {
  return { ...command, worksEverywhere: true };
}

export const PANEL_COMMANDS: readonly Command[] = [
  everywhere(
    panel('palette', 'Find a series, tag or command', ['Ctrl+K'], (page) => setPanels(page, { dialog: 'palette' })),
  ),
  everywhere(panel('keys', 'Keyboard shortcuts', ['?'], (page) => setPanels(page, { dialog: 'keys' }))),
  {
    ...panel('explorer', 'Toggle explorer', ['B'], (page) =>
      setPanels(page, { isExplorerOpen: !panelsOf(page).getState().isExplorerOpen }),
    ),
    isOn: (page) => panelsOf(page).getState().isExplorerOpen,
  },
  {
    ...panel('inspector', 'Toggle inspector', ['N'], (page) =>
      setPanels(page, { isInspectorOpen: !panelsOf(page).getState().isInspectorOpen }),
    ),
    isOn: (page) => panelsOf(page).getState().isInspectorOpen,
  },
  panel('layers', 'Show layers', ['C'], (page) => showTab(page, 'layers')),
  panel('marks', 'Show marks', ['Shift+M'], (page) => showTab(page, 'marks')),
  panel('tags', 'Show tags', ['T'], (page) => showTab(page, 'tags')),
  panel('references', 'Show references', ['G'], (page) => showTab(page, 'references')),
  {
    ...panel('dvh', 'Dose-volume histograms', ['Shift+H'], toggleDvh),
    isEnabled: (page) => hasDvh(page),
  },
  everywhere(
    panel('theme', 'Switch theme: light, dark or system', [], (page) =>
      setPanels(page, { theme: NEXT_THEME[panelsOf(page).getState().theme] }),
    ),
  ),
];
