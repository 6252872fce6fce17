import { Download } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import type { FileRecord } from '../../shared/contract/files.ts';
import type { LabelClass } from '../../shared/contract/marks.ts';
import { fetchMarkExport } from '../api/marks.ts';
import { useLibrary } from '../state/library.ts';
import { sayOutcome } from '../state/messages.ts';
import { usePage } from '../state/page.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { download } from '../ui/download.ts';
import list from '../ui/ListPanel.module.css';
import { PanelMessage } from '../ui/PanelMessage.tsx';
import { SearchBox } from '../ui/SearchBox.tsx';
import { ToolButton } from '../ui/ToolButton.tsx';
import { formatCsv, formatText, type MeasuredFile } from './exportMeasurements.ts';
import styles from './MeasurePanel.module.css';
import { LabelClasses } from './LabelClasses.tsx';
import { classesOf, useLabels } from './labels.ts';
import { useMarks } from './marks.ts';
import { type Measurement, NO_WORDS } from './measurement.ts';
import { MeasureRow } from './MeasureRow.tsx';
import { useMeasurements } from './measurements.ts';

const FILE_NAME = 'measurements.csv';

/**
 * Lists all marks; the user can filter them, jump to them, name them, copy them and download them. `masks` lists those
 * of the brush.
 */
export function MeasurePanel({ masks }: { readonly masks?: ReactNode }) {
  const page = usePage();
  const items = useMeasurements((state) => state.items);
  const files = useLibrary((library) => library.files);
  const classes = useLabels(classesOf);
  const others = useMarks((state) => [...state.others.values()].filter(({ kind }) => kind !== 'brush').length);
  const [text, setText] = useState('');
  const [wanted, setWanted] = useState(ALL);
  const measured = useMemo(() => listMeasured(items, files), [items, files]);
  const shown = useMemo(() => filterMarks(measured, { text, wanted, classes }), [measured, text, wanted, classes]);
  const selectedId = useMeasurements((state) => state.selectedId);
  const unlabelled = countUnlabelled(measured, classes);
  return (
    <section className={list.panel} aria-label="Measurements">
      <LabelClasses />
      {masks}
      {measured.length === 0 ? (
        <PanelMessage>
          No measurements. Select length (L), angle (A), ellipse (E), rectangle (Shift+E) or pixel value (Q) and drag on
          the image.
        </PanelMessage>
      ) : (
        <>
          <div className={list.tools}>
            <CopyButton label="Copy as text" text={formatText(page, shown)} />
            <ToolButton
              label="Download marks as JSON"
              className={list.export ?? ''}
              onClick={() => void sayOutcome(page, saveMarks)}
            >
              <Download size={16} aria-hidden="true" />
              JSON
            </ToolButton>
            <ToolButton
              label="Download measurements as CSV"
              onClick={() => download(new Blob([formatCsv(shown)], { type: 'text/csv' }), FILE_NAME)}
            >
              <Download size={16} aria-hidden="true" />
              CSV
            </ToolButton>
          </div>
          <div className={list.tools}>
            <SearchBox label="Filter marks" placeholder="Filter" value={text} onChange={setText} />
            <select aria-label="Shown classes" value={wanted} onChange={({ target }) => setWanted(target.value)}>
              <option value={ALL}>All classes</option>
              <option value={UNLABELLED}>Without class ({unlabelled})</option>
              {classes.map(({ key, title }) => (
                <option key={key} value={`class ${key}`}>
                  {title}
                </option>
              ))}
            </select>
          </div>
          <ul className={list.list}>
            {shown.map(({ item, file }) => (
              <MeasureRow key={item.id} item={item} file={file} isSelected={item.id === selectedId} />
            ))}
          </ul>
        </>
      )}
      <p className={styles.note}>
        {shown.length < measured.length && `${shown.length} of ${measured.length} marks are listed. `}
        {others > 0 && `${others} marks on stacks, planes or of other kinds are not listed here. `}
        Statistics include the pixels whose center is inside. SD is the population standard deviation. Marks are saved
        at once; those on planes are kept in this tab until the server stops.
      </p>
    </section>
  );
}

const ALL = 'all';
const UNLABELLED = 'unlabelled';

type MarkFilter = { readonly text: string; readonly wanted: string; readonly classes: readonly LabelClass[] };

function filterMarks(measured: readonly MeasuredFile[], { text, wanted, classes }: MarkFilter) {
  const searched = text.trim().toLowerCase();
  return measured.filter(({ item: { kind, words = NO_WORDS } }) => {
    const known = classes.find(({ key }) => key === words.class);
    const isWanted =
      wanted === ALL || (wanted === UNLABELLED ? known === undefined : wanted === `class ${words.class}`);
    const texts = [kind, words.label, words.comment, words.author, known?.title ?? ''];
    return isWanted && texts.some((one) => one.toLowerCase().includes(searched));
  });
}

function countUnlabelled(measured: readonly MeasuredFile[], classes: readonly LabelClass[]): number {
  return filterMarks(measured, { text: '', wanted: UNLABELLED, classes }).length;
}

async function saveMarks(): Promise<string> {
  download(await fetchMarkExport(), 'negato-marks.json');
  return 'Marks saved';
}

/** Files may still be loading after the page was reloaded. */
function listMeasured(items: readonly Measurement[], files: readonly FileRecord[]): readonly MeasuredFile[] {
  return items.flatMap((item) => {
    const file = files[item.fileIndex];
    return file === undefined ? [] : [{ item, file }];
  });
}
