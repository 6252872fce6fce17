import { useEffect } from 'react';
import { say, sayOutcome } from '../../kit/state/messages.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { type Change, changeUnitsOf, deciderOf } from '../review/decide.ts';
import { reviewOf } from '../review/review.ts';
import { countSelected, formatRows, hasSelection, LEVEL_TITLES } from './cohortQuery.ts';
import { queryOf } from './query.ts';
import { loadSelected, MOST_MARKED } from './SelectionBar.tsx';
import { tableHeadOf } from './tableRows.ts';

/** While rows are shown, verdicts are for those that are selected. */
export function useVerdicts(isShown: boolean): void {
  const page = usePage();
  useEffect(() => {
    if (!isShown) return undefined;
    const decide = (change: Change, title: string) => void decideRows(page, change, title);
    Object.assign(deciderOf(page), { decide });
    return () => {
      if (deciderOf(page).decide === decide) Object.assign(deciderOf(page), { decide: undefined });
    };
  }, [page, isShown]);
}

async function decideRows(page: Page, change: Change, title: string): Promise<void> {
  const { level, selected } = queryOf(page).getState();
  const { head } = reviewOf(page).getState();
  const count = countSelected(selected, tableHeadOf(page).getState().total);
  if (head === undefined) return;
  if (!hasSelection(selected)) say(page, 'Select rows to decide on them.', 'failed');
  else if (level !== head.level) {
    const [units, rows] = [head.level, level].map((one) => LEVEL_TITLES[one].toLowerCase());
    say(page, `The review decides on ${units}, and the rows are ${rows}.`, 'failed');
  } else if (count > MOST_MARKED) say(page, `At most ${formatRows(MOST_MARKED, level)} are decided at once.`, 'failed');
  else {
    await sayOutcome(page, async () => {
      const rows = await loadSelected(page, MOST_MARKED);
      const files = rows.map(({ file }) => file);
      const decided = await changeUnitsOf(page, files, change);
      return `Decided ${formatRows(decided, level)}: ${title}. U takes it back.`;
    });
  }
}
