import { Download } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { fetchMarkExport } from '../../../kit/api/marks.ts';
import { useLibrary } from '../../../kit/state/library.ts';
import { sayOutcome } from '../../../kit/state/messages.ts';
import { usePage } from '../../../kit/state/page.ts';
import { CopyButton } from '../../../kit/ui/CopyButton.tsx';
import { download } from '../../../kit/ui/download.ts';
import list from '../../../kit/ui/ListPanel.module.css';
import { PanelMessage } from '../../../kit/ui/PanelMessage.tsx';
import { SearchBox } from '../../../kit/ui/SearchBox.tsx';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import { formatCsv, formatText } from '../shapes/exportMeasurements.ts';
import { classKeyOf, useHiddenClasses } from '../shapes/hiddenClasses.ts';
import { classesOf, useLabels } from '../shapes/labels.ts';
import { learnListed } from '../shapes/learnListed.ts';
import { useBrush, useMarks } from '../sync/marks.ts';
import { BrushSettings } from './BrushSettings.tsx';
import { ChosenMarks } from './ChosenMarks.tsx';
import { LabelClasses } from './LabelClasses.tsx';
import { type ListedMark, useListedMarks, useListedPlace } from './useListedMarks.ts';
import { MarkList } from './MarkList.tsx';
import styles from './MarkPanel.module.css';
import { MarkProgress } from './MarkProgress.tsx';
import { MarkToolbar } from './MarkToolbar.tsx';
import { countByClass, filterMarks, MARK_ORDERS, type MarkFilter, type MarkOrder, sortMarks } from './sortMarks.ts';

const FILE_NAME = 'measurements.csv';

const ORDER_TITLES: Readonly<Record<MarkOrder, string>> = {
  time: 'By time',
  label: 'By label',
  class: 'By class',
  image: 'By image',
  kind: 'By kind',
};

/** Limit on listed ROIs, because each row takes time to render and longer lists are not read. */
const MOST_ROIS = 500;

/**
 * Lists marks of all kinds; the user can sort and filter them, jump to them, change them alone or together, copy and
 * download them.
 */
export function MarkPanel() {
  const page = usePage();
  const place = useListedPlace();
  const all = useListedMarks(place);
  const selected = useMarks((state) => state.selected);
  const hasBrush = useBrush();
  const stacks = useLibrary((library) => library.stackOfFile);
  const classes = useLabels(classesOf);
  const hidden = useHiddenClasses();
  const others = useMarks((state) => state.others.size);
  useEffect(() => learnListed(page), [page]);
  const [text, setText] = useState('');
  const [wanted, setWanted] = useState<MarkFilter['wanted']>('all');
  const [order, setOrder] = useState<MarkOrder>('time');
  const { listed, roiCount } = useMemo(() => limitRois(all, selected), [all, selected]);
  const shown = useMemo(
    () => sortMarks(page, filterMarks(listed, { text, wanted }, classes), order, classes),
    // Stacks decide the order of images.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [page, listed, text, wanted, order, classes, stacks],
  );
  const measured = shown.flatMap((mark) => (mark.type === 'shape' ? { item: mark.item, file: mark.file } : []));
  const hasCut = all.some((mark) => mark.type === 'shape' && mark.item.cut !== undefined);
  const counts = useMemo(() => countByClass(all, classes), [all, classes]);
  const isHidden = (mark: ListedMark) => mark.words !== undefined && hidden.has(classKeyOf(mark, classes));
  const hiddenCount = hidden.size === 0 ? 0 : all.filter(isHidden).length;
  return (
    <section className={list.panel} aria-label="Marks">
      <MarkToolbar {...place} />
      <LabelClasses counts={counts} />
      {hasBrush && <BrushSettings />}
      {listed.length === 0 ? (
        <PanelMessage>
          No marks. Select ROI (R), length (L), angle (A), ellipse (E), rectangle (Shift+E) or pixel value (Q) and drag
          on the image. A polygon (Shift+O) is clicked, corner by corner.
        </PanelMessage>
      ) : (
        <>
          <div className={list.tools}>
            <CopyButton label="Copy as text" text={formatText(page, measured)} />
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
              onClick={() => download(new Blob([formatCsv(measured)], { type: 'text/csv' }), FILE_NAME)}
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
              <option value={ALL}>All classes ({all.length})</option>
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
        {shown.length < listed.length && `${shown.length} of ${listed.length} marks are listed. `}
        {roiCount > MOST_ROIS &&
          `${MOST_ROIS} of ${roiCount} ROIs are listed. All of them are shown on the images and exported. `}
        {hiddenCount > 0 && `${hiddenCount} marks are not drawn, because their classes are hidden. `}
        {others > 0 && `${others} marks that this page cannot draw are not listed here. `}
        {hasCut && 'Marks on a rotating MIP are kept in this tab only. '}
        Values are of the pixels whose center is inside; SD is that of the population.
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

function limitRois(all: readonly ListedMark[], selected: string | undefined) {
  let roiCount = 0;
  const listed = all.filter(({ words, uid }) => {
    if (words === undefined) roiCount += 1;
    return words !== undefined || roiCount <= MOST_ROIS || uid === selected;
  });
  return { listed, roiCount };
}
