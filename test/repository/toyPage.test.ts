import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copySources, type SourceEdits } from '../support/copySources.ts';
import { createFileRecord } from '../support/createFileRecord.ts';

test('a keyboard command is one entry in one table; keys, palette and the list of keys follow from it', async () => {
  const edits: SourceEdits = {
    'src/web/shell/viewCommands.ts': [
      ["  command('fit', ", "  command('toy', 'Zoom of a toy', ['Alt+Y'], (view) => ({ ...view, zoom: 3 })),\n"],
    ],
  };
  const folder = copySources(edits);
  expect(Object.keys(edits)).toHaveLength(1);

  const { COMMANDS } = await import(join(folder, 'src/web/shell/commandTable.ts'));
  expect(COMMANDS).toContainEqual(expect.objectContaining({ id: 'view.toy', keys: ['Alt+Y'] }));
  const { writeKeysPage } = await import(join(folder, 'src/web/shell/keysPage.ts'));
  expect(writeKeysPage()).toContain('| `Alt+Y` | Zoom of a toy |');
});

test('a value in the lines of the explorer is one entry where the lines of its kind are built', async () => {
  const edits: SourceEdits = {
    'src/web/show/series/studyTree.ts': [
      // What the line said before is its hint.
      [
        'first.patient_id === title',
        "first.patient_name === '' ? '' : `${first.patient_name.length} letters`,\n    hint: ",
      ],
    ],
  };
  const folder = copySources(edits);
  expect(Object.keys(edits)).toHaveLength(1);

  const { createPage } = await import(join(folder, 'src/web/kit/state/page.ts'));
  const { buildStudyTree } = await import(join(folder, 'src/web/show/series/studyTree.ts'));
  const file = createFileRecord(0, { support_state: 'renderable', patient_name: 'Toy', patient_id: 'P' });
  const [patient] = buildStudyTree(createPage(), [file], { stackOfFile: new Map(), isSeriesComplete: true });
  expect(patient).toMatchObject({ detail: '3 letters' });
});
