import { send } from './send.ts';

/** Something has changed, or nothing has and the connection stands. */
export type EventSign = 'news' | 'alive';

/**
 * Reads the server's events until they end or the signal does. With `fetch` and not with an EventSource, which cannot
 * send the token.
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
    // A comment is a sign of life.
    if (blocks.length > 0) onSign(blocks.some((block) => block.startsWith('event:')) ? 'news' : 'alive');
  }
}
