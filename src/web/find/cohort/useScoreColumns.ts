import { useEffect } from 'react';
import { usePage } from '../../kit/state/page.ts';
import { FIRST_COLUMNS } from './cohortQuery.ts';
import { changeQuery, useQuery } from './query.ts';
import { useColumns } from './tableColumns.ts';

/** Until the user chooses columns, those of a score file are shown beside what tells one row from another. */
export function useScoreColumns(): void {
  const page = usePage();
  const level = useQuery((query) => query.level);
  const shown = useQuery((query) => query.columns);
  const { columns } = useColumns();
  useEffect(() => {
    const [first, ...others] = FIRST_COLUMNS[level];
    const scores = columns.flatMap(({ name, origin, is_usual: isUsual }) =>
      origin === 'people' && isUsual ? [name] : [],
    );
    if (first === undefined || scores.length === 0 || shown.join('\n') !== FIRST_COLUMNS[level].join('\n')) return;
    changeQuery(page, { columns: [first, ...scores, ...others] });
  }, [page, level, shown, columns]);
}
