import { expect, test } from 'vitest';
import { encodeMasks, type SourceMasks } from '../../../shared/maskLayers.ts';
import type { fetchPacket } from '../../kit/api/layers.ts';
import { createLayerLoader, type LayerWish } from './layerLoader.ts';
import { LAYER_PAINTERS } from './layerPainters.ts';

const EMPTY: SourceMasks = { rows: 1, columns: 1, layers: [], damaged: [] };

/** A server that answers when the test says so. */
function createFakeServer() {
  const waiting: ((error?: Error) => void)[] = [];
  const asked: string[] = [];
  const fetch: typeof fetchPacket = ({ layer }, target, { isPrefetch }) => {
    asked.push(`${layer}/${'frame' in target ? target.frame : 'elsewhere'}${isPrefetch === true ? ' ahead' : ''}`);
    return new Promise((resolve, reject) => {
      waiting.push((error) => (error === undefined ? resolve(encodeMasks(EMPTY).buffer) : reject(error)));
    });
  };
  return {
    fetch,
    asked,
    async answerAll(error?: Error) {
      for (const answer of waiting.splice(0)) answer(error);
      await new Promise((resume) => setTimeout(resume));
    },
  };
}

function wish(frame: number, layer = 1): LayerWish {
  return { layer, kind: 'mask', target: { fileIndex: 0, frame } };
}

function createLoader() {
  const server = createFakeServer();
  return {
    server,
    loader: createLayerLoader({
      painters: LAYER_PAINTERS,
      fetch: server.fetch,
      budgetBytes: 1_000_000,
    }),
  };
}

test('a mask that is shown is requested once, however often it is wanted', async () => {
  const { server, loader } = createLoader();
  for (let i = 0; i < 3; i++) loader.want(0, { now: [wish(5), wish(5, 2)], soon: [] });
  await server.answerAll();
  loader.want(0, { now: [wish(5), wish(5, 2)], soon: [] });

  expect(server.asked).toEqual(['1/5', '2/5']);
  expect(loader.find(wish(5))).toEqual({ status: 'ready', value: { kind: 'mask', packet: EMPTY, bytes: 0 } });
});

test('when scrolling quickly, only the first few masks are requested, and then the current one', async () => {
  const { server, loader } = createLoader();
  for (let frame = 0; frame < 100; frame++) loader.want(0, { now: [wish(frame)], soon: [] });
  await server.answerAll();

  expect(server.asked).toEqual(['1/0', '1/1', '1/2', '1/99']);
});

test('masks that may be shown next are requested one by one, when no other is wanted', async () => {
  const { server, loader } = createLoader();
  loader.want(0, { now: [wish(5)], soon: [wish(6), wish(4)] });
  expect(server.asked).toEqual(['1/5']);
  await server.answerAll();
  expect(server.asked).toEqual(['1/5', '1/6 ahead']);
  await server.answerAll();

  expect(server.asked).toEqual(['1/5', '1/6 ahead', '1/4 ahead']);
});

test('a failed mask is requested again only on retry', async () => {
  const { server, loader } = createLoader();
  loader.want(0, { now: [wish(5)], soon: [] });
  await server.answerAll(new Error('gone'));
  loader.want(0, { now: [wish(5)], soon: [] });
  expect(server.asked).toEqual(['1/5']);

  loader.retry();

  expect(server.asked).toEqual(['1/5', '1/5']);
});

test('masks that are too large to be kept are not requested repeatedly', async () => {
  const layer = {
    frame: 0,
    segment: 1,
    kind: 'mask',
    maximum: undefined,
    top: 0,
    left: 0,
    rows: 20,
    columns: 20,
  } as const;
  const large = { ...EMPTY, layers: [{ ...layer, samples: new Uint8Array(400) }] };
  const asked: number[] = [];
  const fetch: typeof fetchPacket = async (_, target) => {
    asked.push('frame' in target ? target.frame : NaN);
    return encodeMasks(large).buffer;
  };
  const tight = createLayerLoader({ painters: LAYER_PAINTERS, fetch, budgetBytes: 300 });
  tight.want(0, { now: [wish(5)], soon: [] });
  await expect.poll(() => tight.find(wish(5))?.status).toBe('failed');
  tight.want(0, { now: [wish(5)], soon: [] });

  expect(asked).toEqual([5]);
});
