import type { Command } from '../../../kit/state/commands.ts';
import { openNextUnlabelled } from './stackMarks.ts';
import { extendSelected, findExtended } from './extendMark.ts';
import { isProposed, takeProposal } from '../tools/proposals.ts';
import { findPolygonDraft, finishCorners } from './polygonDraft.ts';

export const MARK_COMMANDS: readonly Command[] = [
  {
    id: 'mark.finish',
    title: 'Take the previewed change of a mask, or finish polygon; Ctrl+Enter with the pointer by keys',
    group: 'Editing',
    keys: ['Enter', 'Ctrl+Enter'],
    run: (page) => (isProposed(page) ? takeProposal(page) : finishCorners(page)),
    isEnabled: (page) => isProposed(page) || findPolygonDraft(page) !== undefined,
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
