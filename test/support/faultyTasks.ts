import { defineTask } from '../../src/server/workers/task.ts';

// Tasks that go wrong in every way that a decoder can, and some that do not.
export const echoTask = defineTask<string, string>('echo');
type TwoViews = { readonly moving: Uint8Array; readonly staying: Uint8Array };
export const echoBytesTask = defineTask<TwoViews, TwoViews>('echoBytes');
export const sleepTask = defineTask<{ ms: number; answer: string }, string>('sleep');
/** Holds the thread and never looks whether it was cancelled, as a codec in a loop does. */
export const spinTask = defineTask<undefined, never>('spin');
/** Works in steps until it is cancelled. Writes 1 to `state` when it starts and 2 when it was cancelled. */
export const untilCancelledTask = defineTask<{ state: Int32Array }, never>('untilCancelled');
/** Counts its runs in shared memory. */
export const countRunsTask = defineTask<{ runs: Int32Array; ms: number }, number>('countRuns');
export const exitTask = defineTask<{ afterMs: number }, never>('exit');
/** Throws outside of any promise, which ends the thread. */
export const uncaughtTask = defineTask<undefined, never>('uncaught');
export const outOfMemoryTask = defineTask<undefined, never>('outOfMemory');
export const refuseTask = defineTask<{ code: 'file_gone' | 'pixel_decode_failed' }, never>('refuse');
export const bugTask = defineTask<undefined, never>('bug');
export const unclonableTask = defineTask<undefined, unknown>('unclonable');
export const growWasmTask = defineTask<{ bytes: number }, number>('growWasm');
/** Fills the heap with so many objects, all garbage afterwards, and answers or fails. */
export const growHeapTask = defineTask<{ objects: number; fails: boolean }, number>('growHeap');
/** Keeps so many bytes in a buffer for as long as the thread lives. */
export const keepBytesTask = defineTask<{ bytes: number }, number>('keepBytes');
/** Answers with bytes that are transferred; says afterwards whether the thread still holds them. */
export const bytesTask = defineTask<{ from: 'whole' | 'part' | 'pooled' }, Uint8Array>('bytes');
export const heldAfterTransferTask = defineTask<undefined, number>('heldAfterTransfer');
export const threadIdTask = defineTask<undefined, number>('threadId');
/** Of the thread itself, as the system has it. */
export const niceTask = defineTask<undefined, number>('nice');
