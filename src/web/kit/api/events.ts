import type { EventData } from '../../../shared/contract/events.ts';
import { send } from './send.ts';

/** How many slices of one time of a volume the server has in memory. */
export type VolumeEvent = EventData<'volume'>;

/**
 * `news`: the list of files has changed. `marks`: marks or their classes have changed. `review`: decisions of the review
 * have changed. `assistants`: there are some, or others. `alive`: nothing has changed, and the connection is up. `view`: pages are asked for something.
 */
export type EventSign = 'news' | 'marks' | 'review' | 'assistants' | 'alive' | 'view' | VolumeEvent;

/**
 * Reads the server's events until they end or the signal aborts. Uses `fetch`, because an EventSource cannot send the
 * token.
 */
export async function followEvents(onSign: (sign: EventSign) => void, signal: AbortSignal): Promise<void> {
  const { body } = await send('api/events', { signal, priority: 'low' });
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const sign of parseSigns(blocks)) onSign(sign);
  }
}

const VOLUME = 'event: volume\ndata: ';
const MARKS = 'event: marks\n';
const REVIEW = 'event: review\n';
const ASSISTANTS = 'event: assistants\n';

/** What some blocks of the stream say: volumes, marks, decisions, requests to pages, and whether there is other news. */
export function parseSigns(blocks: readonly string[]): EventSign[] {
  const signs: EventSign[] = [];
  let isNews = false;
  for (const block of blocks) {
    // Volumes, marks, decisions and requests change nothing in the list of files. A block with only a comment is a heartbeat.
    if (block.startsWith(VOLUME)) signs.push(...parseVolume(block.slice(VOLUME.length)));
    else if (block.startsWith(MARKS)) signs.push('marks');
    else if (block.startsWith(REVIEW)) signs.push('review');
    else if (block.startsWith(ASSISTANTS)) signs.push('assistants');
    else if (block.startsWith('event: view')) signs.push('view');
    else isNews ||= block.startsWith('event:');
  }
  if (isNews) signs.push('news');
  else if (signs.length === 0 && blocks.length > 0) signs.push('alive');
  return signs;
}

function parseVolume(json: string): VolumeEvent[] {
  const data: unknown = JSON.parse(json);
  return isVolumeEvent(data) ? [data] : [];
}

export function isVolumeEvent(data: unknown): data is VolumeEvent {
  if (typeof data !== 'object' || data === null) return false;
  const fields = ['file_index', 'time', 'places', 'places_loaded'];
  const isCounted = fields.every((field) => field in data && typeof Reflect.get(data, field) === 'number');
  return isCounted && 'storage' in data && typeof data.storage === 'string';
}
