import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

export type Message = { readonly text: string; readonly tone: 'done' | 'failed' };

const SHOWN_MS = { done: 3_000, failed: 10_000 };

/** The latest message of a command. */
const messagesStore = createStore<{ readonly message: Message | undefined }>(() => ({ message: undefined }));
let timer: ReturnType<typeof setTimeout> | undefined;

export function useMessage(): Message | undefined {
  return useStore(messagesStore, ({ message }) => message);
}

export function say(text: string, tone: Message['tone'] = 'done'): void {
  clearTimeout(timer);
  messagesStore.setState({ message: { text, tone } });
  timer = setTimeout(() => messagesStore.setState({ message: undefined }), SHOWN_MS[tone]);
}

/** Runs an action of the user, and shows its result or its error. */
export async function sayOutcome(run: () => Promise<string>): Promise<void> {
  try {
    say(await run());
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), 'failed');
  }
}
