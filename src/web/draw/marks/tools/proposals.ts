import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { asError } from '../../../../shared/asError.ts';
import { say } from '../../../kit/state/messages.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import { type BrushMark, changeMasks } from '../masks/brushes.ts';
import { isSameMask } from '../masks/mergeMasks.ts';
import { isMaskForm, masksOf, type PageMark } from '../sync/markForm.ts';
import { marksOf } from '../sync/marks.ts';
import type { MaskToolName } from './maskTools.ts';

type MaskScope = 'slice' | 'volume';

export type MaskSettings = {
  /** Values in the unit of the picture. */
  readonly low: number;
  readonly high: number;
  /** In millimetres, or in pixels where their size is unknown. */
  readonly radius: number;
  /** In samples. */
  readonly least: number;
  /** The mask that this one is combined with. */
  readonly other: string | undefined;
  readonly scope: MaskScope;
};

/** By `frameKey`; null where there is no mask then. */
export type ChangedMasks = ReadonlyMap<string, MarkMask | null>;

export type Planned = {
  readonly changed: ChangedMasks;
  /** What it would do, in words. */
  readonly text: string;
};

/**
 * Finds what a tool would do; undefined if newer settings came before it began. `show` gets what is known of it earlier.
 * Throws a sentence for the user if it cannot be done.
 */
export type PlanMask = (
  settings: MaskSettings,
  options: { readonly signal: AbortSignal; readonly show: (planned: Planned) => void },
) => Promise<Planned | undefined>;

/** A change of a mask that is shown and not made yet. */
export type Proposal = {
  readonly tool: MaskToolName;
  readonly title: string;
  readonly cell: number;
  readonly mark: BrushMark;
  readonly settings: MaskSettings;
  /** Of the radius: mm or px. */
  readonly unit: string;
  /** The values that the range can have. */
  readonly values?: { readonly least: number; readonly most: number; readonly step: number; readonly unit: string };
  /** The masks that this one can be combined with. */
  readonly others: readonly { readonly uid: string; readonly name: string }[];
  /** The picture is no stored frame. */
  readonly isCut: boolean;
  readonly plan: PlanMask;
  /** Undefined until something is known. */
  readonly planned?: Planned | undefined;
  readonly state: 'working' | 'ready' | 'failed';
  /** Why it cannot be done. */
  readonly problem?: string | undefined;
  /** The user has taken it before it was ready. */
  readonly isTaken?: true;
};

type ProposalsState = { readonly proposal: Proposal | undefined };

/** What the tools were set to last. */
export const maskSettingsOf = definePart((): { last: Partial<MaskSettings> } => ({ last: {} }));

/** There is at most one. */
export const proposalsOf = definePart((page) => {
  const store = createStore<ProposalsState>(() => ({ proposal: undefined }));
  page.onRestart(() => cancelProposal(page));
  marksOf(page).subscribe(({ marks }, before) => {
    const { proposal } = store.getState();
    if (proposal === undefined || marks === before.marks) return;
    const { uid } = proposal.mark;
    if (isSamePixels(marks.get(uid), before.marks.get(uid))) return;
    // It was made for a mask that is another one now.
    cancelProposal(page);
    say(page, 'The mask has changed, so the preview has ended');
  });
  return store;
});

function isSamePixels(a: PageMark | undefined, b: PageMark | undefined): boolean {
  if (a === b) return true;
  const [of, before] = [masksIn(a), masksIn(b)];
  return of.size === before.size && [...of].every(([key, mask]) => isSameMask(mask, before.get(key) ?? null));
}

function masksIn(mark: PageMark | undefined): ReadonlyMap<string, MarkMask> {
  return mark !== undefined && isMaskForm(mark) ? masksOf(mark) : new Map();
}

export function isProposed(page: Page): boolean {
  return proposalsOf(page).getState().proposal !== undefined;
}

export function useProposal<T>(select: (proposal: Proposal | undefined) => T): T {
  return useStore(proposalsOf(usePage()), ({ proposal }) => select(proposal));
}

/** Why work on a preview ends that nobody sees any more. */
export const PREVIEW_ENDED = 'the preview has ended';

/** What is being found, so that it can be ended. */
const runsOf = definePart((): { current: AbortController | undefined } => ({ current: undefined }));

/** Shows what a tool would do, in place of what was shown before. */
export function propose(page: Page, proposal: Omit<Proposal, 'state'>): void {
  proposalsOf(page).setState({ proposal: { ...proposal, state: 'working' } });
  void run(page);
}

export function changeSettings(page: Page, changed: Partial<MaskSettings>): void {
  const { proposal } = proposalsOf(page).getState();
  if (proposal === undefined) return;
  const settings = { ...proposal.settings, ...changed };
  const { last } = maskSettingsOf(page);
  const { radius, least, scope } = { ...last, ...changed };
  Object.assign(maskSettingsOf(page), { last: { radius, least, scope } });
  const { isTaken: _, ...open } = proposal;
  proposalsOf(page).setState({ proposal: { ...open, settings, state: 'working', problem: undefined } });
  void run(page);
}

async function run(page: Page): Promise<void> {
  const runs = runsOf(page);
  runs.current?.abort();
  const own = new AbortController();
  runs.current = own;
  const { proposal } = proposalsOf(page).getState();
  if (proposal === undefined) return;
  const update = (changed: Partial<Proposal>) => {
    const now = proposalsOf(page).getState().proposal;
    if (now !== undefined) proposalsOf(page).setState({ proposal: { ...now, ...changed } });
  };
  const { signal } = own;
  const show = (planned: Planned) => {
    // A result that is not the latest one is still a preview, as long as it belongs to the same gesture.
    if (proposalsOf(page).getState().proposal?.plan === proposal.plan) update({ planned });
  };
  try {
    const planned = await proposal.plan(proposal.settings, { signal, show });
    if (planned !== undefined && !signal.aborted) update({ planned, state: 'ready', problem: undefined });
  } catch (error) {
    if (signal.aborted) return;
    update({ planned: undefined, state: 'failed', problem: asError(error).message });
  }
  if (!signal.aborted && proposalsOf(page).getState().proposal?.isTaken === true) takeProposal(page);
}

/** Makes the change, as one step that can be undone; later if it is not known yet. */
export function takeProposal(page: Page): void {
  const { proposal } = proposalsOf(page).getState();
  if (proposal === undefined) return;
  if (proposal.state === 'working') {
    proposalsOf(page).setState({ proposal: { ...proposal, isTaken: true } });
    return;
  }
  const { state, problem = '', planned, mark, isCut } = proposal;
  if (state === 'failed' || planned === undefined) {
    say(page, problem, 'failed');
    return;
  }
  endProposal(page);
  if (planned.changed.size === 0) say(page, 'This changes nothing');
  else changeMasks(page, mark, planned.changed, { isElsewhere: isCut });
}

export function cancelProposal(page: Page): void {
  endProposal(page);
}

function endProposal(page: Page): void {
  runsOf(page).current?.abort(PREVIEW_ENDED);
  proposalsOf(page).setState({ proposal: undefined });
}

/** The mask as it would be. */
export function proposedMark({ mark, planned }: Pick<Proposal, 'mark' | 'planned'>): BrushMark {
  if (planned === undefined) return mark;
  const slices = new Map(mark.slices);
  for (const [key, mask] of planned.changed) {
    if (mask === null) slices.delete(key);
    else slices.set(key, mask);
  }
  return { ...mark, slices };
}
