import { createGpuPainter } from './gpuPainter.ts';
import type { GpuPath } from './gpuPath.ts';
import { isHardwareRenderer } from './hardwareRenderer.ts';

/** Looks for a graphics card as soon as the page is idle. Returns a function that stops it. */
export function startGpuPath(path: GpuPath): () => void {
  const ending = new AbortController();
  whenIdle(() => {
    if (!ending.signal.aborted) openGpu(path, ending.signal);
  });
  return () => {
    ending.abort();
    path.setState({ painter: undefined });
  };
}

function openGpu(path: GpuPath, signal: AbortSignal): void {
  const canvas = document.createElement('canvas');
  const gl = canvas.getContext('webgl2', {
    alpha: false,
    antialias: false,
    depth: false,
    stencil: false,
    failIfMajorPerformanceCaveat: true,
  });
  if (gl === null) return;
  const painter = isHardwareRenderer(readRendererName(gl)) ? createGpuPainter(canvas, gl) : undefined;
  const release = () => gl.getExtension('WEBGL_lose_context')?.loseContext();
  if (painter === undefined) {
    release();
    return;
  }
  // A card that was lost once is not used again: the processor draws the same picture.
  canvas.addEventListener('webglcontextlost', () => path.setState({ painter: undefined }));
  signal.addEventListener('abort', release);
  path.setState({ painter });
}

/** Empty where the browser does not reveal it. */
function readRendererName(gl: WebGL2RenderingContext): string {
  const extension = gl.getExtension('WEBGL_debug_renderer_info');
  return extension === null ? '' : String(gl.getParameter(extension.UNMASKED_RENDERER_WEBGL));
}

/** Safari has no requestIdleCallback. */
function whenIdle(callback: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(callback);
  else setTimeout(callback, 200);
}
