import type { Command } from '../../../kit/state/commands.ts';
import { openNextUnlabelled } from './stackMarks.ts';
import { extendSelected, findExtended } from './extendMark.ts';
import { findPolygonDraft, finishCorners } from './polygonDraft.ts';

export const MARK_COMMANDS: readonly Command[] = [
  {
    id: 'mark.finish',
    title: 'Finish polygon',
    group: 'Editing',
    keys: ['Enter'],
    run: finishCorners,
    isEnabled: (page) => findPolygonDraft(page) !== undefined,
  },
  {
    id: 'mark.extend',
    title: 'Extend selected box, ellipse or polygon to this image; on planes, a box to a 3-D box',
    group: 'Editing',
    keys: ['Alt+E'],
    run: extendSelected,
    isEnabled: (page) => findExtended(page) !== undefined,
  },
  {
    id: 'mark.next',
    title: 'Next unlabelled image',
    group: 'Editing',
    keys: ['Shift+PgDn'],
    run: openNextUnlabelled,
  },
];
