import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import { useFoundPicture } from '../../../show/pictures/pictureKinds.ts';
import { findFile, stackOf, useLibrary } from '../../../kit/state/library.ts';
import { usePage } from '../../../kit/state/page.ts';
import type { TileIndex } from '../../../kit/state/shownTiles.ts';
import { type ViewportReport, viewportsOf } from '../../../show/pictures/viewports.ts';
import { Notice, NoticeAction } from '../../../kit/ui/Notice.tsx';
import { exportRois } from '../rois/exportRois.ts';
import { mergeRois } from '../rois/mergeRois.ts';
import { mergeSlideRois } from '../rois/mergeSlideRois.ts';
import { roisOf, useRois } from '../rois/roiFiles.ts';
import { recoverRois, useRoiJournal } from '../rois/roiJournal.ts';
import { parsePayload, type RoiMark, roisOfFile } from '../rois/roi.ts';
import { useMarks } from '../sync/marks.ts';
import type { AnnotationPayload } from '../../../../shared/contract/annotations.ts';
import type { StoredRois } from '../../../kit/api/annotations.ts';
import type { SyncState, Trouble } from '../sync/syncedKind.ts';
import { LostNotice } from './LostNotice.tsx';
import { countUnits } from '../rois/slideBoxes.ts';
import { UnreadJournalNotice } from './UnreadJournalNotice.tsx';

/** Notices about failures with ROIs, with the actions that resolve them. */
export function RoiNotices() {
  const page = usePage();
  const { store } = roisOf(page).sync;
  const failed = useStore(
    store,
    useShallow(({ troubles }) => filesThatAre(troubles, ['retrying', 'refused'])),
  );
  const conflicts = useStore(
    store,
    useShallow(({ troubles }) => filesThatAre(troubles, ['conflict'])),
  );
  const exporting = useRois((state) => state.export);
  const unread = useRoiJournal(({ report }) => report?.unread);
  return (
    <>
      <UnreadJournalNotice what="ROIs" unread={unread} onChoose={(action) => recoverRois(page, action)} />
      <FailingJournal />
      {failed.length > 0 && <FailedSaves files={failed} />}
      {conflicts.map((fileIndex) => (
        <Conflict key={fileIndex} fileIndex={fileIndex} />
      ))}
      <LostNotice what="ROIs" />
      {exporting.kind === 'failed' && (
        <Notice
          tone="danger"
          actions={<NoticeAction title="Dismiss" onChoose={() => roisOf(page).setExport({ kind: 'idle' })} />}
        >
          ROIs could not be exported: {exporting.error.message}.
        </Notice>
      )}
    </>
  );
}

/** Warns that the server cannot write its journal, so the ROIs are lost when the server stops. */
function FailingJournal() {
  const page = usePage();
  const report = useRoiJournal((state) => state.report);
  if (report?.state !== 'failing') return null;
  return (
    <Notice tone="danger" actions={<NoticeAction title="Export now" onChoose={() => void exportRois(page)} />}>
      ROIs are only in the server’s memory, because {report.folder} is not writable: {report.error}. Export them before
      the server stops.
    </Notice>
  );
}

function FailedSaves({ files }: { readonly files: readonly number[] }) {
  const page = usePage();
  const name = useFileName(files[0]);
  const trouble = useTrouble(files[0]);
  if (trouble?.kind !== 'retrying' && trouble?.kind !== 'refused') return null;
  const whose = files.length === 1 ? name : `${files.length} files`;
  return (
    <Notice tone="danger" actions={<NoticeAction title="Retry now" onChoose={() => roisOf(page).retry()} />}>
      The ROIs of {whose} could not be saved: {trouble.error.message}. They are kept on this page
      {trouble.kind === 'retrying' ? '. Retrying…' : '.'}
    </Notice>
  );
}

function Conflict({ fileIndex }: { readonly fileIndex: number }) {
  const page = usePage();
  const name = useFileName(fileIndex);
  const stackId = useLibrary(() => {
    const one = findFile(page, fileIndex);
    return one && stackOf(page, one).id;
  });
  const isTiled = useFoundPicture(stackId)?.traits.frames === 'tiles';
  // The tile positions determine which ROIs are parts of the same box.
  const index = useStore(viewportsOf(page), ({ reports }) => findTileIndex(reports, fileIndex));
  const mergeBoth = () =>
    roisOf(page).resolve(
      fileIndex,
      'both',
      index === undefined ? mergeRois : (divergence) => mergeSlideRois(divergence, { fileIndex, index }),
    );
  const rois = useMarks(() => roisOfFile(page, fileIndex));
  const trouble = useTrouble(fileIndex);
  if (trouble?.kind !== 'conflict') return null;
  const count = (of: readonly RoiMark[]) =>
    countRois(index === undefined ? of.length : countUnits(fileIndex, of, index));
  const isUnknown = isTiled && index === undefined;
  return (
    <Notice
      tone="danger"
      label={`Conflicting ROIs of ${name}`}
      actions={
        <>
          {!isUnknown && <NoticeAction title="Merge" onChoose={mergeBoth} />}
          <NoticeAction title="Keep mine" onChoose={() => roisOf(page).resolve(fileIndex, 'mine')} />
          <NoticeAction title="Use the server’s" onChoose={() => roisOf(page).resolve(fileIndex, 'theirs')} />
        </>
      }
    >
      {isUnknown
        ? `The server has different ROIs for ${name}. Yours are not saved yet. Open the slide to merge them.`
        : `The server has different ROIs for ${name}: ${count(parsePayload(trouble.theirs.payload))} on the server, ${count(rois)} on this page. Yours are not saved yet.`}
    </Notice>
  );
}

/** The tile index of the slide level that contains this file, if a cell shows that slide. */
function findTileIndex(reports: ReadonlyMap<number, ViewportReport>, fileIndex: number): TileIndex | undefined {
  for (const { tiles } of reports.values()) {
    const index = tiles?.levels.find(({ fileIndices }) => fileIndices.includes(fileIndex))?.index;
    if (index !== undefined) return index;
  }
  return undefined;
}

function filesThatAre(troubles: RoiTroubles, kinds: readonly RoiTrouble['kind'][]): readonly number[] {
  return [...troubles].flatMap(([key, { kind }]) => (kinds.includes(kind) ? Number(key) : []));
}

type RoiTroubles = SyncState<AnnotationPayload, StoredRois>['troubles'];
type RoiTrouble = Trouble<AnnotationPayload, StoredRois>;

function useTrouble(fileIndex: number | undefined): RoiTrouble | undefined {
  return useStore(roisOf(usePage()).sync.store, ({ troubles }) => troubles.get(String(fileIndex)));
}

function useFileName(fileIndex: number | undefined): string {
  return useLibrary(({ files }) => files[fileIndex ?? -1]?.path.split(/[/\\]/).at(-1) ?? 'a file');
}

function countRois(count: number): string {
  return count === 0 ? 'none' : String(count);
}
