/** A store, as far as its changes are concerned. */
export type Watched = { readonly subscribe: (listener: () => void) => () => void };

/**
 * Draws once, and then at most once per animation frame after each change; at once when `atOnce` changes. That is for
 * what must never be seen one animation frame after the picture that it is about.
 */
export function followStores(stores: readonly Watched[], draw: () => void, atOnce?: Watched): () => void {
  let request: number | undefined;
  const drawNow = () => {
    request = undefined;
    draw();
  };
  const schedule = () => {
    request ??= requestAnimationFrame(drawNow);
  };
  const stops = stores.map((store) => store.subscribe(schedule));
  if (atOnce !== undefined) stops.push(atOnce.subscribe(draw));
  draw();
  return () => {
    for (const stop of stops) stop();
    if (request !== undefined) cancelAnimationFrame(request);
  };
}
