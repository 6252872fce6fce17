import { PanelMessage } from '../../kit/ui/PanelMessage.tsx';
import { LEVEL_TITLES } from '../cohort/cohortQuery.ts';
import { useQuery } from '../cohort/query.ts';

/** The rows of the query as pictures. */
export function Gallery() {
  const level = useQuery((query) => query.level);
  return <PanelMessage>{LEVEL_TITLES[level]} have no pictures here yet.</PanelMessage>;
}
