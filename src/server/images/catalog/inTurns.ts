/**
 * Queues items as they arrive, and handles one per turn of the event loop, in order of arrival. Otherwise messages from
 * several threads that arrive together would be handled without a pause.
 */
export function createInTurns<T>(handle: (thing: T) => void): (thing: T) => void {
  const waiting: T[] = [];
  const next = (): void => {
    const thing = waiting.shift();
    if (thing === undefined) return;
    if (waiting.length > 0) setImmediate(next);
    handle(thing);
  };
  return (thing) => {
    waiting.push(thing);
    if (waiting.length === 1) setImmediate(next);
  };
}
