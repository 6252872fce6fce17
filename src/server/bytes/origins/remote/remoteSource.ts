import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { StoredFrameWish, SentFrame } from '../byteSource.ts';
import { type OpenOptions, type OpenSource, sealKnown } from '../origin.ts';
import type { KnownSource } from '../sourceRef.ts';
import { getWaitingClient } from './remoteClient.ts';
import {
  FIRST_SPAN,
  LOST,
  type ObjectIdentity,
  type ObjectRef,
  type ObjectState,
  type RemoteBytes,
  UNSEEN,
} from './remoteMessages.ts';

/**
 * Opens an object. If its state is known, nothing is read: every later read asks the server for that state. Otherwise
 * the first bytes are read.
 */
export function openRemoteObject(ref: ObjectRef, { expected }: OpenOptions<ObjectIdentity> = {}): OpenSource {
  requireNotLost(expected);
  if (expected !== undefined && expected.mark !== UNSEEN) return new RemoteSource(ref, expected);
  const first = getWaitingClient().read(ref, FIRST_SPAN, { keeps: false });
  return new RemoteSource(ref, first.state, first);
}

/** Throws `file_gone`. */
export function requireNotLost(expected: ObjectIdentity | undefined): void {
  if (expected?.mark !== LOST) return;
  throw new ViewerError('file_gone', 'the file is not the one that its server has told of');
}

export function keyOfObject({ origin, key }: ObjectRef, { mark, size }: ObjectState): string {
  return `object ${origin}\0${key}\0${mark}\0${size}`;
}

const LONGEST_SPAN = 1024 * 1024;

/**
 * Reads an object through one window, which grows while the reader moves straight ahead. The windows are larger than
 * those of files, because a request takes as long as a hundred reads of a disk.
 */
class RemoteSource implements OpenSource {
  readonly known: KnownSource;
  readonly size: number;
  readonly state: string;
  reads = 0;
  bytesRead = 0;
  /** Known after the first read. */
  isSequential = false;
  readonly #ref: ObjectRef;
  readonly #expected: ObjectState;
  /** Whether the bytes are read to be scanned, once. */
  readonly #isScanned: boolean;
  #window: Uint8Array;
  #start = 0;
  #nextLength = FIRST_SPAN.to;
  #isClosed = false;

  constructor(ref: ObjectRef, { mark, size }: ObjectState, first?: RemoteBytes) {
    this.#ref = ref;
    this.#expected = { mark, size };
    this.#isScanned = first !== undefined;
    this.known = sealKnown({ ref, identity: { kind: 'object', mark, size } });
    this.state = keyOfObject(ref, this.#expected);
    this.size = size;
    this.#window = first?.bytes ?? new Uint8Array(0);
    if (first !== undefined) this.#count(first);
  }

  read(position: number, length: number): Uint8Array {
    const view = this.#view(position, length);
    return view.length > length ? view.subarray(0, length) : view;
  }

  peek(position: number, length: number): Uint8Array {
    return this.#view(position, length);
  }

  readFrame(wish: StoredFrameWish): SentFrame | undefined {
    const sent = getWaitingClient().readFrame(this.#ref, wish, this.#expected);
    if (sent !== undefined) {
      this.reads += 1;
      this.bytesRead += sent.bytes.length;
    }
    return sent;
  }

  /** Every read is for the state in which the object was opened. */
  isUnchanged(): boolean {
    return !this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
    this.#window = new Uint8Array(0);
  }

  /** The bytes from `position` that are here, at least `length` unless the object ends before. */
  #view(position: number, length: number): Uint8Array {
    const end = Math.min(position + length, this.size);
    const here = this.#start + this.#window.length;
    if (position >= this.#start && end <= here) return apart(this.#window.subarray(position - this.#start));
    if (end <= position) return new Uint8Array(0);
    // A long value, such as a frame, is one range without the bytes after it, and the window stays.
    if (length > FIRST_SPAN.to) return this.#fetch(position, end);
    const isAhead = this.#window.length > 0 && position >= this.#start && position <= here;
    this.#nextLength = isAhead ? Math.min(this.#nextLength * 4, LONGEST_SPAN) : FIRST_SPAN.to;
    this.#window = this.#fetch(position, Math.min(position + this.#nextLength, this.size));
    this.#start = position;
    return apart(this.#window);
  }

  #fetch(from: number, to: number): Uint8Array {
    if (this.#isClosed) throw new Error('the object is closed');
    const client = getWaitingClient();
    const read = client.read(this.#ref, { from, to }, { expected: this.#expected, keeps: !this.#isScanned });
    const { bytes, state } = read;
    if (state.mark !== this.#expected.mark || state.size !== this.size) {
      throw new ViewerError('file_gone', 'the file has changed since it was opened');
    }
    this.#count(read);
    return bytes;
  }

  #count({ bytes, isSequential = false }: RemoteBytes): void {
    this.reads += 1;
    this.bytesRead += bytes.length;
    this.isSequential = isSequential;
  }
}

/** Never the whole window: a caller that receives a whole buffer treats it as its own and may transfer it to a thread. */
function apart(view: Uint8Array): Uint8Array {
  return view.byteLength === view.buffer.byteLength ? view.slice() : view;
}
