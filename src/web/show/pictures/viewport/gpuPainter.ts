import { createByteCache } from '../../../../shared/byteCache.ts';
import { isSmallSamples, toTableIndices } from '../../../../shared/sampleArray.ts';
import type { GpuPainter, StoredSamples } from './gpuPath.ts';

/** One triangle that covers the whole viewport. */
const VERTEX_SHADER = `#version 300 es
void main() {
  gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}`;

/** Integers up to the last line, so that nothing is rounded; n / 255 becomes the byte n again. */
const FRAGMENT_SHADER = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D storedSamples;
uniform usampler2D levels;
uniform usampler2D colors;
out vec4 color;
void main() {
  int lastRow = textureSize(storedSamples, 0).y - 1;
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  uint stored = texelFetch(storedSamples, ivec2(pixel.x, lastRow - pixel.y), 0).r;
  uint level = texelFetch(levels, ivec2(stored & 255u, stored >> 8u), 0).r;
  color = vec4(vec3(texelFetch(colors, ivec2(level, 0), 0).rgb) / 255.0, 1.0);
}`;

/** Enough for a stack of 200 slices, or four mammograms side by side. */
const TEXTURE_BYTES = 2 ** 27;
/** Side of the table texture; the entries are in row order. */
const TABLE_SIDE = 256;

/** Undefined where the shaders are refused, or where a test picture differs from the table. */
export function createGpuPainter(canvas: HTMLCanvasElement, gl: WebGL2RenderingContext): GpuPainter | undefined {
  if (!useShaders(gl)) return undefined;
  const largestSide: unknown = gl.getParameter(gl.MAX_TEXTURE_SIZE);
  const textures = createByteCache<WebGLTexture>(TEXTURE_BYTES, (texture) => gl.deleteTexture(texture));
  const names = new WeakMap<StoredSamples, string>();
  let named = 0;
  let applied: Uint8Array | undefined;
  let appliedColors: Uint32Array | undefined;
  // Rows with an odd number of bytes follow each other without padding.
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.disable(gl.DITHER);
  gl.activeTexture(gl.TEXTURE1);
  createTexture(gl, gl.R8UI, { columns: TABLE_SIDE, rows: TABLE_SIDE });
  gl.activeTexture(gl.TEXTURE2);
  createTexture(gl, gl.RGBA8UI, { columns: TABLE_SIDE, rows: 1 });

  const applyTable = (table: Uint8Array) => {
    if (table === applied) return;
    gl.activeTexture(gl.TEXTURE1);
    const rows = table.length / TABLE_SIDE;
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TABLE_SIDE, rows, gl.RED_INTEGER, gl.UNSIGNED_BYTE, table);
    applied = table;
  };

  const applyColors = (colors: Uint32Array) => {
    if (colors === appliedColors) return;
    gl.activeTexture(gl.TEXTURE2);
    const bytes = new Uint8Array(colors.buffer, colors.byteOffset, colors.byteLength);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TABLE_SIDE, 1, gl.RGBA_INTEGER, gl.UNSIGNED_BYTE, bytes);
    appliedColors = colors;
  };

  const bindSamples = (frame: StoredSamples, indices: Uint8Array | Uint16Array): boolean => {
    const name = names.get(frame) ?? String(++named);
    names.set(frame, name);
    gl.activeTexture(gl.TEXTURE0);
    const known = textures.get(name);
    if (known !== undefined) {
      gl.bindTexture(gl.TEXTURE_2D, known);
      return true;
    }
    const { columns, rows } = frame;
    const isWide = indices instanceof Uint16Array;
    const texture = createTexture(gl, isWide ? gl.R16UI : gl.R8UI, frame);
    const type = isWide ? gl.UNSIGNED_SHORT : gl.UNSIGNED_BYTE;
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, columns, rows, gl.RED_INTEGER, type, indices);
    // Full memory of the card raises no exception.
    if (gl.getError() !== gl.NO_ERROR) {
      gl.deleteTexture(texture);
      return false;
    }
    textures.set(name, texture, indices.byteLength);
    return true;
  };

  const painter: GpuPainter = {
    paint(frame, table, colors) {
      const { columns, rows, samples } = frame;
      const isFitting = Math.max(columns, rows) <= Number(largestSide) && samples.length === columns * rows;
      if (!isFitting || !isSmallSamples(samples) || gl.isContextLost()) return undefined;
      if (canvas.width !== columns) canvas.width = columns;
      if (canvas.height !== rows) canvas.height = rows;
      // A browser may provide a smaller buffer than requested.
      if (gl.drawingBufferWidth !== columns || gl.drawingBufferHeight !== rows) return undefined;
      applyTable(table);
      applyColors(colors);
      if (!bindSamples(frame, toTableIndices(samples))) return undefined;
      gl.viewport(0, 0, columns, rows);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
      return gl.isContextLost() ? undefined : canvas;
    },
  };
  return isExact(painter) ? painter : undefined;
}

function useShaders(gl: WebGL2RenderingContext): boolean {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX_SHADER],
    [gl.FRAGMENT_SHADER, FRAGMENT_SHADER],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) return false;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true) return false;
  gl.useProgram(program);
  gl.uniform1i(gl.getUniformLocation(program, 'storedSamples'), 0);
  gl.uniform1i(gl.getUniformLocation(program, 'levels'), 1);
  gl.uniform1i(gl.getUniformLocation(program, 'colors'), 2);
  return true;
}

/** An integer texture without mipmaps, bound to the active unit. */
function createTexture(
  gl: WebGL2RenderingContext,
  format: GLenum,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): WebGLTexture {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, columns, rows);
  // Integers cannot be interpolated: a texture with another filter is incomplete and reads as black.
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  return texture;
}

/**
 * Tests every possible sample with a table in which neighbors differ, through the same steps as pictures on the screen.
 */
function isExact(painter: GpuPainter): boolean {
  const samples = Uint16Array.from({ length: TABLE_SIDE ** 2 }, (_, i) => i);
  const table = Uint8Array.from(samples, (stored) => stored * 37 + (stored >> 8) * 11);
  const surface = document.createElement('canvas');
  surface.width = TABLE_SIDE;
  surface.height = TABLE_SIDE;
  const context = surface.getContext('2d', { alpha: false });
  const picture = painter.paint({ rows: TABLE_SIDE, columns: TABLE_SIDE, samples }, table, TEST_COLORS);
  if (context === null || picture === undefined) return false;
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, TABLE_SIDE, TABLE_SIDE);
  const pixels = new Uint32Array(data.buffer);
  return table.every((level, i) => pixels[i] === TEST_COLORS[level]);
}

/** Each channel takes every value, and no two colors are equal. */
const TEST_COLORS = Uint32Array.from(
  { length: TABLE_SIDE },
  (_, level) => 0xff000000 + ((level * 7) % 256) * 0x10000 + ((level * 5 + 3) % 256) * 0x100 + (255 - level),
);
