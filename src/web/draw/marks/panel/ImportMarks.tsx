import { FolderInput } from 'lucide-react';
import { useRef } from 'react';
import type { ImportedMarksResponse } from '../../../../shared/contract/marks.ts';
import { formatOf, MARK_IMPORT_FORMATS, type MarkImportFormat } from '../../../../shared/markFormats.ts';
import { importMarks } from '../../../kit/api/marks.ts';
import { sayOutcome } from '../../../kit/state/messages.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import { listMembers } from './listMembers.ts';
import { shownFile } from './saveMarks.ts';

const READ_FORMATS = MARK_IMPORT_FORMATS.map((name) => ({ name, ...formatOf(name) }));
/** What a browser offers to open: it knows what is behind the last dot, and there are several formats of JSON. */
const ACCEPTED = new Set([
  '.json',
  // To be told what to do with it.
  '.dcm',
  ...READ_FORMATS.flatMap(({ endings = [] }) => endings.map((end) => end.slice(end.lastIndexOf('.')))),
  ...READ_FORMATS.map(({ mediaType }) => mediaType.replace(/;.*/, '')).filter(
    (type) => !type.endsWith('/octet-stream'),
  ),
]);

/** Marks come back from files of several formats, which are told apart by name and content. */
export function ImportMarks() {
  const page = usePage();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <ToolButton label="Import marks" onClick={() => input.current?.click()}>
        <FolderInput size={16} aria-hidden="true" /> Import…
      </ToolButton>
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

/** Marks that name no image are put on the one that is shown. */
async function readFile(page: Page, file: File): Promise<string> {
  if (await isDicom(file)) {
    const how =
      'open it together with its images, and make marks of its layer (Download labels… in the menu of the images)';
    throw new Error(`${file.name} is a DICOM object: ${how}`);
  }
  const format = await findFormat(file);
  return describeImport(await importMarks(file, format, shownFile(page)));
}

/** Objects are placed by the images that they name, which are known only of open files. */
async function isDicom(file: File): Promise<boolean> {
  return (await file.slice(128, 132).text()) === 'DICM';
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
export function describeImport({ imported, known, refused, reasons, left_out }: ImportedMarksResponse): string {
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
