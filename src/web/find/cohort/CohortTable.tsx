import { PanelMessage } from '../../kit/ui/PanelMessage.tsx';
import { LEVEL_TITLES } from './cohortQuery.ts';
import { useQuery } from './query.ts';

/** The rows of the query, a line each. */
export function CohortTable() {
  const level = useQuery((query) => query.level);
  return <PanelMessage>{LEVEL_TITLES[level]} are not listed here yet.</PanelMessage>;
}
