import { Redo2, Undo2 } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { useLibrary } from '../../../kit/state/library.ts';
import { usePage } from '../../../kit/state/page.ts';
import { usePanels } from '../../../kit/state/panels.ts';
import { stepsOf } from '../../../kit/state/stepHistory.ts';
import list from '../../../kit/ui/ListPanel.module.css';
import { PanelMessage } from '../../../kit/ui/PanelMessage.tsx';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import { redoStep, undoStep } from '../../../show/pictures/shownFrame.ts';
import { isHiddenIn, useHiddenMarks } from '../shapes/hiddenMarks.ts';
import { classesOf, useLabels } from '../shapes/labels.ts';
import { learnListed } from '../shapes/learnListed.ts';
import { useBrush, useMarks } from '../sync/marks.ts';
import { BrushSettings } from './BrushSettings.tsx';
import { ChosenMarks } from './ChosenMarks.tsx';
import { ClassBar } from './ClassBar.tsx';
import { groupByClass, groupByImage } from './groupMarks.ts';
import { ImportMarks } from './ImportMarks.tsx';
import { MarkList } from './MarkList.tsx';
import styles from './MarkPanel.module.css';
import { MarkProgress } from './MarkProgress.tsx';
import { FIRST_VIEW, type ListView, MarkView } from './MarkView.tsx';
import { RoiSettings } from './RoiSettings.tsx';
import { SaveMarks } from './SaveMarks.tsx';
import { countByClass, filterMarks, sortMarks } from './sortMarks.ts';
import { type ListedMark, useListedMarks, useListedPlace } from './useListedMarks.ts';

/** Limit on listed ROIs, because each row takes time to render and longer lists are not read. */
const MOST_ROIS = 500;

/** Lists marks of all kinds by image or by class; the user can filter, show, lock, change and save them. */
export function MarkPanel() {
  const page = usePage();
  const isAnnotating = usePanels(({ task }) => task === 'annotate');
  const place = useListedPlace();
  const all = useListedMarks(place);
  const selected = useMarks((state) => state.selected);
  const hasBrush = useBrush();
  const stacks = useLibrary((library) => library.stackOfFile);
  const classes = useLabels(classesOf);
  const hidden = useHiddenMarks((state) => state);
  const others = useMarks((state) => state.others.size);
  useEffect(() => learnListed(page), [page]);
  const [view, setView] = useState<ListView>(FIRST_VIEW);
  const { listed, roiCount } = useMemo(() => limitRois(all, selected), [all, selected]);
  const shown = useMemo(
    () => sortMarks(page, filterMarks(listed, view, classes), view.order, classes),
    // Stacks decide the order of images.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [page, listed, view, classes, stacks],
  );
  const groups = useMemo(
    () => (view.grouping === 'class' ? groupByClass(shown, classes) : groupByImage(page, shown)),
    [page, shown, classes, view.grouping],
  );
  const measured = shown.flatMap((mark) => (mark.type === 'shape' ? { item: mark.item, file: mark.file } : []));
  const hasCut = all.some((mark) => mark.type === 'shape' && mark.item.place.type === 'cut');
  const counts = useMemo(() => countByClass(all, classes), [all, classes]);
  const hiddenCount = all.filter((mark) => isHiddenIn(hidden, mark, classes)).length;
  return (
    <section className={list.panel} aria-label="Marks">
      {/* While annotating, classes are in the toolbar. */}
      {!isAnnotating && <ClassBar />}
      <div className={list.tools} role="toolbar" aria-label="Marks">
        <SaveMarks measured={measured} />
        <ImportMarks />
        <StepButtons />
      </div>
      <RoiSettings {...place} />
      {hasBrush && <BrushSettings />}
      {(listed.length > 0 || classes.length > 0) && (
        <MarkView view={view} onChange={setView} counts={counts} total={all.length} />
      )}
      <ChosenMarks />
      {listed.length === 0 && (
        <PanelMessage>
          No marks. Choose box (Shift+E), ellipse (E), length (L), angle (A) or pixel value (Q) and drag on the image. A
          polygon (Shift+O) is clicked, corner by corner.
        </PanelMessage>
      )}
      {(listed.length > 0 || view.grouping === 'class') && <MarkList groups={groups} />}
      <MarkProgress />
      <p className={styles.note}>
        {shown.length < listed.length && `${shown.length} of ${listed.length} marks are listed. `}
        {roiCount > MOST_ROIS &&
          `${MOST_ROIS} of ${roiCount} ROIs are listed. All of them are shown on the images and exported. `}
        {hiddenCount > 0 && `${hiddenCount} ${hiddenCount === 1 ? 'mark is' : 'marks are'} not drawn. `}
        {others > 0 && `${others} marks that this page cannot draw are not listed here. `}
        {hasCut && 'Marks on a rotating MIP are kept in this tab only. '}
        Values are of the pixels whose center is inside; SD is that of the population.
      </p>
    </section>
  );
}

function StepButtons() {
  const page = usePage();
  const canUndo = useStore(stepsOf(page).store, ({ done }) => done.length > 0);
  const canRedo = useStore(stepsOf(page).store, ({ undone }) => undone.length > 0);
  return (
    <span className={list.export}>
      <ToolButton label="Undo" keyHint="Ctrl+Z" disabled={!canUndo} onClick={() => undoStep(page)}>
        <Undo2 size={16} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Redo" keyHint="Ctrl+Shift+Z" disabled={!canRedo} onClick={() => redoStep(page)}>
        <Redo2 size={16} aria-hidden="true" />
      </ToolButton>
    </span>
  );
}

function limitRois(all: readonly ListedMark[], selected: string | undefined) {
  let roiCount = 0;
  const listed = all.filter(({ words, uid }) => {
    if (words === undefined) roiCount += 1;
    return words !== undefined || roiCount <= MOST_ROIS || uid === selected;
  });
  return { listed, roiCount };
}
