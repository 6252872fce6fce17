import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import type { EventData, EventName } from '../../../../shared/contract/events.ts';
import type { CatalogProgress } from '../../../images/catalog/catalog.ts';
import type { VolumeProgress } from '../../../images/volumes/volumeMemory.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

/** Proxies and tunnels drop idle connections. State without change notifications is polled at the same interval. */
const HEARTBEAT_MS = 5_000;
/** Minimum interval between events; a page could not draw more often. */
const PAUSE_MS = 100;

export function eventsRoutes(context: ServerContext) {
  const { catalog, annotations, marks, volumes, pages, review, assistants, tunnelHost, closing } = context;
  const look = (): Told => ({
    ...catalog.progress,
    tunnelled: tunnelHost?.() !== undefined,
    importState: annotations.importState().state,
    volumes: volumes.progress(),
    viewRequest: pages.latestRequest,
    markRevision: marks.revision(),
    reviewRevision: review?.revision() ?? 0,
    assistantRevision: assistants.revision(),
  });
  const events: Handler = async (c) => {
    const { outgoing } = c;
    c.begin(200, [
      ['Content-Type', ENDPOINTS.events.mediaType],
      // nginx would collect events until they fill a buffer.
      ['X-Accel-Buffering', 'no'],
    ]);
    const ended = AbortSignal.any([closing, c.signal]);
    // Nothing is queued for a client: once it has taken one piece, the next one describes the state at that time.
    const sources = [catalog, volumes, pages, marks, assistants, ...(review === undefined ? [] : [review])];
    const pieces = c.method === 'HEAD' ? [] : writeEvents(sources, look, ended);
    for await (const piece of pieces) {
      if (!outgoing.write(piece)) await once(outgoing, 'drain', { signal: ended }).catch(() => undefined);
    }
    outgoing.end();
  };
  return { events };
}

type Told = CatalogProgress & {
  readonly tunnelled: boolean;
  readonly importState: EventData<'status'>['import_state'];
  readonly volumes: readonly VolumeProgress[];
  readonly viewRequest: number;
  readonly markRevision: number;
  readonly reviewRevision: number;
  readonly assistantRevision: number;
};

/** What tells when there is something new. */
type Sources = readonly { readonly subscribe: (listener: () => void) => () => void }[];

async function* writeEvents(sources: Sources, look: () => Told, ended: AbortSignal): AsyncGenerator<string, void> {
  let told: Told | undefined;
  while (!ended.aborted) {
    const current = look();
    const news = describeNews(told, current);
    told = current;
    if (news !== '') {
      yield news;
      await delay(PAUSE_MS, undefined, { signal: ended }).catch(() => undefined);
    } else if (!(await waitForChange(sources, ended))) yield ': nothing new\n\n';
  }
}

function describeNews(told: Told | undefined, current: Told): string {
  const { scanned, skipped, filtered, revision, scanComplete, tunnelled, importState } = current;
  let news = '';
  if (scanned !== told?.scanned || skipped !== told.skipped || filtered !== told.filtered) {
    news += writeEvent('progress', { scanned, skipped, filtered });
  }
  // A client asks for the list again when there is a revision, also if only files of it have vanished.
  if (revision !== told?.revision || current.gone !== told.gone) news += writeEvent('revision', { revision });
  if (tunnelled !== told?.tunnelled || importState !== told.importState) {
    news += writeEvent('status', { tunnelled, import_state: importState });
  }
  if (current.viewRequest !== (told?.viewRequest ?? 0)) news += writeEvent('view', { request: current.viewRequest });
  if (current.markRevision !== (told?.markRevision ?? 0))
    news += writeEvent('marks', { revision: current.markRevision });
  if (current.reviewRevision !== (told?.reviewRevision ?? 0))
    news += writeEvent('review', { revision: current.reviewRevision });
  if (current.assistantRevision !== (told?.assistantRevision ?? 0))
    news += writeEvent('assistants', { revision: current.assistantRevision });
  news += describeVolumes(told?.volumes ?? [], current.volumes);
  if (scanComplete && !told?.scanComplete) news += writeEvent('scan_complete', { file_count: scanned });
  return news;
}

/** Volumes that have more or fewer slices than was told, and those that have left the memory. */
function describeVolumes(told: Told['volumes'], current: Told['volumes']): string {
  const gone = told.filter((one) => one.placesLoaded > 0 && !current.some((other) => isSame(one, other)));
  const changed = current.filter(
    (one) => (told.find((other) => isSame(one, other))?.placesLoaded ?? 0) !== one.placesLoaded,
  );
  return [...changed, ...gone.map((one) => ({ ...one, placesLoaded: 0, storage: 'none' as const }))]
    .map(({ fileIndex, time, places, placesLoaded, storage }) =>
      writeEvent('volume', { file_index: fileIndex, time, places, places_loaded: placesLoaded, storage }),
    )
    .join('');
}

function isSame(a: VolumeProgress, b: VolumeProgress): boolean {
  return a.fileIndex === b.fileIndex && a.time === b.time;
}

function writeEvent<Name extends EventName>(name: Name, data: EventData<Name>): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** False if nothing changed for as long as the connection may stay silent. */
function waitForChange(sources: Sources, ended: AbortSignal): Promise<boolean> {
  return new Promise((settle) => {
    const finish = (changed: boolean) => {
      clearTimeout(timer);
      for (const unsubscribe of subscriptions) unsubscribe();
      ended.removeEventListener('abort', onEnd);
      settle(changed);
    };
    const onEnd = () => finish(true);
    const timer = setTimeout(() => finish(false), HEARTBEAT_MS);
    const subscriptions = sources.map(({ subscribe }) => subscribe(() => finish(true)));
    ended.addEventListener('abort', onEnd);
  });
}
