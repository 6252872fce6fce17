import { EyeOff, Frame } from 'lucide-react';
import { useStore } from 'zustand';
import { reportOf, useReport } from '../../show/pictures/viewports.ts';
import { formatCount } from '../../show/series/describeFile.ts';
import { type AppliedPresentation, useCells } from '../../kit/state/cells.ts';
import { fileInfoOf, findInfo } from '../../kit/state/fileInfo.ts';
import { findNamedFile } from '../../kit/state/fileNames.ts';
import { findFile, useLibrary } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { findInput, type KnownPresentation, presentationsOf } from '../../kit/state/presentations.ts';
import { ImageBadge } from '../../kit/ui/ImageBadge.tsx';
import { VisuallyHidden } from '../../kit/ui/VisuallyHidden.tsx';
import { applyState, removeState, toggleState } from './applyState.ts';
import { describeState, nameState, refuseState } from './describeState.ts';
import { openPresentation } from './openPresentation.ts';
import styles from './PresentationBadge.module.css';
import { presentationAnswersOf } from './presentationAnswers.ts';
import { findStateGround } from './stateGround.ts';
import { countInNoTile } from './statePacket.ts';
import { useAppliedState, useStatesOver } from './statesOverImage.ts';
import { useBlending, usePlan } from './useBlending.ts';

/** The presentation states of the image on the screen, and which of them is applied. */
export function PresentationBadge({ cell }: { readonly cell: number }) {
  const page = usePage();
  const over = useStatesOver(cell);
  const presentation = useCells(({ cells }) => cells[cell]?.presentation);
  const applied = useAppliedState(cell);
  // Only the report decides what is on the screen, so that it is asked again with every report.
  const missing = useReport(cell, () => (applied === undefined ? undefined : describeMissing(page, cell, applied)));
  const failure = useFailure(presentation);
  useBlending(cell, applied, presentation);
  const states = applied === undefined || over.includes(applied) ? over : [applied, ...over];
  if (failure !== undefined && presentation !== undefined) {
    return (
      <output className={styles.note}>
        The presentation state of this link is not shown: {failure}{' '}
        <button type="button" onClick={() => removeState(page, cell)}>
          Remove
        </button>
      </output>
    );
  }
  if (states.length === 0) return null;
  const isHidden = presentation?.isShown === false;
  const Icon = isHidden ? EyeOff : Frame;
  return (
    <ImageBadge
      icon={<Icon size={14} aria-hidden="true" />}
      label={
        <Label cell={cell} applied={applied} presentation={presentation} count={states.length} missing={missing} />
      }
      tooltip={isHidden ? 'The image is shown without it. Press Shift+P to show it.' : missing}
    >
      {states.map((known) => (
        <State
          key={known.file_index}
          cell={cell}
          known={known}
          applied={known === applied ? presentation : undefined}
        />
      ))}
    </ImageBadge>
  );
}

/** What of the state is not seen on the picture. */
function describeMissing(page: Page, cell: number, known: KnownPresentation): string | undefined {
  const ground = findStateGround(page, cell, known);
  if (ground === undefined) return undefined;
  if ('reason' in ground) return ground.reason;
  const { tiles } = reportOf(page, cell);
  const count = tiles === undefined ? 0 : countInNoTile(known, tiles);
  return count === 0 ? undefined : `${formatCount(count, 'graphic')} in no tile`;
}

type LabelProps = {
  readonly cell: number;
  readonly applied: KnownPresentation | undefined;
  readonly presentation: AppliedPresentation | undefined;
  readonly count: number;
  readonly missing: string | undefined;
};

function Label({ cell, applied, presentation, count, missing }: LabelProps) {
  const page = usePage();
  const file = useLibrary(() => findFile(page, applied?.file_index));
  const isInStored = useIsInStored(cell);
  if (applied === undefined || presentation === undefined) {
    return count === 1 ? 'Presentation' : `${count} presentations`;
  }
  const extent = presentation.mode === 'marks' ? 'graphics of ' : '';
  return (
    <span data-note="presentation">
      Presentation: {extent}
      {nameState(applied, file)}
      {!presentation.isShown && <VisuallyHidden> (hidden)</VisuallyHidden>}
      {presentation.isShown && missing !== undefined && <span className={styles.other}> · {missing}</span>}
      {isInStored && <span className={styles.other}> · window in stored values</span>}
    </span>
  );
}

type StateProps = {
  readonly cell: number;
  readonly known: KnownPresentation;
  readonly applied: AppliedPresentation | undefined;
};

function State({ cell, known, applied }: StateProps) {
  const page = usePage();
  const file = useLibrary(() => findFile(page, known.file_index));
  const plan = usePlan(known);
  const notes = plan !== undefined && 'notes' in plan ? plan.notes : [];
  const reason = plan !== undefined && 'reason' in plan ? `It cannot be applied: ${plan.reason}.` : undefined;
  const refusal = refuseState(known) ?? reason;
  const isStored = useReport(cell, ({ shown, tiles }) => tiles === undefined && shown?.file !== undefined);
  const isForIt = useReport(
    cell,
    ({ shown }) => shown?.file === undefined || known.names(shown.file.index, shown.frame.frame),
  );
  const isOver = isStored && !isForIt && known.state?.kind === 'blending';
  const apply = (mode: 'all' | 'marks') => void applyState(page, cell, known.file_index, mode);
  const hasGraphics = (known.state?.graphics.length ?? 0) > 0;
  return (
    <li className={styles.state}>
      <span className={styles.texts}>
        <span>{nameState(known, file)}</span>
        <span className={styles.quiet}>{describeState(known)}</span>
        {known.warnings.map(({ code, message }) => (
          <span key={code} className={styles.warning}>
            {message}
          </span>
        ))}
        {notes.map((note) => (
          <span key={note} className={styles.warning}>
            {note}
          </span>
        ))}
        {refusal !== undefined && <span className={styles.quiet}>{refusal}</span>}
        {refusal === undefined && isOver && <span className={styles.quiet}>It lays these images over others.</span>}
        {refusal === undefined && !isStored && (
          <span className={styles.quiet}>Over slides and planes, only its graphics are drawn.</span>
        )}
      </span>
      {refusal === undefined && isOver && (
        <span className={styles.actions}>
          <button type="button" onClick={() => void openPresentation(page, known.file_index, cell)}>
            Open the images under them
          </button>
        </span>
      )}
      {refusal === undefined && !isOver && (
        <span className={styles.actions}>
          {applied?.mode !== 'all' && isStored && (
            <button type="button" onClick={() => apply('all')}>
              Apply
            </button>
          )}
          {applied?.mode !== 'marks' && hasGraphics && (
            <button type="button" onClick={() => apply('marks')}>
              Graphics only
            </button>
          )}
          {applied !== undefined && (
            <>
              <button type="button" onClick={() => toggleState(page, cell)}>
                {applied.isShown ? 'Show image without it (Shift+P)' : 'Show it again (Shift+P)'}
              </button>
              <button type="button" onClick={() => removeState(page, cell)}>
                Remove
              </button>
            </>
          )}
        </span>
      )}
    </li>
  );
}

/**
 * Whether the image has a rescale that the state ignores. The standard requires it, but writers may not mean it, so users
 * must know why an image is all black or white.
 */
function useIsInStored(cell: number): boolean {
  const page = usePage();
  const known = useReport(cell, ({ shown }) => shown?.state);
  const fileIndex = useReport(cell, ({ shown }) => shown?.file?.index);
  const rescale = useStore(fileInfoOf(page).changes, () => findInfo(page, fileIndex ?? -1)?.rescale);
  const state = known?.state;
  if (known === undefined || state === undefined || state === null || state.kind === 'color') return false;
  const { modality } = findInput(known, 'UNDERLYING') ?? state;
  if (modality !== null) return false;
  return rescale !== undefined && (rescale.slope !== 1 || rescale.intercept !== 0);
}

/** Why the state that a link names is not shown. */
function useFailure(presentation: AppliedPresentation | undefined): string | undefined {
  const page = usePage();
  const file = useLibrary(() => (presentation === undefined ? undefined : findNamedFile(page, presentation.name)));
  const isComplete = useLibrary(({ summary }) => summary?.scan_complete === true && !summary.more);
  const isKnown = useStore(presentationsOf(page), (all) => file !== undefined && all.has(file.index));
  const answers = presentationAnswersOf(page);
  const error = useStore(answers.changes, () => (file === undefined ? undefined : answers.findError(file.index)));
  if (presentation === undefined || isKnown) return undefined;
  if (file === undefined) return isComplete ? 'it is not open' : undefined;
  return error?.message;
}
