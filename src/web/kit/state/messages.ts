import { asError } from '../../../shared/asError.ts';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from './page.ts';

export type Message = { readonly text: string; readonly tone: 'done' | 'failed' };

const SHOWN_MS = { done: 3_000, failed: 10_000 };

/** The latest message of a command. */
export const messagesOf = definePart(() =>
  createStore<{ readonly message: Message | undefined }>(() => ({ message: undefined })),
);

export function useMessage(): Message | undefined {
  return useStore(messagesOf(usePage()), ({ message }) => message);
}

export function say(page: Page, text: string, tone: Message['tone'] = 'done'): void {
  const messages = messagesOf(page);
  const message = { text, tone };
  messages.setState({ message });
  setTimeout(() => {
    if (messages.getState().message === message) messages.setState({ message: undefined });
  }, SHOWN_MS[tone]);
}

/** Runs an action of the user, and shows its result or its error. */
export async function sayOutcome(page: Page, run: () => Promise<string>): Promise<void> {
  try {
    say(page, await run());
  } catch (error) {
    say(page, asError(error).message, 'failed');
  }
}
