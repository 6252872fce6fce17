/** Sends all events of a pointer to an element until its release. */
export function capturePointer(surface: HTMLElement, pointerId: number): void {
  try {
    surface.setPointerCapture(pointerId);
  } catch {
    // A press that was sent again may be over by now, and that of the keyboard has no pointer: neither can be captured.
    // Their events are sent to the surface anyway.
  }
}
