import type { Command } from '../state/commands.ts';
import { panelsOf, setPanels, type Theme } from '../state/panels.ts';

const NEXT_THEME: Readonly<Record<Theme, Theme>> = { system: 'dark', dark: 'light', light: 'system' };

function panel(id: string, title: string, keys: readonly string[], run: Command['run']): Command {
  return { id: `panel.${id}`, title, group: 'Panels', keys, run };
}

export const PANEL_COMMANDS: readonly Command[] = [
  panel('palette', 'Find a series, tag or command', ['Ctrl+K'], (page) => setPanels(page, { overlay: 'palette' })),
  panel('keys', 'All keys', ['?'], (page) => setPanels(page, { overlay: 'keys' })),
  {
    ...panel('explorer', 'Explorer on or off', ['B'], (page) =>
      setPanels(page, { isExplorerOpen: !panelsOf(page).getState().isExplorerOpen }),
    ),
    isOn: (page) => panelsOf(page).getState().isExplorerOpen,
  },
  {
    ...panel('inspector', 'Inspector on or off', ['N'], (page) =>
      setPanels(page, { isInspectorOpen: !panelsOf(page).getState().isInspectorOpen }),
    ),
    isOn: (page) => panelsOf(page).getState().isInspectorOpen,
  },
  panel('tags', 'Show the tags', ['T'], (page) => setPanels(page, { isInspectorOpen: true, tab: 'tags' })),
  panel('context', 'Show what the object is and means', ['C'], (page) =>
    setPanels(page, { isInspectorOpen: true, tab: 'context' }),
  ),
  panel('references', 'Show what it refers to', ['G'], (page) =>
    setPanels(page, { isInspectorOpen: true, tab: 'references' }),
  ),
  panel('measure', 'Show the measurements', ['Shift+M'], (page) =>
    setPanels(page, { isInspectorOpen: true, tab: 'measure' }),
  ),
  panel('theme', 'Light, dark, or as the system', [], (page) =>
    setPanels(page, { theme: NEXT_THEME[panelsOf(page).getState().theme] }),
  ),
];
