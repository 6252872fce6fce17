import { send } from './send.ts';

/** `news`: something has changed. `alive`: nothing has changed, and the connection is up. */
export type EventSign = 'news' | 'alive';

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
    // A block with only a comment is a heartbeat.
    if (blocks.length > 0) onSign(blocks.some(isNews) ? 'news' : 'alive');
  }
}

/** The loading of a volume changes nothing that the page would ask for. */
export function isNews(block: string): boolean {
  return block.startsWith('event:') && !block.startsWith('event: volume\n');
}
