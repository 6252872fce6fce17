import { FolderInput } from 'lucide-react';
import { useRef } from 'react';
import type { ImportedMarksResponse } from '../../../../shared/contract/marks.ts';
import {
  formatOf,
  MARK_EXPORT_FORMATS,
  MARK_IMPORT_FORMATS,
  MARK_VOLUME_FORMATS,
  type MarkExportFormat,
  type MarkImportFormat,
  type MarkVolumeFormat,
} from '../../../../shared/markFormats.ts';
import { type ConvertedMarks, fetchConvertedMarks, fetchMarkVolume, importMarks } from '../../../kit/api/marks.ts';
import { pictureOf } from '../../../show/pictures/pictureKinds.ts';
import { cellsOf } from '../../../kit/state/cells.ts';
import { findFile } from '../../../kit/state/library.ts';
import { sayOutcome } from '../../../kit/state/messages.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { download } from '../../../kit/ui/download.ts';
import { Menu } from '../../../kit/ui/Menu.tsx';
import { listMembers } from './listMembers.ts';
import { marksOf } from '../sync/marks.ts';
import styles from './MarkFiles.module.css';

type Entry = { readonly title: string; readonly run: (page: Page) => Promise<string> };

function toEntry(format: MarkExportFormat | MarkVolumeFormat, start: string, run: Entry['run']): Entry[] {
  const { title } = formatOf(format);
  return title === undefined ? [] : [{ title: `${start} ${title}`, run }];
}

const ENTRIES: readonly Entry[] = [
  ...MARK_EXPORT_FORMATS.flatMap((format) => toEntry(format, 'Save as', (page) => saveAs(page, format))),
  ...MARK_VOLUME_FORMATS.flatMap((format) =>
    toEntry(format, 'Save areas of the shown series as', (page) => saveVolume(page, format)),
  ),
];
const READ_FORMATS = MARK_IMPORT_FORMATS.map((name) => ({ name, ...formatOf(name) }));
/** What a browser offers to open: it knows what is behind the last dot, and there are several formats of JSON. */
const ACCEPTED = new Set([
  '.json',
  ...READ_FORMATS.flatMap(({ endings = [] }) => endings.map((end) => end.slice(end.lastIndexOf('.')))),
  ...READ_FORMATS.map(({ mediaType }) => mediaType.replace(/;.*/, '')).filter(
    (type) => !type.endsWith('/octet-stream'),
  ),
]);

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
        accept={[...ACCEPTED].join()}
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

/** A report is of one study: that of the shown images. */
async function saveAs(page: Page, format: MarkExportFormat): Promise<string> {
  const { writes, fileName } = formatOf(format);
  const study = writes === 'study report' ? findFile(page, shownFile(page))?.study_instance_uid : undefined;
  const query = study === undefined || study === '' ? '' : `&study=${encodeURIComponent(study)}`;
  return save(page, await fetchConvertedMarks(format, query), fileName);
}

async function saveVolume(page: Page, format: MarkVolumeFormat): Promise<string> {
  const file = shownFile(page);
  if (file === undefined) throw new Error('No images are shown');
  return save(page, await fetchMarkVolume(file, format), formatOf(format).fileName);
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
  const name = file.name.toLowerCase();
  const byEnding = READ_FORMATS.find(({ endings = [] }) => endings.some((end) => name.endsWith(end)));
  if (byEnding !== undefined) return byEnding.name;
  const members = await listMembers(file);
  const byMember = READ_FORMATS.find(({ member }) => member !== undefined && members.get(member[0]) === member[1]);
  return byMember?.name ?? 'geojson';
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
