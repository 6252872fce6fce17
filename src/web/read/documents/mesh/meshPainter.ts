import { rotationOf, type MeshTurn } from './turnMesh.ts';

export type MeshPainter = { paint(turn: MeshTurn): void; end(): void };

const VERTEX = `
attribute vec3 place;
attribute vec3 normal;
uniform mat3 rotation;
uniform vec2 scale;
varying float light;
void main() {
  vec3 seen = rotation * place;
  light = 0.25 + 0.75 * abs((rotation * normal).z * 0.8 + (rotation * normal).y * 0.3);
  gl_Position = vec4(seen.xy * scale, -seen.z * 0.5, 1.0);
}`;
const FRAGMENT = `
precision mediump float;
varying float light;
void main() { gl_FragColor = vec4(vec3(0.86, 0.83, 0.74) * light, 1.0); }`;

/** Draws corners of `placeCorners` with WebGL, or without it on the processor. */
export function createMeshPainter(canvas: HTMLCanvasElement, corners: Float32Array<ArrayBuffer>): MeshPainter {
  const gl = canvas.getContext('webgl', { antialias: true });
  return (gl && createGpuPainter(gl, corners)) ?? createFlatPainter(canvas, corners);
}

function createGpuPainter(gl: WebGLRenderingContext, corners: Float32Array<ArrayBuffer>): MeshPainter | undefined {
  const program = gl.createProgram();
  for (const [type, text] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) return undefined;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true) return undefined;
  gl.useProgram(program);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
  for (const [name, offset] of [
    ['place', 0],
    ['normal', 12],
  ] as const) {
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 24, offset);
  }
  gl.enable(gl.DEPTH_TEST);
  const rotationAt = gl.getUniformLocation(program, 'rotation');
  const scaleAt = gl.getUniformLocation(program, 'scale');
  return {
    paint(turn) {
      const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
      const [a, b, c, d, e, f, g, h, i] = rotationOf(turn);
      const size = 0.95 * turn.zoom * Math.min(width, height);
      gl.viewport(0, 0, width, height);
      gl.clearColor(0.08, 0.09, 0.11, 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      // Column after column.
      gl.uniformMatrix3fv(rotationAt, false, [a!, d!, g!, b!, e!, h!, c!, f!, i!]);
      gl.uniform2f(scaleAt, size / width, size / height);
      gl.drawArrays(gl.TRIANGLES, 0, corners.length / 6);
    },
    end: () => gl.getExtension('WEBGL_lose_context')?.loseContext(),
  };
}

/** Triangles that are drawn on the processor; of a larger mesh, each n-th one. */
const MOST_FLAT = 20_000;

function createFlatPainter(canvas: HTMLCanvasElement, corners: Float32Array): MeshPainter {
  const context = canvas.getContext('2d');
  const count = corners.length / 18;
  const step = Math.max(1, Math.ceil(count / MOST_FLAT));
  return {
    paint(turn) {
      if (context === null) return;
      const { width, height } = canvas;
      const rotation = rotationOf(turn);
      const size = (0.95 * turn.zoom * Math.min(width, height)) / 2;
      const along = (axis: number, at: number) =>
        rotation[axis * 3]! * corners[at]! +
        rotation[axis * 3 + 1]! * corners[at + 1]! +
        rotation[axis * 3 + 2]! * corners[at + 2]!;
      context.fillStyle = '#15181c';
      context.fillRect(0, 0, width, height);
      const triangles: { readonly at: number; readonly depth: number }[] = [];
      for (let at = 0; at < corners.length; at += 18 * step) {
        triangles.push({ at, depth: along(2, at) + along(2, at + 6) + along(2, at + 12) });
      }
      for (const { at } of triangles.toSorted((a, b) => a.depth - b.depth)) {
        const light = 0.25 + 0.75 * Math.abs(along(2, at + 3) * 0.8 + along(1, at + 3) * 0.3);
        context.fillStyle = `rgb(${219 * light} ${212 * light} ${189 * light})`;
        context.beginPath();
        for (const corner of [at, at + 6, at + 12]) {
          context.lineTo(width / 2 + along(0, corner) * size, height / 2 - along(1, corner) * size);
        }
        context.fill();
      }
    },
    end: () => undefined,
  };
}
