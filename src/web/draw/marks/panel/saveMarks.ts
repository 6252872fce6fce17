import {
  formatOf,
  isMarkExport,
  isMarkVolumeExport,
  type MarkExportFormat,
  type MarkFormatName,
} from '../../../../shared/markFormats.ts';
import { type ConvertedMarks, fetchConvertedMarks, fetchMarkExport, fetchMarkVolume } from '../../../kit/api/marks.ts';
import { cellsOf } from '../../../kit/state/cells.ts';
import { findFile } from '../../../kit/state/library.ts';
import { sayOutcome } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import { download } from '../../../kit/ui/download.ts';
import { pictureOf } from '../../../show/pictures/pictureKinds.ts';
import { exportRois } from '../rois/exportRois.ts';
import { roisByFile } from '../rois/roi.ts';
import { formatCsv, formatText, type MeasuredFile } from '../shapes/exportMeasurements.ts';
import { labelsOf } from '../shapes/labels.ts';
import { listShapes } from '../shapes/measurements.ts';
import { listedForm } from '../shapes/throughStack.ts';
import { isKept } from '../sync/markForm.ts';
import { markSyncOf } from '../sync/markKind.ts';
import { marksOf } from '../sync/marks.ts';
import { OTHER_FORMS, type OtherForm, type SavedForm } from './savedForms.ts';

/** Saves all marks, or what a list shows where only measurements are saved. What goes wrong is said. */
export async function saveMarks(
  page: Page,
  form: SavedForm['id'],
  measured: readonly MeasuredFile[] = listAllMeasured(page),
): Promise<void> {
  if (isOther(form)) await OTHER_SAVES[form](page, measured);
  else await sayOutcome(page, () => saveAs(page, form));
}

function isOther(form: SavedForm['id']): form is OtherForm {
  return form in OTHER_FORMS;
}

const OTHER_SAVES: Readonly<Record<OtherForm, (page: Page, measured: readonly MeasuredFile[]) => Promise<void>>> = {
  rois: exportRois,
  async values(page, measured) {
    await sayOutcome(page, async () => {
      requireMeasured(measured);
      download(new Blob([formatCsv(measured)], { type: 'text/csv' }), 'measurements.csv');
      return 'Values saved';
    });
  },
  async text(page, measured) {
    await sayOutcome(page, async () => {
      requireMeasured(measured);
      await navigator.clipboard.writeText(formatText(page, measured));
      return 'Copied';
    });
  },
  async classes(page) {
    const { scheme } = labelsOf(page).getState().stored ?? {};
    download(new Blob([JSON.stringify(scheme ?? { classes: [] }, undefined, 2)]), 'labels.json');
  },
};

function requireMeasured(measured: readonly MeasuredFile[]): void {
  if (measured.length === 0) throw new Error('There are no measurements to save');
}

function listAllMeasured(page: Page): readonly MeasuredFile[] {
  return listShapes(page).flatMap((shape) => {
    const file = findFile(page, shape.fileIndex);
    return file === undefined ? [] : { item: listedForm(page, shape), file };
  });
}

async function saveAs(page: Page, name: MarkFormatName): Promise<string> {
  const { fileName, writes } = formatOf(name);
  if (writes !== 'journal') requireMarks(page);
  // Saves that are still in flight belong to the file.
  await markSyncOf(page).settled();
  if (isMarkExport(name)) return save(page, await convert(page, name), fileName);
  if (!isMarkVolumeExport(name)) {
    download(await fetchMarkExport(), fileName);
    return 'Marks saved';
  }
  const file = shownFile(page);
  if (file === undefined) throw new Error('No images are shown');
  return save(page, await fetchMarkVolume(file, name), fileName);
}

/** A file without marks would be of no use to anybody. */
function requireMarks(page: Page): void {
  const { marks, others } = marksOf(page).getState();
  if (others.size > 0 || [...marks.values()].some(isKept)) return;
  throw new Error(
    roisByFile(page).size === 0
      ? 'There are no marks to save'
      : 'There are only ROIs. Save them as “ROIs (CSV)”, or choose them in the list and turn them into boxes',
  );
}

/** A report is of one study: that of the shown images. */
function convert(page: Page, name: MarkExportFormat): Promise<ConvertedMarks> {
  const study =
    formatOf(name).writes === 'study report' ? findFile(page, shownFile(page))?.study_instance_uid : undefined;
  const query = study === undefined || study === '' ? '' : `&study=${encodeURIComponent(study)}`;
  return fetchConvertedMarks(name, query);
}

/** What the file does not hold is said until the user has dismissed it. */
function save(page: Page, { file, leftOut }: ConvertedMarks, name: string): string {
  download(file, name);
  const rois = [...roisByFile(page).values()].reduce((sum, { length }) => sum + length, 0);
  const text = [leftOut, ...(rois > 0 ? [`ROIs, which “ROIs (CSV)” saves: ${rois}`] : [])].filter(Boolean).join(', ');
  marksOf(page).setState({ leftOut: text === '' ? undefined : { name, text } });
  return 'Marks saved';
}

/** The first file of the shown images. */
export function shownFile(page: Page): number | undefined {
  return pictureOf(page, cellsOf(page).getState().activeCell)?.stack?.fileIndex;
}
