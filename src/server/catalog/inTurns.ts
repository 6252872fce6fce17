/**
 * Takes things whenever they come, and handles one in each turn of the event loop, in the order in which they came.
 * Messages of several threads that arrive together would otherwise be handled without a pause.
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
