import { FolderInput } from 'lucide-react';
import { useRef } from 'react';
import type {
  ImportedMarksResponse,
  MarkExportFormat,
  MarkImportFormat,
  MarkVolumeFormat,
} from '../../../shared/contract/marks.ts';
import { type ConvertedMarks, fetchConvertedMarks, fetchMarkVolume, importMarks } from '../../api/marks.ts';
import { pictureOf } from '../../pictures/pictureKinds.ts';
import { cellsOf } from '../../state/cells.ts';
import { findFile } from '../../state/library.ts';
import { sayOutcome } from '../../state/messages.ts';
import { type Page, usePage } from '../../state/page.ts';
import { download } from '../../ui/download.ts';
import { Menu } from '../../ui/Menu.tsx';
import { listMembers } from './listMembers.ts';
import { marksOf } from '../sync/marks.ts';
import styles from './MarkFiles.module.css';

type Entry = { readonly title: string; readonly run: (page: Page) => Promise<string> };

const ENTRIES: readonly Entry[] = [
  { title: 'Save as CSV, with millimetres', run: (page) => saveAs(page, 'csv', 'negato-marks.csv') },
  { title: 'Save as COCO, areas on images', run: (page) => saveAs(page, 'coco', 'negato-marks.coco.json') },
  { title: 'Save as GeoJSON, for QuPath', run: (page) => saveAs(page, 'geojson', 'negato-marks.geojson') },
  { title: 'Save as DICOM report of the shown study', run: saveReport },
  { title: 'Save areas of the shown series as DICOM SEG', run: (page) => saveVolume(page, 'seg', 'marks.seg.dcm') },
  { title: 'Save areas of the shown series as NIfTI', run: (page) => saveVolume(page, 'nii.gz', 'marks.nii.gz') },
  { title: 'Save areas of the shown series as NRRD', run: (page) => saveVolume(page, 'nrrd', 'marks.seg.nrrd') },
];

/** Marks leave and return in the formats of other programs. */
export function MarkFiles() {
  const page = usePage();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Menu
        label="Marks to and from files"
        face={
          <>
            <FolderInput size={16} aria-hidden="true" /> Files
          </>
        }
      >
        {(close) => (
          <div role="menu" aria-label="Marks to and from files">
            {ENTRIES.map(({ title, run }) => (
              <button
                key={title}
                type="button"
                role="menuitem"
                className={styles.item}
                onClick={() => {
                  close();
                  void sayOutcome(page, () => run(page));
                }}
              >
                {title}
              </button>
            ))}
            <button
              type="button"
              role="menuitem"
              className={styles.item}
              onClick={() => {
                close();
                input.current?.click();
              }}
            >
              Import marks…
            </button>
          </div>
        )}
      </Menu>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File of marks"
        accept=".json,.csv,.geojson,.nii,.gz,.nrrd,application/json,text/csv,application/geo+json,application/gzip"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) void sayOutcome(page, () => readFile(page, file));
          // The same file can be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}

async function saveAs(page: Page, format: MarkExportFormat, name: string, query = ''): Promise<string> {
  return save(page, await fetchConvertedMarks(format, query), name);
}

function saveReport(page: Page): Promise<string> {
  const study = findFile(page, shownFile(page))?.study_instance_uid ?? '';
  return saveAs(page, 'sr', 'negato-marks.sr.dcm', study === '' ? '' : `&study=${encodeURIComponent(study)}`);
}

async function saveVolume(page: Page, format: MarkVolumeFormat, name: string): Promise<string> {
  const file = shownFile(page);
  if (file === undefined) throw new Error('No images are shown');
  return save(page, await fetchMarkVolume(file, format), name);
}

/** What the file does not hold is said until the user has dismissed it. */
function save(page: Page, { file, leftOut }: ConvertedMarks, name: string): string {
  download(file, name);
  marksOf(page).setState({ leftOut: leftOut === '' ? undefined : { name, text: leftOut } });
  return 'Marks saved';
}

function shownFile(page: Page): number | undefined {
  return pictureOf(page, cellsOf(page).getState().activeCell)?.stack?.fileIndex;
}

/** Marks that name no image are put on the one that is shown. */
async function readFile(page: Page, file: File): Promise<string> {
  const format = await findFormat(file);
  return describeImport(await importMarks(file, format, shownFile(page)));
}

async function findFormat(file: File): Promise<MarkImportFormat> {
  if (/\.csv$/i.test(file.name)) return 'csv';
  if (/\.geojson$/i.test(file.name)) return 'geojson';
  if (/\.nii(\.gz)?$/i.test(file.name)) return 'nifti';
  if (/\.nrrd$/i.test(file.name)) return 'nrrd';
  const members = await listMembers(file);
  if (members.get('annotations') === 'list') return 'coco';
  return members.get('format') === 'text' ? 'json' : 'geojson';
}

/** What became of the marks of a file. Nothing that was left out is passed over. */
function describeImport({ imported, known, refused, reasons, left_out }: ImportedMarksResponse): string {
  const [first] = reasons;
  const parts = [`${imported === 1 ? '1 mark' : `${imported} marks`} imported`];
  if (known > 0) parts.push(`${known} were there already`);
  if (refused > 0) parts.push(`${refused} refused (${first?.mark ?? ''}: ${first?.reason ?? ''})`);
  if (left_out.length > 0) parts.push(`left out: ${left_out.join(', ')}`);
  const text = parts.join('; ');
  // A failure stays longer on screen.
  if (refused > 0) throw new Error(text);
  return text;
}
