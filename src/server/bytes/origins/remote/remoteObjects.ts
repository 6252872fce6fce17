import { createHash } from 'node:crypto';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { ListedEntry, ListOptions } from '../listing.ts';
import type { OpenStream, Origin, Seen } from '../origin.ts';
import { sealRef } from '../origin.ts';
import { getAsyncClient, getWaitingClient } from './remoteClient.ts';
import { isRemoteInput } from './remoteInput.ts';
import { type ObjectIdentity, type ObjectRef, type ObjectState, UNSEEN } from './remoteMessages.ts';
import { keyOfObject, openRemoteObject, requireNotLost } from './remoteSource.ts';

/** Objects on other machines: object storage and web servers. */
export const remoteObjects: Origin<ObjectRef, ObjectIdentity> = {
  createLister: createRemoteLister,
  expect: (ref) => getWaitingClient().expect(ref),
  open: openRemoteObject,
  openStream,
  look: async (ref, expected) => {
    requireNotLost(expected);
    return toSeen(ref, await getAsyncClient(ref).look(ref));
  },
  isSame: (found, expected) =>
    expected.mark === UNSEEN || (found.mark === expected.mark && found.size === expected.size),
  keyOf: keyOfObject,
  beside: (ref, name) =>
    isPlainName(name) ? { ...ref, key: besideOf(ref.key, name), label: besideOf(ref.label, name) } : undefined,
  placeOf: ({ label }) => label,
  changeMarkOf: ({ mark }) => createHash('sha256').update(mark).digest().readUIntBE(0, 6),
  explain: (error) =>
    error instanceof ViewerError
      ? error
      : new ViewerError('origin_unavailable', 'the object cannot be read', { cause: error }),
};

function createRemoteLister(options: ListOptions): (input: string) => Iterable<ListedEntry> | undefined {
  return (input) => (isRemoteInput(input) ? listObjects(input, options) : undefined);
}

function* listObjects(
  input: string,
  { recursive, toldTags, readsOnDemand = false }: ListOptions,
): Generator<ListedEntry, void, void> {
  for (let isFirst = true; ; isFirst = false) {
    const { origin, entries, done } = getWaitingClient().list({ input, recursive, toldTags, readsOnDemand, isFirst });
    for (const entry of entries) {
      if ('reason' in entry) yield entry;
      else {
        const { key, path, told } = entry;
        yield { path, ref: sealRef({ kind: 'object', origin, key, label: path }), ...(told && { told }) };
      }
    }
    if (done) return;
  }
}

async function openStream(ref: ObjectRef): Promise<OpenStream> {
  const client = getAsyncClient(ref);
  let state: ObjectState | undefined;
  return {
    async look() {
      // Each read is checked by the server; before the first one, the object is looked at.
      state ??= await client.look(ref);
      return toSeen(ref, state);
    },
    async read(position, buffer) {
      if (state === undefined) throw new Error('look comes first');
      const span = { from: position, to: Math.min(position + buffer.length, state.size) };
      if (span.to <= span.from) return 0;
      const { bytes } = await client.read(ref, span, state);
      buffer.set(bytes);
      return bytes.length;
    },
    close: async () => undefined,
  };
}

function toSeen(ref: ObjectRef, { mark, size }: ObjectState): Seen {
  const identity: ObjectIdentity = { kind: 'object', mark, size };
  return { identity, state: keyOfObject(ref, identity) };
}

/** A name without a folder. */
function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0?#]/.test(name);
}

function besideOf(key: string, name: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1) + name;
}
