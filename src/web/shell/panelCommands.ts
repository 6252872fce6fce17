import type { Command } from '../state/commands.ts';
import { panelsStore, setPanels, type Theme } from '../state/panels.ts';

const NEXT_THEME: Readonly<Record<Theme, Theme>> = { system: 'dark', dark: 'light', light: 'system' };

function panel(id: string, title: string, keys: readonly string[], run: Command['run']): Command {
  return { id: `panel.${id}`, title, group: 'Panels', keys, run };
}

export const PANEL_COMMANDS: readonly Command[] = [
  panel('palette', 'Find a series, tag or command', ['Ctrl+K'], () => setPanels({ overlay: 'palette' })),
  panel('keys', 'All keys', ['?'], () => setPanels({ overlay: 'keys' })),
  {
    ...panel('explorer', 'Explorer on or off', ['B'], () =>
      setPanels({ isExplorerOpen: !panelsStore.getState().isExplorerOpen }),
    ),
    isOn: () => panelsStore.getState().isExplorerOpen,
  },
  {
    ...panel('inspector', 'Inspector on or off', ['N'], () =>
      setPanels({ isInspectorOpen: !panelsStore.getState().isInspectorOpen }),
    ),
    isOn: () => panelsStore.getState().isInspectorOpen,
  },
  panel('tags', 'Show the tags', ['T'], () => setPanels({ isInspectorOpen: true, tab: 'tags' })),
  panel('context', 'Show what the object is and means', ['C'], () =>
    setPanels({ isInspectorOpen: true, tab: 'context' }),
  ),
  panel('references', 'Show what it refers to', ['G'], () => setPanels({ isInspectorOpen: true, tab: 'references' })),
  panel('measure', 'Show the measurements', ['Shift+M'], () => setPanels({ isInspectorOpen: true, tab: 'measure' })),
  panel('theme', 'Light, dark, or as the system', [], () =>
    setPanels({ theme: NEXT_THEME[panelsStore.getState().theme] }),
  ),
];
