import { expect, test } from 'vitest';
import { createPage } from '../../kit/state/page.ts';
import { panelsOf, setPanels } from '../../kit/state/panels.ts';
import { countSelected, FIRST_COLUMNS, hasSelection, isSelected } from './cohortQuery.ts';
import { changeLevel, changeQuery, queryOf, selectAllRows, selectRows, toggleRow } from './query.ts';

test('the query follows the address, and the address the query', () => {
  const page = createPage();
  setPanels(page, { cohortText: "table.file;where=Modality%3D'MR'" });
  expect(queryOf(page).getState()).toMatchObject({ level: 'file', where: "Modality='MR'" });
  changeQuery(page, { group: 'Modality' });
  expect(panelsOf(page).getState().cohortText).toBe("table.file;where=Modality%3D'MR';group=Modality");
  setPanels(page, { cohortText: 'gallery.study' });
  expect(queryOf(page).getState()).toMatchObject({ mode: 'gallery', level: 'study', where: '', group: undefined });
});

test('a selection that is too long for the address stays', () => {
  const page = createPage();
  const ids = Array.from({ length: 100 }, (_, n) => String(n));
  selectRows(page, ids);
  setPanels(page, { dialog: 'keys' });
  expect(queryOf(page).getState().selected.ids.size).toBe(100);
});

test('other rows begin at their top; other columns of the same rows stay where they are', () => {
  const page = createPage();
  changeQuery(page, { at: { row: 40, top: 30 } });
  changeQuery(page, { columns: ['Rows'] });
  expect(queryOf(page).getState().at).toEqual({ row: 40, top: 30 });
  changeQuery(page, { where: 'Rows > 5' });
  expect(queryOf(page).getState().at).toEqual({ row: 0, top: 0 });
});

test('another level shows its own columns unless the user has chosen some, and selects nothing', () => {
  const page = createPage();
  selectRows(page, ['1']);
  changeLevel(page, 'file');
  expect(queryOf(page).getState()).toMatchObject({ columns: FIRST_COLUMNS.file });
  expect(hasSelection(queryOf(page).getState().selected)).toBe(false);
  changeQuery(page, { columns: ['Rows'] });
  changeLevel(page, 'study');
  expect(queryOf(page).getState().columns).toEqual(['Rows']);
});

test('of all rows, some are taken out again', () => {
  const page = createPage();
  selectAllRows(page);
  toggleRow(page, 'b');
  const { selected } = queryOf(page).getState();
  expect(['a', 'b'].map((id) => isSelected(selected, id))).toEqual([true, false]);
  expect(countSelected(selected, 1_000_000)).toBe(999_999);
  toggleRow(page, 'b');
  expect(countSelected(queryOf(page).getState().selected, 10)).toBe(10);
  changeQuery(page, { where: 'Rows > 5' });
  expect(hasSelection(queryOf(page).getState().selected)).toBe(false);
});
