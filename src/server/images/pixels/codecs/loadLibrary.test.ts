import { expect, test } from 'vitest';
import { DecodeError } from './codec.ts';
import { createWasmLibrary, loadEmscripten } from './loadLibrary.ts';
import { webAssembly } from './webAssembly.ts';

test('a library is loaded once, when it is first used', async () => {
  const { library, loads } = countLoads();
  expect(loads()).toBe(0);

  expect(await Promise.all([library.use(() => 1), library.use(() => 2)])).toEqual([1, 2]);
  expect(loads()).toBe(1);
});

test('after a trap in a used instance, the stream is decoded again in a new one', async () => {
  const { library, loads } = countLoads();
  await library.use(() => 'good');

  // The first instance was damaged by an earlier frame.
  const answer = await library.use(({ library: instance }) => {
    if (instance === 1) throw new DecodeError('memory access out of bounds', { cause: new webAssembly.RuntimeError() });
    return 'good again';
  });

  expect(answer).toBe('good again');
  expect(loads()).toBe(2);
});

test('a trap in a new instance is blamed on the stream', async () => {
  const { library, loads } = countLoads();
  await expect(library.use(trap)).rejects.toThrow('unreachable');
  expect(loads()).toBe(1);
  await expect(library.use(() => 'good')).resolves.toBe('good');
  expect(loads()).toBe(2);
});

test('a stream that the library refuses is not retried, and the next one gets a new instance', async () => {
  const { library, loads } = countLoads();
  await library.use(() => 'good');

  await expect(library.use(refuse)).rejects.toThrow('bad stream');
  expect(loads()).toBe(1);
  expect(await library.use(({ library: instance }) => instance)).toBe(2);
});

test.each(['openjpegwasm_decode', 'openjphjs', 'charlswasm_decode'])('%s begins with 4 MiB of memory', async (name) => {
  const { library } = await loadEmscripten<{ HEAPU8: Uint8Array }>(`${name}.cjs`, `${name}.wasm`);
  expect(library.HEAPU8.length).toBe(4 * 2 ** 20);
});

function trap(): never {
  throw new webAssembly.RuntimeError('unreachable');
}

function refuse(): never {
  throw new DecodeError('bad stream');
}

/** A library whose instances are numbered from 1. */
function countLoads() {
  let loads = 0;
  const library = createWasmLibrary(async () => ({ library: ++loads, messages: { take: () => '' } }));
  return { library, loads: () => loads };
}
