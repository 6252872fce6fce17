/**
 * Opens a popover, and returns whether it is open. `showPopover` throws if the element has left the page, or if another
 * popover that it closes opens or removes it meanwhile: a menu that was asked for and is gone needs no complaint.
 */
export function openPopover(element: HTMLElement): boolean {
  try {
    if (!element.matches(':popover-open')) element.showPopover();
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
  return element.matches(':popover-open');
}
