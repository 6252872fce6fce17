import type { Page } from './page.ts';
import { panelsOf, setPanels } from './panels.ts';

/** Whether the table and gallery of all files lie over the cells. */
export function isCohortInFront(page: Page): boolean {
  return panelsOf(page).getState().cohortAt === 'front';
}

export function isCohortBehind(page: Page): boolean {
  return panelsOf(page).getState().cohortAt === 'behind';
}

/** What is shown at first, as the address has it. */
const AT_FIRST = 'table.series';

export function openCohort(page: Page): void {
  const { cohortText } = panelsOf(page).getState();
  setPanels(page, { cohortAt: 'front', cohortText: cohortText === '' ? AT_FIRST : cohortText });
}

/** The audits, with the condition that the table and the gallery have. */
export function openAudits(page: Page): void {
  openCohort(page);
  const { cohortText } = panelsOf(page).getState();
  setPanels(page, { cohortText: cohortText.replace(/^\w+/, 'audits') });
}

export function closeCohort(page: Page): void {
  setPanels(page, { cohortAt: 'closed' });
}

/** Shows the cells, because something was opened in one of them. The way back leads to the table or gallery. */
export function showCells(page: Page): void {
  if (isCohortInFront(page)) setPanels(page, { cohortAt: 'behind' });
}
