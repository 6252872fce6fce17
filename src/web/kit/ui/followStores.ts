/** A store that can be subscribed to. */
export type Watched = { readonly subscribe: (listener: () => void) => () => void };

/**
 * Draws once, and then at most once per animation frame after each change. A change of `atOnce` is drawn immediately,
 * for content that must never appear one animation frame after the picture that it describes.
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
