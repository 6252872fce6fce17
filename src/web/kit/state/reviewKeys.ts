import { createStore } from 'zustand/vanilla';
import type { Command } from './commands.ts';
import { definePart } from './page.ts';

/** What keys do in a review. The code of the review, which not every page needs, provides it. */
export const reviewCommandsOf = definePart(() =>
  createStore<{
    /** Undefined outside a review, and until its code is loaded. */
    readonly commands: readonly Command[] | undefined;
  }>(() => ({ commands: undefined })),
);
