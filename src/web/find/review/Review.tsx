import { ChevronLeft, ChevronRight, MessageSquare, SkipForward, Undo2 } from 'lucide-react';
import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { ReviewScheme } from '../../../shared/contract/review.ts';
import { claimUnsaved } from '../../draw/marks/sync/guardTab.ts';
import { findFile, useLibrary } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import { VisuallyHidden } from '../../kit/ui/VisuallyHidden.tsx';
import { describeSeries, describeStudy } from '../../show/series/describeFile.ts';
import {
  changeHere,
  decideHere,
  focusImages,
  goOnIfComplete,
  goToFirstUndecided,
  stepUnit,
  takeBack,
} from './decide.ts';
import { followReview } from './followReview.ts';
import { type ReviewHead, type ReviewState, useReview, verdictIn } from './review.ts';
import { COMMENT_FIELD, scoreField } from './reviewCommands.ts';
import styles from './Review.module.css';
import { ReviewNotices } from './ReviewNotices.tsx';
import { reviewSyncOf } from './reviewSync.ts';
import {
  describeVerdict,
  listMissing,
  NO_VERDICT,
  toVerdict,
  type GivenVerdict,
  withReason,
  withScore,
  withVerdict,
} from './verdict.ts';

/** The review of `--review`: what can be said of the unit on the screen, and how far it is. */
export function Review() {
  const page = usePage();
  const head = useReview((state) => state.head);
  useEffect(() => followReview(page), [page]);
  return (
    <section className={styles.review} aria-label="Review">
      {head === undefined ? <p className={styles.wait}>The review is being read.</p> : <Bar head={head} />}
      <ReviewNotices />
    </section>
  );
}

function Bar({ head }: { readonly head: ReviewHead }) {
  const { scheme } = head;
  const hasReasons = scheme.verdicts.some(({ reasons }) => reasons.length > 0);
  return (
    <>
      <div className={styles.bar}>
        <Progress head={head} />
        <Steps />
        <Verdicts scheme={scheme} />
        {scheme.scores.map((score) => (
          <Score key={score.id} score={score} />
        ))}
        {scheme.comment && <Comment />}
        <Written />
      </div>
      {hasReasons && <Reasons scheme={scheme} />}
      {head.is_second && <Others scheme={scheme} />}
    </>
  );
}

/** What is said of the unit on the screen. */
function useVerdict(): GivenVerdict {
  return useReview((state) => (state.at === undefined ? NO_VERDICT : verdictIn(state, state.at)));
}

function Progress({ head }: { readonly head: ReviewHead }) {
  const page = usePage();
  const unit = useReview(({ at, units }) => (at === undefined ? undefined : units.get(at)));
  const isOpening = useReview(({ phase, at }) => phase === 'opening' && at !== undefined);
  const isMasked = useLibrary(({ summary }) => summary?.masked === true);
  const name = unit === undefined || head.is_blind ? '' : nameUnit(page, head.level, unit.file);
  const place =
    unit === undefined ? 'No unit' : unit.position === null ? 'Not in it' : `#${groupDigits(unit.position + 1)}`;
  return (
    <div className={styles.progress}>
      <output aria-label="Decided">
        <b>{groupDigits(head.decided)}</b> / {groupDigits(head.total)}
        {!head.is_complete && ' so far'}
      </output>
      <progress aria-label="Progress" value={head.decided} max={Math.max(1, head.total)} />
      <span className={styles.unit} data-phase={isOpening ? 'opening' : 'shown'} title={`${place} ${name}`.trim()}>
        <b>{place}</b> {isOpening ? 'opening…' : name}
      </span>
      {head.is_blind && !isMasked && (
        <span
          className={styles.warning}
          title="Names and dates are in tags, texts and addresses: start with --mask, too"
        >
          not masked
        </span>
      )}
    </div>
  );
}

function nameUnit(page: Page, level: ReviewHead['level'], fileIndex: number): string {
  const file = findFile(page, fileIndex);
  if (file === undefined) return '';
  return level === 'study' ? describeStudy(file) : describeSeries(file);
}

function Verdicts({ scheme }: { readonly scheme: ReviewScheme }) {
  const page = usePage();
  const { verdict } = useVerdict();
  if (scheme.verdicts.length === 0) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is for fields
    <div className={styles.verdicts} role="group" aria-label="Verdict">
      {scheme.verdicts.map(({ id, title, key }) => (
        <button
          key={id}
          type="button"
          className={styles.verdict}
          aria-pressed={verdict === id}
          aria-keyshortcuts={key ?? undefined}
          onClick={() => decideHere(page, id)}
        >
          {key !== null && <kbd className={styles.key}>{key.toUpperCase()}</kbd>}
          {title}
        </button>
      ))}
      <button
        type="button"
        className={styles.none}
        aria-label="No verdict"
        title="No verdict"
        hidden={verdict === null}
        onClick={() => changeHere(page, () => NO_VERDICT)}
      >
        ×
      </button>
    </div>
  );
}

/** Of the verdict that is given; before, of all that have any. */
function Reasons({ scheme }: { readonly scheme: ReviewScheme }) {
  const page = usePage();
  const given = useVerdict();
  const group = useRef<HTMLDivElement>(null);
  const asked = useReview((state) => state.asked);
  const chosen = scheme.verdicts.find(({ id }) => id === given.verdict);
  const shown = scheme.verdicts.filter(({ reasons }) => reasons.length > 0);
  const listed = chosen === undefined ? shown : [chosen];
  const isMissing = listMissing(scheme, given).includes('a reason');
  const needed = useRef(false);
  useEffect(() => {
    needed.current = isMissing;
  });
  useEffect(() => {
    if (asked > 0 && needed.current) group.current?.querySelector('button')?.focus();
  }, [asked]);
  const all = listed.flatMap((verdict) => verdict.reasons.map((reason) => ({ verdict, reason })));
  const toggle = ({ verdict, reason }: (typeof all)[number]) =>
    changeHere(page, (before) => {
      const own = withVerdict(before, verdict.id);
      return withReason(own, reason, !own.reasons.includes(reason));
    });
  // While the focus is here, digits are reasons and Enter goes on.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const buttons = [...(group.current?.querySelectorAll('button') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const found = /^[1-9]$/.test(event.key) ? all[Number(event.key) - 1] : undefined;
    if (found !== undefined) toggle(found);
    else if (step !== undefined) buttons[(at + step + buttons.length) % buttons.length]?.focus();
    else if (event.key === 'Enter') {
      focusImages(page);
      goOnIfComplete(page);
    } else if (event.key === 'Escape') focusImages(page);
    else return;
    event.preventDefault();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus, jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-element-interactions -- its buttons have the focus
    <div ref={group} className={styles.reasons} role="group" aria-label="Reasons" onKeyDown={onKeyDown}>
      <span className={isMissing ? styles.warning : styles.quiet}>
        {isMissing ? 'A reason is required:' : 'Reasons:'}
      </span>
      {all.map((one, n) => (
        <button
          key={`${one.verdict.id}/${one.reason}`}
          type="button"
          className={styles.reason}
          aria-pressed={given.verdict === one.verdict.id && given.reasons.includes(one.reason)}
          onClick={() => toggle(one)}
        >
          {isMissing && n < 9 && <kbd className={styles.key}>{n + 1}</kbd>}
          {one.reason}
        </button>
      ))}
      {all.length === 0 && <span className={styles.quiet}>none for this verdict</span>}
    </div>
  );
}

function Score({ score: { id, title, key, min, max } }: { readonly score: ReviewScheme['scores'][number] }) {
  const page = usePage();
  const given = useVerdict().scores[id];
  const at = useReview((state) => state.at);
  const [typed, setTyped] = useState<string>();
  const [of, setOf] = useState(at);
  // What was typed for another unit is not meant for this one.
  if (of !== at) {
    setOf(at);
    setTyped(undefined);
  }
  const parse = (text: string) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : undefined;
    return value !== undefined && value >= min && value <= max ? value : undefined;
  };
  const end = (text: string) => {
    const value = parse(text);
    setTyped(undefined);
    if (text === '' ? given !== undefined : value !== undefined && value !== given)
      changeHere(page, (before) => withScore(before, id, value));
  };
  const onChange = (text: string) => {
    setTyped(text);
    // No further digit could follow.
    if (parse(text) === undefined || Math.abs(Number(text)) * 10 <= Math.max(Math.abs(min), Math.abs(max))) return;
    end(text);
    focusImages(page);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    if (event.key === 'Escape') setTyped(undefined);
    else end(event.currentTarget.value);
    focusImages(page);
  };
  const isWrong = typed !== undefined && typed !== '' && parse(typed) === undefined;
  return (
    <label className={styles.score}>
      {key !== null && <kbd className={styles.key}>{key.toUpperCase()}</kbd>}
      {title}
      <input
        id={scoreField(id)}
        type="text"
        inputMode="numeric"
        autoComplete="off"
        aria-invalid={isWrong}
        placeholder={`${min}–${max}`}
        maxLength={5}
        value={typed ?? given ?? ''}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => onChange(target.value)}
        onBlur={({ target }) => typed !== undefined && end(target.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}

/** It is a part of the decision as soon as it is typed, and written when the field is left. */
function Comment() {
  const page = usePage();
  const { comment } = useVerdict();
  const at = useReview((state) => state.at);
  const [typed, setTyped] = useState<{ readonly of: string | undefined; readonly text: string }>();
  const own = typed?.of === at ? typed : undefined;
  const keep = ({ currentTarget }: FocusEvent<HTMLInputElement> | KeyboardEvent<HTMLInputElement>) => {
    const { value } = currentTarget;
    const isNew = own !== undefined && value !== comment;
    if (!isNew || changeHere(page, (before) => ({ ...before, comment: value }))) setTyped(undefined);
  };
  const isUnsaved = useRef(false);
  useEffect(() => {
    isUnsaved.current = own !== undefined && own.text !== comment;
  });
  useEffect(() => claimUnsaved(page, () => isUnsaved.current), [page]);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    keep(event);
    focusImages(page);
  };
  return (
    <label className={styles.comment}>
      <kbd className={styles.key}>C</kbd>
      <MessageSquare size={15} aria-hidden="true" />
      <VisuallyHidden>Comment</VisuallyHidden>
      <input
        id={COMMENT_FIELD}
        type="text"
        autoComplete="off"
        placeholder="Comment"
        maxLength={10_000}
        value={own?.text ?? comment}
        onChange={({ target }) => setTyped({ of: at, text: target.value })}
        onBlur={keep}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}

/** Whether the server has acknowledged what is said. */
function Written() {
  const page = usePage();
  const { troubles } = useStore(reviewSyncOf(page).store);
  const text = useReview((state) => describeState(state, troubles));
  const isBad = useReview(({ at }) => at !== undefined && troubles.has(at));
  return (
    <output className={styles.written} data-state={isBad ? 'bad' : undefined} aria-label="State of this decision">
      {text}
    </output>
  );
}

function describeState(
  { at, mine, units, head }: ReviewState,
  troubles: ReadonlyMap<string, { readonly kind: 'retrying' | 'refused' | 'conflict' }>,
): string {
  if (at === undefined || head === undefined) return '';
  const own = mine.get(at);
  const missing = own === undefined ? [] : listMissing(head.scheme, own);
  if (missing.length > 0) return `needs ${missing.join(', ')}`;
  const trouble = troubles.get(at);
  if (trouble !== undefined) return trouble.kind === 'conflict' ? 'decided elsewhere' : 'not written';
  if (own !== undefined) return 'writing…';
  return units.get(at)?.decision === null ? '' : 'written';
}

function Steps() {
  const page = usePage();
  return (
    <div className={styles.steps}>
      <ToolButton label="Previous unit" keyHint="P" onClick={() => stepUnit(page, -1)}>
        <ChevronLeft size={17} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Next unit" keyHint="N" onClick={() => stepUnit(page, 1)}>
        <ChevronRight size={17} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="First undecided unit" keyHint="F" onClick={() => goToFirstUndecided(page)}>
        <SkipForward size={16} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Take back the last decision" keyHint="U" onClick={() => takeBack(page)}>
        <Undo2 size={16} aria-hidden="true" />
      </ToolButton>
    </div>
  );
}

/** What the readers have said who differ. */
function Others({ scheme }: { readonly scheme: ReviewScheme }) {
  const id = useId();
  const others = useReview(({ at, units }) => (at === undefined ? undefined : units.get(at)?.others));
  return (
    <dl className={styles.others} aria-labelledby={id}>
      <VisuallyHidden>
        <span id={id}>What the readers have said</span>
      </VisuallyHidden>
      {others?.map((decision) => (
        <div key={decision.reader}>
          <dt>{decision.reader}</dt>
          <dd>{describeVerdict(scheme, toVerdict(decision))}</dd>
        </div>
      ))}
    </dl>
  );
}
