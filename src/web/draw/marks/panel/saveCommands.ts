import type { Command } from '../../../kit/state/commands.ts';
import { loadChunk } from '../../../kit/state/loadChunk.ts';
import { marksOf } from '../sync/marks.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { PopupItem } from '../../../kit/ui/PopupMenu.tsx';
import { FORMAT_FORMS, OTHERS, type SavedForm } from './savedForms.ts';

const OTHER_TITLES: Partial<Record<SavedForm['id'], string>> = {
  values: 'Save values of measurements as CSV',
  text: 'Copy measurements as text',
  classes: 'Save classes of marks as JSON',
};

/** With a name for each form, so that it is found by what it is for. */
export const SAVE_COMMANDS: readonly Command[] = [
  ...FORMAT_FORMS.map((form) => toCommand(form, `Save marks as ${nameForm(form)}`)),
  // ROIs have a command already.
  ...OTHERS.flatMap((form) => {
    const title = OTHER_TITLES[form.id];
    return title === undefined ? [] : toCommand(form, title);
  }),
];

function toCommand({ id }: SavedForm, title: string): Command {
  return { id: `mark.save.${id}`, title, group: 'Sharing', keys: [], run: (page) => void save(page, id) };
}

/** The formats as a menu inside of another; none without marks. */
export function listSaves(page: Page): readonly PopupItem[] {
  const { marks, others } = marksOf(page).getState();
  if (marks.size === 0 && others.size === 0) return [];
  const items = FORMAT_FORMS.map((form) => ({ title: nameForm(form), run: () => void save(page, form.id) }));
  return [{ title: 'Save marks as…', startsGroup: true, items }];
}

function nameForm({ title, purpose }: SavedForm): string {
  return `${title}: ${purpose}`;
}

async function save(page: Page, form: SavedForm['id']): Promise<void> {
  const { saveMarks } = await loadChunk(page, () => import('./saveMarks.ts'));
  await saveMarks(page, form);
}
