/** The part of A4 and of Letter, lying, that is left inside margins of 10 mm, in CSS pixels. */
const PAPER = { width: 980, height: 710 };

/**
 * Prints the images as they are on the screen, scaled to the paper: at another size, what is drawn and written over them would
 * have to be laid out again while the browser prints. Returns a function that stops this.
 */
export function followPrinting(): () => void {
  const ending = new AbortController();
  addEventListener('beforeprint', measurePrint, { signal: ending.signal });
  return () => ending.abort();
}

function measurePrint(): void {
  const { width = PAPER.width, height = PAPER.height } = document.querySelector('main')?.getBoundingClientRect() ?? {};
  const { style } = document.documentElement;
  style.setProperty('--print-width', `${width}px`);
  style.setProperty('--print-height', `${height}px`);
  style.setProperty('--print-scale', String(Math.min(PAPER.width / width, PAPER.height / height)));
}
