import type { Page } from '../../kit/state/page.ts';
import { deleteRois } from './rois/roiActions.ts';
import { deleteForms } from './shapes/measurements.ts';
import { isRoi } from './sync/markForm.ts';
import { marksOf } from './sync/marks.ts';

/** Deletes marks of any kind. Those that are locked stay. */
export function removeMarks(page: Page, uids: Iterable<string>): void {
  const { marks } = marksOf(page).getState();
  const listed = [...uids].flatMap((uid) => {
    const mark = marks.get(uid);
    return mark === undefined ? [] : [{ uid, mark }];
  });
  const rois = listed.flatMap(({ uid, mark }) => (isRoi(mark) ? { uid, fileIndex: mark.place.file_index } : []));
  deleteForms(
    page,
    listed.flatMap(({ uid, mark }) => (isRoi(mark) ? [] : uid)),
  );
  if (rois.length > 0) deleteRois(page, rois);
}
