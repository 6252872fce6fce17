import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { AssistantPrompt, WireAssistant } from '../../../../shared/contract/assistants.ts';
import { asError } from '../../../../shared/asError.ts';
import { fetchAssistants } from '../../../kit/api/assistants.ts';
import { say } from '../../../kit/state/messages.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import { setTool, toolsOf } from '../../../kit/state/tools.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import { cancelProposal, proposalsOf } from '../tools/proposals.ts';

/** Something that the user has pointed at, and where it is drawn. */
export type DrawnPrompt = AssistantPrompt & {
  /** That of the ground that it was drawn on. */
  readonly groundKey: string;
  /** In pixels of the picture. */
  readonly points: readonly Point[];
};

type AssistantsState = {
  readonly list: readonly WireAssistant[];
  /** Why the list is not known. */
  readonly problem: string | undefined;
  readonly chosen: number | undefined;
  /** What a drag draws, if the assistant takes both; with Shift the other one. */
  readonly drag: 'scribble' | 'box';
  /** Whether prompts are of what is outside; with Alt the opposite. */
  readonly isOutside: boolean;
  /** Whether an answer begins from the selected mask and replaces it, if the assistant takes masks. */
  readonly isRefining: boolean;
  /** Since the last mask was taken, in one stack. */
  readonly prompts: readonly DrawnPrompt[];
  readonly stackId: string | undefined;
  /** The one that is being drawn. */
  readonly live: DrawnPrompt | undefined;
};

const NO_PROMPTS = { prompts: [], stackId: undefined, live: undefined } as const;

export const assistantsOf = definePart((page) => {
  const store = createStore<AssistantsState>(() => ({
    list: [],
    problem: undefined,
    chosen: undefined,
    drag: 'scribble',
    isOutside: false,
    isRefining: false,
    ...NO_PROMPTS,
  }));
  // Prompts belong to the mask that is previewed.
  proposalsOf(page).subscribe(({ proposal }) => {
    if (proposal?.tool !== 'assistant' && store.getState().prompts.length > 0) store.setState(NO_PROMPTS);
  });
  page.onRestart(() => store.setState({ ...NO_PROMPTS, list: [], chosen: undefined }));
  return store;
});

export function useAssistants<T>(select: (state: AssistantsState) => T): T {
  return useStore(assistantsOf(usePage()), select);
}

/** The one that is asked: the chosen one, else the first that can be asked. */
export function chosenAssistant({ list, chosen }: Pick<AssistantsState, 'list' | 'chosen'>): WireAssistant | undefined {
  return list.find(({ id }) => id === chosen) ?? list.find(({ problem }) => problem === null) ?? list[0];
}

export async function loadAssistants(page: Page): Promise<readonly WireAssistant[]> {
  try {
    const list = await fetchAssistants();
    assistantsOf(page).setState({ list, problem: undefined });
    return list;
  } catch (error) {
    assistantsOf(page).setState({ problem: asError(error).message });
    return assistantsOf(page).getState().list;
  }
}

export function chooseAssistant(page: Page, id: number): void {
  if (assistantsOf(page).getState().chosen !== id && proposalsOf(page).getState().proposal?.tool === 'assistant') {
    cancelProposal(page);
  }
  assistantsOf(page).setState({ chosen: id });
  setTool(page, 'assistant');
}

export const NO_ASSISTANT =
  'There is no assistant. Start negato with --assist URL, or write one in Python with viewer.assistant.';

/** Chooses the tool; if it is chosen already, the next assistant. */
export async function chooseAssistantTool(page: Page): Promise<void> {
  const isChosen = toolsOf(page).getState().tool === 'assistant';
  const list = await loadAssistants(page);
  const state = assistantsOf(page).getState();
  const current = chosenAssistant(state);
  if (current === undefined) {
    say(page, state.problem ?? NO_ASSISTANT, 'failed');
    return;
  }
  const next = isChosen ? (list[(list.indexOf(current) + 1) % list.length] ?? current) : current;
  chooseAssistant(page, next.id);
  say(
    page,
    `${next.name}: ${next.problem ?? describePrompts(next, state.drag)}`,
    next.problem === null ? undefined : 'failed',
  );
}

/** What the user can do, in words. */
export function describePrompts(
  { prompts, takes_negative: takesNegative }: WireAssistant,
  drag: 'scribble' | 'box',
): string {
  const other = drag === 'scribble' ? 'box' : 'scribble';
  const both = prompts.includes('scribble') && prompts.includes('box');
  const dragged = prompts.includes(drag) ? drag : prompts.includes(other) ? other : undefined;
  const words = [
    prompts.includes('point') ? 'click' : '',
    dragged === undefined ? '' : `drag a ${dragged}${both ? ` (with Shift a ${other})` : ''}`,
  ].filter(Boolean);
  return `${words.join(' or ')} on what is inside${takesNegative ? '; with Alt on what is outside' : ''}`;
}
