import { Save } from 'lucide-react';
import {
  formatOf,
  isMarkExport,
  isMarkVolumeExport,
  MARK_SAVED_FORMATS,
  type MarkExportFormat,
  type MarkFormatName,
} from '../../../../shared/markFormats.ts';
import { type ConvertedMarks, fetchConvertedMarks, fetchMarkExport, fetchMarkVolume } from '../../../kit/api/marks.ts';
import { cellsOf } from '../../../kit/state/cells.ts';
import { findFile } from '../../../kit/state/library.ts';
import { sayOutcome } from '../../../kit/state/messages.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { download } from '../../../kit/ui/download.ts';
import { Menu } from '../../../kit/ui/Menu.tsx';
import { pictureOf } from '../../../show/pictures/pictureKinds.ts';
import { exportRois } from '../rois/exportRois.ts';
import { roisByFile } from '../rois/roi.ts';
import { useRois } from '../rois/roiFiles.ts';
import { formatCsv, formatText, type MeasuredFile } from '../shapes/exportMeasurements.ts';
import { labelsOf } from '../shapes/labels.ts';
import { listShapes } from '../shapes/measurements.ts';
import { listedForm } from '../shapes/throughStack.ts';
import { isKept } from '../sync/markForm.ts';
import { markSyncOf } from '../sync/markKind.ts';
import { marksOf } from '../sync/marks.ts';
import styles from './SaveMarks.module.css';

type Entry = {
  readonly title: string;
  readonly purpose: string;
  readonly run: (page: Page, measured: readonly MeasuredFile[]) => void;
};

/** In each of the formats of marks. */
const FORMATS = MARK_SAVED_FORMATS.map((name): Entry => {
  const { title = name, purpose = '' } = formatOf(name);
  return { title, purpose, run: (page) => void sayOutcome(page, () => saveAs(page, name)) };
});

/** What is not a format of marks. */
const OTHERS: readonly Entry[] = [
  {
    title: 'ROIs (CSV)',
    purpose: 'the ROIs of all files, as annotations',
    run: (page) => void exportRois(page),
  },
  {
    title: 'Values (CSV)',
    purpose: 'the listed measurements with their values',
    run: (_, measured) => download(new Blob([formatCsv(measured)], { type: 'text/csv' }), 'measurements.csv'),
  },
  {
    title: 'Copy as text',
    purpose: 'the listed measurements, for a note or an email',
    run: (page, measured) =>
      void sayOutcome(page, async () => {
        await navigator.clipboard.writeText(formatText(page, measured));
        return 'Copied';
      }),
  },
  {
    title: 'Classes (JSON)',
    purpose: 'titles, colors and digits, for --labels',
    run: (page) => {
      const { scheme } = labelsOf(page).getState().stored ?? {};
      download(new Blob([JSON.stringify(scheme ?? { classes: [] }, undefined, 2)]), 'labels.json');
    },
  },
];

type Props = {
  /** The measurements that a list shows; absent: all. */
  readonly measured?: readonly MeasuredFile[];
};

/** One button that lists all formats in which marks can be saved, and what each is for. */
export function SaveMarks({ measured }: Props) {
  const page = usePage();
  const isExporting = useRois((state) => state.export.kind === 'running');
  return (
    <Menu
      label="Save marks"
      face={
        <>
          <Save size={16} aria-hidden="true" /> Save…
        </>
      }
    >
      {(close) => (
        <div role="menu" aria-label="Save marks" className={styles.menu}>
          {[FORMATS, OTHERS].map((entries) => (
            <div key={entries[0]?.title} className={styles.group}>
              {entries.map(({ title, purpose, run }) => (
                <button
                  key={title}
                  type="button"
                  role="menuitem"
                  className={styles.item}
                  disabled={isExporting && title === OTHERS[0]?.title}
                  onClick={() => {
                    close();
                    run(page, measured ?? listAllMeasured(page));
                  }}
                >
                  <span className={styles.title}>{title}</span>
                  <span className={styles.purpose}>{purpose}</span>
                </button>
              ))}
            </div>
          ))}
        </div>
      )}
    </Menu>
  );
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
