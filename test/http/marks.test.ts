import { expect, test } from 'vitest';
import type { MarksResponse, WireMark } from '../../src/shared/contract/marks.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { writeImage } from '../support/writeImage.ts';

const image = (frames = 1) => writeImage({ rows: 16, columns: 16, frames });

/** On the first frame of the first file. */
const LINE = {
  kind: 'length',
  place: { type: 'frame', file_index: 0, frame_index: 0 },
  points: [
    [1, 2],
    [4.5, 6],
  ],
};

async function send(server: TestServer, method: string, path: string, body?: object, ifMatch?: string) {
  const response = await server.request(`/api${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, etag: response.headers.get('etag') ?? '', body: await response.json() };
}

async function list(server: TestServer, query = ''): Promise<MarksResponse> {
  return (await send(server, 'GET', `/marks${query}`)).body;
}

test('a mark is made, changed, found by its words and deleted, and each answer has its ETag', async () => {
  const server = await serve(image());
  const classes = [{ key: 'nodule', title: 'Nodule', color: '#ff8001', digit: 1 }];
  await send(server, 'PUT', '/labels', { classes });

  const made = await send(server, 'POST', '/marks', { ...LINE, author: 'reader 1' });
  const path = `/mark/${made.body.id}`;
  const changed = await send(server, 'PATCH', path, { class: 'nodule', label: 'Left lobe' }, made.etag);

  // #ff8001 is 255, 128, 1.
  expect(changed).toMatchObject({ status: 200, body: { ...LINE, class: 'nodule', color: [255, 128, 1], slices: [] } });
  expect(changed.etag).not.toBe(made.etag);
  expect(changed.body.etag).toBe(changed.etag);
  for (const query of ['?class=nodule', '?text=LOBE', '?author=reader%201', '?unlabelled=false', '?file=0&kind=length'])
    expect({ query, marks: (await list(server, query)).marks }).toMatchObject({ marks: [{ id: made.body.id }] });
  for (const query of ['?class=other', '?text=right', '?author=x', '?unlabelled=true', '?kind=box,angle'])
    expect({ query, marks: (await list(server, query)).marks }).toMatchObject({ marks: [] });

  const { revision } = await list(server);
  expect((await send(server, 'DELETE', path, undefined, changed.etag)).status).toBe(200);
  expect(await list(server, `?since=${revision}`)).toMatchObject({ marks: [], deleted: [made.body.id], whole: false });
  expect(await send(server, 'GET', path)).toMatchObject({ status: 404, body: { code: 'mark_not_found' } });
});

test('a change with an old ETag is refused, and a locked mark changes only when it is unlocked', async () => {
  const server = await serve(image());
  const made = await send(server, 'POST', '/marks', LINE);
  const path = `/mark/${made.body.id}`;
  const locked = await send(server, 'PATCH', path, { locked: true }, made.etag);

  for (const [method, body] of [['PUT', LINE], ['PATCH', { label: 'x' }], ['DELETE']] as const) {
    expect(await send(server, method, path, body, made.etag)).toMatchObject({
      status: 412,
      body: { code: 'stale_mark' },
    });
    expect(await send(server, method, path, body, locked.etag)).toMatchObject({
      status: 409,
      body: { code: 'mark_locked' },
    });
  }
  expect(await send(server, 'PATCH', path, { locked: false }, locked.etag)).toMatchObject({ status: 200 });
  expect(
    await send(server, 'PUT', path, {
      ...LINE,
      points: [
        [0, 0],
        [1, 1],
      ],
    }),
  ).toMatchObject({ status: 200 });
});

test('a repeated POST makes one mark, and a deleted mark can be made again with its id and uid', async () => {
  const server = await serve(image());
  const body = { ...LINE, uid: '2.25.42' };
  const [first, second] = [await send(server, 'POST', '/marks', body), await send(server, 'POST', '/marks', body)];

  expect(second.body).toEqual(first.body);
  expect(await send(server, 'POST', '/marks', { ...body, label: 'other' })).toMatchObject({
    status: 409,
    body: { code: 'mark_exists' },
  });
  await send(server, 'DELETE', `/mark/${first.body.id}`);
  const again = await send(server, 'POST', '/marks', body);
  expect(again.body).toMatchObject({ id: first.body.id, uid: '2.25.42' });
  expect(again.etag).not.toBe(first.etag);
});

test('many marks change together, or none of them', async () => {
  const server = await serve(image());
  const made = [await send(server, 'POST', '/marks', LINE), await send(server, 'POST', '/marks', LINE)];
  const marks = made.map(({ body }) => ({ id: body.id, etag: body.etag }));

  const stale = [marks[0]!, { ...marks[1]!, etag: '"old"' }];
  expect(await send(server, 'PATCH', '/marks', { marks: stale, change: { label: 'x' } })).toMatchObject({
    status: 412,
  });
  expect((await list(server)).marks).toMatchObject([{ label: '' }, { label: '' }]);
  expect(await send(server, 'PATCH', '/marks', { marks, change: { label: 'x' } })).toMatchObject({ status: 200 });
  expect((await list(server)).marks).toMatchObject([{ label: 'x' }, { label: 'x' }]);
});

test('many marks are deleted together, or none of them', async () => {
  const server = await serve(image());
  const made = [
    await send(server, 'POST', '/marks', LINE),
    await send(server, 'POST', '/marks', LINE),
    await send(server, 'POST', '/marks', { ...LINE, locked: true }),
  ];
  const [first, second, locked] = made.map(({ body }) => ({ id: body.id, etag: body.etag }));
  const { revision } = await list(server);

  for (const [marks, status] of [
    [[first, { ...second, etag: '"old"' }], 412],
    [[first, { id: 99 }], 404],
    [[first, locked], 409],
    [[], 422],
  ] as const) {
    expect(await send(server, 'DELETE', '/marks', { marks })).toMatchObject({ status });
  }
  expect((await list(server)).marks).toHaveLength(3);

  // A mark that is named twice is deleted once, and one without an ETag whatever it is now.
  const deleted = await send(server, 'DELETE', '/marks', { marks: [first, first, { id: second!.id }] });
  expect(deleted).toMatchObject({ status: 200, body: { deleted: [first!.id, second!.id], revision: revision + 2 } });
  const changes = await list(server, `?since=${revision}`);
  expect(changes).toMatchObject({ whole: false, marks: [], deleted: [first!.id, second!.id] });
});

test('ROIs of the specification are listed as marks of their own kind', async () => {
  const server = await serve(image());
  const rois = { num_roi: 1, roi_coords: [[1, 2, 3, 4]], roi_frames: [] };
  await send(server, 'PUT', '/file/0/annotations', rois);
  await send(server, 'POST', '/marks', LINE);

  const { marks } = await list(server);
  expect(marks).toMatchObject([
    { kind: 'length' },
    { kind: 'roi', file_index: 0, roi: 0, box: [1, 2, 3, 4], frame_indices: [] },
  ]);
  expect((await list(server, '?kind=roi')).marks).toHaveLength(1);
});

const FRAME = { type: 'frame', file_index: 0, frame_index: 0 };
const STACK = { type: 'stack', from: { file_index: 0, frame_index: 0 }, to: { file_index: 0, frame_index: 0 } };
const slice = (different: object) => ({ file_index: 0, frame_index: 0, points: [], ...different });
const mask = (different: object) => ({ left: 0, top: 0, width: 2, height: 2, runs: [1, 3], ...different });

test('a body that breaks a rule is refused with the reason, and nothing changes', async () => {
  const server = await serve(image());
  const cases: [body: object, status: number, code: string, part: string][] = [
    [{ ...LINE, kind: 'circle' }, 422, 'invalid_json', '/kind'],
    [{ ...LINE, color: '#fff' }, 422, 'invalid_json', '/color: there is no such field'],
    [{ ...LINE, points: [[1]] }, 422, 'invalid_json', '/points/0'],
    [{ ...LINE, points: [[1, 2]] }, 400, 'invalid_mark', 'has 2 points, not 1'],
    [
      {
        ...LINE,
        points: [
          [1, 2],
          [17, 3],
        ],
      },
      400,
      'invalid_mark',
      'point 1 at 17, 3 is outside',
    ],
    [
      {
        ...LINE,
        points: [
          [1, -0.5],
          [2, 3],
        ],
      },
      400,
      'invalid_mark',
      'point 0 at 1, -0.5 is outside',
    ],
    [{ ...LINE, place: { ...FRAME, frame_index: 1 } }, 400, 'invalid_mark', 'frame 1 of file 0 is outside 0 to 0'],
    [{ ...LINE, place: { ...FRAME, file_index: 1 } }, 404, 'not_found', ''],
    [
      {
        ...LINE,
        kind: 'box',
        points: [
          [1, 1],
          [1, 3],
        ],
      },
      400,
      'invalid_mark',
      'must differ',
    ],
    [{ ...LINE, kind: 'polygon' }, 400, 'invalid_mark', 'at least 3 points, not 2'],
    [{ ...LINE, text: 'here' }, 400, 'invalid_mark', 'text'],
    [{ ...LINE, slices: [slice({})] }, 400, 'invalid_mark', 'only a mark through a stack'],
    [{ ...LINE, place: STACK, points: [] }, 400, 'invalid_mark', 'not on a stack'],
    [{ kind: 'brush', place: STACK, points: [] }, 400, 'invalid_mark', 'at least one'],
    [{ kind: 'brush', place: STACK, points: [], slices: [slice({})] }, 400, 'invalid_mark', 'mask is missing'],
    [
      { kind: 'brush', place: STACK, points: [], slices: [slice({ mask: mask({ runs: [1, 2] }) })] },
      400,
      'invalid_mark',
      'add up to 3, not to 2 × 2 = 4',
    ],
    [
      { kind: 'brush', place: STACK, points: [], slices: [slice({ mask: mask({ runs: [1, 0, 3] }) })] },
      400,
      'invalid_mark',
      'run 1 of the mask is 0',
    ],
    [
      { kind: 'brush', place: STACK, points: [], slices: [slice({ mask: mask({ left: 15 }) })] },
      400,
      'invalid_mark',
      'reaches beyond',
    ],
    [
      { kind: 'brush', place: STACK, points: [], slices: [slice({ mask: mask({}) }), slice({ mask: mask({}) })] },
      400,
      'invalid_mark',
      'given twice',
    ],
  ];
  for (const [body, status, code, part] of cases) {
    const refused = await send(server, 'POST', '/marks', body);
    expect({ sent: body, ...refused }).toMatchObject({
      status,
      body: { code, error: expect.stringContaining(part) },
    });
  }
  expect((await list(server)).marks).toEqual([]);
});

test('slices and masks come back as they were sent, and PATCH replaces only the frames that it names', async () => {
  const server = await serve(image(3));
  const place = { ...STACK, to: { file_index: 0, frame_index: 2 } };
  const slices = [slice({ mask: mask({}) }), slice({ frame_index: 2, mask: mask({ runs: [0, 4] }) })];
  const made: WireMark = (await send(server, 'POST', '/marks', { kind: 'brush', place, points: [], slices })).body;
  expect(made.slices).toEqual(slices);

  const changes = [slice({ frame_index: 1, mask: mask({ runs: [3, 1] }) }), slice({ frame_index: 2 })];
  const changed: WireMark = (await send(server, 'PATCH', `/mark/${made.id}`, { slices: changes })).body;
  expect(changed.slices).toEqual([slices[0], changes[0]]);
});

test('classes with the same key or digit are refused', async () => {
  const server = await serve(image());
  const one = { key: 'a', title: 'A', color: '#000000', digit: 1 };
  for (const other of [one, { ...one, key: 'b' }, { ...one, digit: 2 }]) {
    expect(await send(server, 'PUT', '/labels', { classes: [one, other] })).toMatchObject({
      status: 400,
      body: { code: 'invalid_labels' },
    });
  }
  expect((await send(server, 'GET', '/labels')).body).toEqual({ classes: [] });
});

test('large marks without slices are made one after another', async () => {
  const server = await serve(image());
  // More than 32 KiB, so that it is parsed by another thread, and more of them than there are threads.
  const points = Array.from({ length: 3_000 }, (_, n) => [8 + 7 * Math.cos(n / 500), 8 + 7 * Math.sin(n / 500)]);
  for (let n = 0; n < 6; n += 1) {
    expect(await send(server, 'POST', '/marks', { ...LINE, kind: 'polygon', points, slices: [] })).toMatchObject({
      status: 200,
      body: { points },
    });
  }
});
