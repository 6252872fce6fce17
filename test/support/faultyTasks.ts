import { defineTask } from '../../src/server/machine/workers/task.ts';

const COST = { timeoutMs: 60_000, bytes: 0 };

// Tasks that fail in every way that a decoder can fail, and some that succeed.
export const echoTask = defineTask<string, string>('echo', COST);
type TwoViews = { readonly moving: Uint8Array; readonly staying: Uint8Array };
export const echoBytesTask = defineTask<TwoViews, TwoViews>('echoBytes', COST);
export const sleepTask = defineTask<{ ms: number; answer: string }, string>('sleep', COST);
/** Blocks the thread and never checks for cancellation, like a codec in an endless loop. */
export const spinTask = defineTask<undefined, never>('spin', COST);
/** The same. Writes 1 to `state` when it starts. */
export const stubbornTask = defineTask<{ state: Int32Array }, never>('stubborn', COST);
/** Works in steps until it is cancelled. Writes 1 to `state` when it starts and 2 when it is cancelled. */
export const untilCancelledTask = defineTask<{ state: Int32Array }, never>('untilCancelled', COST);
/** Counts its runs in shared memory. */
export const countRunsTask = defineTask<{ runs: Int32Array; ms: number }, number>('countRuns', COST);
export const exitTask = defineTask<{ afterMs: number }, never>('exit', COST);
/** Throws outside any promise, which ends the thread. */
export const uncaughtTask = defineTask<undefined, never>('uncaught', COST);
export const outOfMemoryTask = defineTask<undefined, never>('outOfMemory', COST);
export const refuseTask = defineTask<{ code: 'file_gone' | 'pixel_decode_failed' }, never>('refuse', COST);
export const bugTask = defineTask<undefined, never>('bug', COST);
export const unclonableTask = defineTask<undefined, unknown>('unclonable', COST);
export const growWasmTask = defineTask<{ bytes: number }, number>('growWasm', COST);
/** Allocates the given number of objects, which are garbage afterwards, and then returns or fails. */
export const growHeapTask = defineTask<{ objects: number; fails: boolean; keeps: boolean }, number>('growHeap', COST);
/** Creates an object that is garbage when the task ends. `isGarbageGoneTask` tells whether it was collected. */
export const createGarbageTask = defineTask<undefined, undefined>('createGarbage', COST);
export const isGarbageGoneTask = defineTask<undefined, boolean>('isGarbageGone', COST);
/** Keeps a buffer of the given size as long as the thread lives. */
export const keepBytesTask = defineTask<{ bytes: number }, number>('keepBytes', COST);
/** Returns bytes that are transferred. `heldAfterTransferTask` tells how many of them the thread still holds. */
export const bytesTask = defineTask<{ from: 'whole' | 'part' | 'pooled' }, Uint8Array>('bytes', COST);
export const heldAfterTransferTask = defineTask<undefined, number>('heldAfterTransfer', COST);
export const threadIdTask = defineTask<undefined, number>('threadId', COST);
/** The nice value of the thread itself, as the system reports it. */
export const niceTask = defineTask<undefined, number>('nice', COST);
