/**
 * The browser asks before it closes or reloads the tab while there is work that only this page has. Returns a function
 * that ends this.
 */
export function holdTab(hasUnsaved: () => boolean): () => void {
  const hold = (event: BeforeUnloadEvent) => {
    if (hasUnsaved()) event.preventDefault();
  };
  addEventListener('beforeunload', hold);
  return () => removeEventListener('beforeunload', hold);
}
