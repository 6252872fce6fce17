import type { ReviewScheme, WireDecision, WireReviewUnit } from '../../../shared/contract/review.ts';

/** What the reader says of a unit. */
export type GivenVerdict = Pick<WireDecision, 'verdict' | 'comment'> & {
  readonly reasons: readonly string[];
  readonly scores: Readonly<Record<string, number>>;
};

export const NO_VERDICT: GivenVerdict = { verdict: null, reasons: [], scores: {}, comment: '' };

/** The same object each time, because components compare it. */
export function toVerdict(decision: WireDecision | null): GivenVerdict {
  if (decision === null) return NO_VERDICT;
  const made = known.get(decision);
  if (made !== undefined) return made;
  const { verdict, reasons, scores, comment } = decision;
  const next = { verdict, reasons, scores, comment };
  known.set(decision, next);
  return next;
}

const known = new WeakMap<WireDecision, GivenVerdict>();

/** Whether nothing is said: such a decision takes the one before back. */
export function isEmptyVerdict({ verdict, scores, comment }: GivenVerdict): boolean {
  return verdict === null && Object.keys(scores).length === 0 && comment === '';
}

export function areEqualVerdicts(a: GivenVerdict, b: GivenVerdict): boolean {
  const ids = new Set([...Object.keys(a.scores), ...Object.keys(b.scores)]);
  return (
    a.verdict === b.verdict &&
    a.comment === b.comment &&
    a.reasons.toSorted().join('\n') === b.reasons.toSorted().join('\n') &&
    [...ids].every((id) => a.scores[id] === b.scores[id])
  );
}

/** What the scheme requires and this does not say, in words; empty for a verdict that can be written. */
export function listMissing({ verdicts, scores, required }: ReviewScheme, given: GivenVerdict): readonly string[] {
  if (isEmptyVerdict(given)) return [];
  const chosen = verdicts.find(({ id }) => id === given.verdict);
  return required.flatMap((name) => {
    if (name === 'verdict') return given.verdict === null ? ['a verdict'] : [];
    if (name === 'reasons') return given.reasons.length === 0 && (chosen?.reasons.length ?? 0) > 0 ? ['a reason'] : [];
    if (name === 'comment') return given.comment.trim() === '' ? ['a comment'] : [];
    return given.scores[name] === undefined ? [scores.find(({ id }) => id === name)?.title ?? name] : [];
  });
}

/** Reasons are those of one verdict. */
export function withVerdict(before: GivenVerdict, verdict: string | null): GivenVerdict {
  return verdict === before.verdict ? before : { ...before, verdict, reasons: [] };
}

export function withReason(before: GivenVerdict, reason: string, isOn: boolean): GivenVerdict {
  const others = before.reasons.filter((one) => one !== reason);
  return { ...before, reasons: isOn ? [...others, reason] : others };
}

export function withScore({ scores, ...before }: GivenVerdict, id: string, score: number | undefined): GivenVerdict {
  const { [id]: _, ...others } = scores;
  return { ...before, scores: score === undefined ? others : { ...others, [id]: score } };
}

/** Equal for the same unit in all runs of the server. */
export function keyOfReviewUnit({
  study,
  series,
  instance,
}: Pick<WireReviewUnit, 'study' | 'series' | 'instance'>): string {
  return `${study}\0${series ?? ''}\0${instance ?? ''}`;
}

/** A verdict in words, as for another reader. */
export function describeVerdict({ verdicts, scores }: ReviewScheme, given: GivenVerdict): string {
  const verdict = verdicts.find(({ id }) => id === given.verdict)?.title ?? given.verdict ?? '';
  const reasons = given.reasons.length === 0 ? '' : ` (${given.reasons.join(', ')})`;
  const said = [
    ...(verdict === '' ? [] : [`${verdict}${reasons}`]),
    ...Object.entries(given.scores).map(
      ([id, score]) => `${scores.find((one) => one.id === id)?.title ?? id} ${score}`,
    ),
    ...(given.comment === '' ? [] : [`“${given.comment}”`]),
  ];
  return said.length === 0 ? 'nothing' : said.join(', ');
}
