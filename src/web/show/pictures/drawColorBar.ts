/** Draws a table of colors along a canvas of some hundred pixels. On an upright canvas the highest value is at the top. */
export function drawColorBar(canvas: HTMLCanvasElement, colors: Uint32Array, { isInverted = false } = {}): void {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) return;
  const isUpright = canvas.height > canvas.width;
  const data = new ImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(data.data.buffer);
  const perPixel = (colors.length - 1) / Math.max(1, pixels.length - 1);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = colors[Math.round(at * perPixel)] ?? 0;
  if (isUpright !== isInverted) pixels.reverse();
  context.putImageData(data, 0, 0);
}
