/** Where a pointer is, in CSS pixels from the top left corner of an element. */
export type PointerPlace = { readonly x: number; readonly y: number };

/**
 * Finds the place of events on an element until the signal aborts. The corner of the element is measured only when it may
 * have moved, because measuring it between two draws makes the browser lay out the page each time.
 */
export function followPointerPlace(element: HTMLElement, signal: AbortSignal): (event: MouseEvent) => PointerPlace {
  let corner: PointerPlace | undefined;
  const forget = () => {
    corner = undefined;
  };
  const sizes = new ResizeObserver(forget);
  sizes.observe(element);
  signal.addEventListener('abort', () => sizes.disconnect());
  window.addEventListener('resize', forget, { signal });
  element.addEventListener('pointerenter', forget, { signal });
  element.addEventListener('pointerdown', forget, { signal, capture: true });
  return ({ clientX, clientY }) => {
    corner ??= cornerOf(element);
    return { x: clientX - corner.x, y: clientY - corner.y };
  };
}

function cornerOf(element: HTMLElement): PointerPlace {
  const { left, top } = element.getBoundingClientRect();
  return { x: left, y: top };
}
