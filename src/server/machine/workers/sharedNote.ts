import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const NAME = 'negato.shared-note';
export const MOST_NOTE_BYTES = 2 ** 20;
/** The version, and the number of bytes. The version is odd while the note is being written. */
const HEAD_BYTES = 8;
const VERSION = 0;
const LENGTH = 1;

/** The memory of the note. Every thread inherits it, because it exists before the first one is started. */
export function openSharedNote(): SharedArrayBuffer {
  const known: unknown = getEnvironmentData(NAME);
  if (known instanceof SharedArrayBuffer) return known;
  const memory = new SharedArrayBuffer(HEAD_BYTES + MOST_NOTE_BYTES);
  setEnvironmentData(NAME, memory);
  return memory;
}

/**
 * Text that all threads of the process share: what is written here is seen by every task that begins afterwards,
 * whatever it was given. Only the main thread writes. False if the text is too long; then nothing has changed.
 */
export function writeSharedNote(text: string): boolean {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MOST_NOTE_BYTES) return false;
  const memory = openSharedNote();
  const head = new Int32Array(memory, 0, 2);
  Atomics.add(head, VERSION, 1);
  new Uint8Array(memory, HEAD_BYTES).set(bytes);
  Atomics.store(head, LENGTH, bytes.length);
  Atomics.add(head, VERSION, 1);
  return true;
}

/** Differs after each change. */
export function versionOfNote(): number {
  return Atomics.load(new Int32Array(openSharedNote(), 0, 2), VERSION);
}

export function readSharedNote(): { readonly version: number; readonly text: string } {
  const memory = openSharedNote();
  const head = new Int32Array(memory, 0, 2);
  for (;;) {
    const version = Atomics.load(head, VERSION);
    if (version % 2 === 0) {
      // A copy, because a decoder takes no shared memory.
      const bytes = new Uint8Array(memory, HEAD_BYTES, Atomics.load(head, LENGTH)).slice();
      if (Atomics.load(head, VERSION) === version) return { version, text: new TextDecoder().decode(bytes) };
    }
  }
}
