import { defineTask } from '../../src/server/workers/task.ts';

// Tasks that fail in every way that a decoder can fail, and some that succeed.
export const echoTask = defineTask<string, string>('echo');
type TwoViews = { readonly moving: Uint8Array; readonly staying: Uint8Array };
export const echoBytesTask = defineTask<TwoViews, TwoViews>('echoBytes');
export const sleepTask = defineTask<{ ms: number; answer: string }, string>('sleep');
/** Blocks the thread and never checks for cancellation, like a codec in an endless loop. */
export const spinTask = defineTask<undefined, never>('spin');
/** The same. Writes 1 to `state` when it starts. */
export const stubbornTask = defineTask<{ state: Int32Array }, never>('stubborn');
/** Works in steps until it is cancelled. Writes 1 to `state` when it starts and 2 when it is cancelled. */
export const untilCancelledTask = defineTask<{ state: Int32Array }, never>('untilCancelled');
/** Counts its runs in shared memory. */
export const countRunsTask = defineTask<{ runs: Int32Array; ms: number }, number>('countRuns');
export const exitTask = defineTask<{ afterMs: number }, never>('exit');
/** Throws outside any promise, which ends the thread. */
export const uncaughtTask = defineTask<undefined, never>('uncaught');
export const outOfMemoryTask = defineTask<undefined, never>('outOfMemory');
export const refuseTask = defineTask<{ code: 'file_gone' | 'pixel_decode_failed' }, never>('refuse');
export const bugTask = defineTask<undefined, never>('bug');
export const unclonableTask = defineTask<undefined, unknown>('unclonable');
export const growWasmTask = defineTask<{ bytes: number }, number>('growWasm');
/** Allocates the given number of objects, which are garbage afterwards, and then returns or fails. */
export const growHeapTask = defineTask<{ objects: number; fails: boolean; keeps: boolean }, number>('growHeap');
/** Creates an object that is garbage when the task ends. `isGarbageGoneTask` tells whether it was collected. */
export const createGarbageTask = defineTask<undefined, undefined>('createGarbage');
export const isGarbageGoneTask = defineTask<undefined, boolean>('isGarbageGone');
/** Keeps a buffer of the given size as long as the thread lives. */
export const keepBytesTask = defineTask<{ bytes: number }, number>('keepBytes');
/** Returns bytes that are transferred. `heldAfterTransferTask` tells how many of them the thread still holds. */
export const bytesTask = defineTask<{ from: 'whole' | 'part' | 'pooled' }, Uint8Array>('bytes');
export const heldAfterTransferTask = defineTask<undefined, number>('heldAfterTransfer');
export const threadIdTask = defineTask<undefined, number>('threadId');
/** The nice value of the thread itself, as the system reports it. */
export const niceTask = defineTask<undefined, number>('nice');
