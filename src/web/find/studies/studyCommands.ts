import type { Command } from '../../kit/state/commands.ts';
import { libraryOf } from '../../kit/state/library.ts';
import { loadChunk } from '../../kit/state/loadChunk.ts';
import type { Page } from '../../kit/state/page.ts';
import { openStudy } from './openStudy.ts';

const loadStudies = (page: Page) => loadChunk(page, () => import('./studyChunk.ts'));
const hasFiles = (page: Page) => libraryOf(page).getState().files.length > 0;

async function arrange(page: Page): Promise<void> {
  const { studyOfScreen } = await loadStudies(page);
  const study = studyOfScreen(page);
  if (study !== undefined) await openStudy(page, study);
}

async function step(page: Page, by: 1 | -1): Promise<void> {
  const { stepStudy } = await loadStudies(page);
  await stepStudy(page, by);
}

async function compare(page: Page): Promise<void> {
  const { comparePrior } = await loadStudies(page);
  await comparePrior(page);
}

async function save(page: Page): Promise<void> {
  const { saveRule } = await loadStudies(page);
  await saveRule(page);
}

function ofStudy(id: string, title: string, keys: readonly string[], run: (page: Page) => Promise<void>): Command {
  return { id, title, group: 'Layout', keys, run: (page) => void run(page), isEnabled: hasFiles };
}

export const STUDY_COMMANDS: readonly Command[] = [
  ofStudy('study.previous', 'Previous study, in the same layout', ['Alt+PgUp'], (page) => step(page, -1)),
  ofStudy('study.next', 'Next study, in the same layout', ['Alt+PgDn'], (page) => step(page, 1)),
  ofStudy('study.arrange', 'Arrange this study by rule', ['Shift+S'], arrange),
  ofStudy('study.prior', 'Compare with the study before, scrolling together', [], compare),
  ofStudy('hanging.save', 'Save this layout as a rule', [], save),
];
