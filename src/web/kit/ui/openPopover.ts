/**
 * Opens a popover, and returns whether it is open. `showPopover` throws if the element is open already or has left the
 * page, or if another popover that it closes opens or removes it meanwhile: a menu that is gone needs no complaint.
 */
export function openPopover(element: HTMLElement): boolean {
  try {
    element.showPopover();
  } catch {
    // The answer says it.
  }
  return element.matches(':popover-open');
}
