import { RemoteFailure } from './remoteClient.ts';
import type { RemoteEntry, RemoteNews } from './remoteMessages.ts';
import type { RemoteReader } from './remoteReader.ts';

/** The objects of a place as they were last listed, to find out what has changed since. */
export interface ListedObjects {
  /** Objects that the scan lists. */
  add(entries: readonly RemoteEntry[]): void;
  /** Compares another listing. What it leaves out because of a failure is not gone. */
  compare(listing: AsyncIterable<readonly RemoteEntry[]>): Promise<Omit<RemoteNews, 'origin'>>;
}

type Listed = { readonly path: string; readonly mark: string };
type Named = { readonly key: string; readonly path: string };

/** Reasons for which a listing does not have everything. */
const UNFINISHED: ReadonlySet<string> = new Set(['origin_failed', 'origin_denied', 'limit_exceeded']);

export function createListedObjects(reader: Pick<RemoteReader, 'readSpan'>): ListedObjects {
  let known = new Map<string, Listed>();
  /** New objects whose listing tells no state: their states, until they rest. They may still be written to. */
  let unsettled = new Map<string, string>();

  const add = (into: Map<string, Listed>, { key, path, mark = '' }: Named & { readonly mark?: string }) => {
    into.set(key, { path, mark });
  };

  /** Whether a new object is as it was when it was looked at the last time. */
  async function isAtRest({ key }: Named, before: string | undefined, now: Map<string, string>): Promise<boolean> {
    try {
      const { state } = await reader.readSpan(key, { from: 0, to: 1 }, { urgency: 'ahead' });
      const text = `${state.mark} ${state.size}`;
      now.set(key, text);
      return text === before;
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      return false;
    }
  }

  return {
    add(entries) {
      for (const entry of entries) if ('key' in entry) add(known, entry);
    },
    async compare(listing) {
      const found = new Map<string, Listed>();
      const looked = new Map<string, string>();
      const entries: Named[] = [];
      const doubtful: Named[] = [];
      let isWhole = true;
      for await (const page of listing) {
        for (const entry of page) {
          if ('reason' in entry) {
            isWhole &&= !UNFINISHED.has(entry.reason);
            continue;
          }
          const { key, path, mark = '' } = entry;
          const before = known.get(key);
          if (before !== undefined && before.mark === mark) add(found, entry);
          else if (mark === '') doubtful.push(entry);
          else {
            add(found, entry);
            entries.push({ key, path });
          }
        }
      }
      const resting = await Promise.all(doubtful.map((one) => isAtRest(one, unsettled.get(one.key), looked)));
      for (const one of doubtful.filter((_, at) => resting[at])) {
        add(found, one);
        entries.push(one);
      }
      const gone = isWhole ? [...known].filter(([key]) => !found.has(key)).map(([, { path }]) => path) : [];
      known = isWhole ? found : new Map([...known, ...found]);
      unsettled = looked;
      return { entries, gone };
    },
  };
}
