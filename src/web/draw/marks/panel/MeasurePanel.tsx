import { Download } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { fetchMarkExport } from '../../../kit/api/marks.ts';
import { useLibrary } from '../../../kit/state/library.ts';
import { sayOutcome } from '../../../kit/state/messages.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { CopyButton } from '../../../kit/ui/CopyButton.tsx';
import { download } from '../../../kit/ui/download.ts';
import list from '../../../kit/ui/ListPanel.module.css';
import { PanelMessage } from '../../../kit/ui/PanelMessage.tsx';
import { SearchBox } from '../../../kit/ui/SearchBox.tsx';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import { ChosenMarks } from './ChosenMarks.tsx';
import { formatCsv, formatText, type MeasuredFile } from '../shapes/exportMeasurements.ts';
import { classKeyOf, useHiddenClasses } from '../shapes/hiddenClasses.ts';
import { LabelClasses } from './LabelClasses.tsx';
import { MarkFiles } from './MarkFiles.tsx';
import { classesOf, useLabels } from '../shapes/labels.ts';
import { learnListed } from '../shapes/learnListed.ts';
import { MarkList } from './MarkList.tsx';
import { countByClass, filterMarks, MARK_ORDERS, type MarkFilter, type MarkOrder, sortMarks } from './sortMarks.ts';
import { MarkProgress } from './MarkProgress.tsx';
import { useMarks } from '../sync/marks.ts';
import type { Measurement } from '../shapes/measurement.ts';
import styles from './MeasurePanel.module.css';
import { useMeasurements } from '../shapes/measurements.ts';
import { listedForm } from '../shapes/throughStack.ts';

const FILE_NAME = 'measurements.csv';

const ORDER_TITLES: Readonly<Record<MarkOrder, string>> = {
  time: 'By time',
  label: 'By label',
  class: 'By class',
  image: 'By image',
  kind: 'By kind',
};

/**
 * Lists all marks; the user can sort and filter them, jump to them, change them together, copy and download
 * them. `masks` lists those of the brush.
 */
export function MeasurePanel({ masks }: { readonly masks?: ReactNode }) {
  const page = usePage();
  const items = useMeasurements((state) => state.items);
  const files = useLibrary((library) => library.files);
  const stacks = useLibrary((library) => library.stackOfFile);
  const classes = useLabels(classesOf);
  const hidden = useHiddenClasses();
  const others = useMarks((state) => state.others.size);
  useEffect(() => learnListed(page), [page]);
  const [text, setText] = useState('');
  const [wanted, setWanted] = useState<MarkFilter['wanted']>('all');
  const [order, setOrder] = useState<MarkOrder>('time');
  // Shapes through stacks need their stacks.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const measured = useMemo(() => listMeasured(page, items, files), [page, items, files, stacks]);
  const shown = useMemo(
    () => sortMarks(page, filterMarks(measured, { text, wanted }, classes), order, classes),
    // Stacks decide the order of images.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [page, measured, text, wanted, order, classes, stacks],
  );
  const counts = useMemo(() => countByClass(measured, classes), [measured, classes]);
  const hiddenCount = hidden.size === 0 ? 0 : items.filter((item) => hidden.has(classKeyOf(item, classes))).length;
  return (
    <section className={list.panel} aria-label="Measurements">
      <LabelClasses counts={counts} />
      <MarkFiles />
      {masks}
      {measured.length === 0 ? (
        <PanelMessage>
          No measurements. Select length (L), angle (A), ellipse (E), rectangle (Shift+E) or pixel value (Q) and drag on
          the image. A polygon (Shift+O) is clicked, corner by corner.
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
          <div className={`${list.tools} ${styles.filters}`}>
            <SearchBox label="Filter marks" placeholder="Filter" value={text} onChange={setText} />
            <select
              aria-label="Shown classes"
              value={writeWanted(wanted)}
              onChange={({ target }) => setWanted(readWanted(target.value))}
            >
              <option value={ALL}>All classes ({measured.length})</option>
              <option value={UNLABELLED}>Without class ({counts.get(null) ?? 0})</option>
              {classes.map(({ key, title }) => (
                <option key={key} value={`${CLASS}${key}`}>
                  {title} ({counts.get(key) ?? 0})
                </option>
              ))}
            </select>
            <select
              aria-label="Order of the marks"
              value={order}
              onChange={({ target }) => setOrder(MARK_ORDERS.find((one) => one === target.value) ?? 'time')}
            >
              {MARK_ORDERS.map((one) => (
                <option key={one} value={one}>
                  {ORDER_TITLES[one]}
                </option>
              ))}
            </select>
          </div>
          <ChosenMarks />
          <MarkList shown={shown} />
        </>
      )}
      <MarkProgress />
      <p className={styles.note}>
        {shown.length < measured.length && `${shown.length} of ${measured.length} marks are listed. `}
        {hiddenCount > 0 && `${hiddenCount} marks are not drawn, because their classes are hidden. `}
        {others > 0 && `${others} marks that this page cannot draw are not listed here. `}
        Statistics include the pixels whose center is inside. SD is the population standard deviation. Marks are saved
        at once; those on a rotating MIP are kept in this tab only.
      </p>
    </section>
  );
}

const ALL = 'all';
const UNLABELLED = 'unlabelled';
/** Before the key of a class, which may be any text. */
const CLASS = 'class ';

function writeWanted(wanted: MarkFilter['wanted']): string {
  if (wanted === 'all') return ALL;
  return wanted.key === null ? UNLABELLED : `${CLASS}${wanted.key}`;
}

function readWanted(value: string): MarkFilter['wanted'] {
  if (value === ALL) return 'all';
  return { key: value === UNLABELLED ? null : value.slice(CLASS.length) };
}

async function saveMarks(): Promise<string> {
  download(await fetchMarkExport(), 'negato-marks.json');
  return 'Marks saved';
}

/** Files may still be loading after the page was reloaded. */
function listMeasured(
  page: Page,
  items: readonly Measurement[],
  files: readonly FileRecord[],
): readonly MeasuredFile[] {
  return items.flatMap((item) => {
    const file = files[item.fileIndex];
    return file === undefined ? [] : [{ item: listedForm(page, item), file }];
  });
}
