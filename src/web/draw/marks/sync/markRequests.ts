import {
  changeMark,
  changeMarks,
  createMark,
  deleteMark,
  deleteMarks,
  fetchLabels,
  fetchMark,
  fetchMarkJournal,
  fetchMarks,
  replaceMark,
} from '../../../kit/api/marks.ts';
import { definePart } from '../../../kit/state/page.ts';
import { wait } from '../../../kit/state/wait.ts';

const SERVER = {
  list: fetchMarks,
  read: fetchMark,
  create: createMark,
  change: changeMark,
  replace: replaceMark,
  remove: deleteMark,
  changeMany: changeMarks,
  removeMany: deleteMarks,
  readLabels: fetchLabels,
  readJournal: fetchMarkJournal,
  wait,
};

export type MarkRequests = typeof SERVER;

/** The requests and the timer that the sync of marks needs. */
export const markRequestsOf = definePart((): MarkRequests => ({ ...SERVER }));
