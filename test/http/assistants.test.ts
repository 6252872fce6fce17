import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { AssistantAnswer, AssistantPrompt, WireAssistant } from '../../src/shared/contract/assistants.ts';
import {
  type AskedQuestion,
  DESCRIPTION,
  type FakeAssistant,
  type FakeOptions,
  sendMask,
  serveFakeAssistant,
} from '../support/fakeAssistant.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { until } from '../support/until.ts';
import { straight, VOLUME_COLUMNS, VOLUME_ROWS, writeSeries } from '../support/volumeFiles.ts';

const SLICES = 3;
/** 3 slices of 4 rows of 5 samples. */
const VOXELS = SLICES * VOLUME_ROWS * VOLUME_COLUMNS;
const POINT: AssistantPrompt = { kind: 'point', is_positive: true, samples: [[1, 0, 2, 3]] };

function json(method: string, body: object, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } };
}

async function ask(
  server: TestServer,
  prompts: readonly AssistantPrompt[] = [POINT],
  { id = 0, signal, ...more }: { id?: number; signal?: AbortSignal; mark?: number } = {},
) {
  const body = { file_index: 0, frame_index: 0, prompts, ...more };
  const response = await server.request(`/api/assistants/${id}/answer`, {
    ...json('POST', body),
    signal: signal ?? null,
  });
  return { status: response.status, body: await response.json() };
}

async function prepare(options: FakeOptions = {}, inputs = writeSeries(1, straight(SLICES))) {
  const assistant = await serveFakeAssistant(options);
  const server = await serveWith({ inputs, assistants: [`${assistant.address}/`] });
  return { assistant, server };
}

async function list(server: TestServer): Promise<readonly WireAssistant[]> {
  return (await (await server.request('/api/assistants')).json()).assistants;
}

const respond =
  (make: (question: AskedQuestion) => Uint8Array): FakeOptions['answer'] =>
  (question, response) =>
    sendMask(response, make(question));

test('an assistant that the user has named is listed with what it takes, and is asked for nothing else', async () => {
  const { assistant, server } = await prepare();
  expect(await list(server)).toEqual([
    {
      id: 0,
      name: 'Lesion',
      prompts: ['point', 'box', 'scribble', 'mask'],
      takes_negative: true,
      dimensions: 3,
      problem: null,
    },
  ]);
  expect(assistant.requests).toEqual(['GET /']);
});

test('it gets the stored samples bit for bit once, and prompts in samples of the volume', async () => {
  const { assistant, server } = await prepare();
  const box: AssistantPrompt = {
    kind: 'box',
    is_positive: false,
    samples: [
      [2, 0, 3, 1],
      [0, 0, 1, 4],
    ],
  };
  const scribble: AssistantPrompt = {
    kind: 'scribble',
    is_positive: true,
    samples: [
      [0, 0, 0, 0],
      [0, 0, 0, 1],
      [1, 0, 1, 1],
    ],
  };
  await ask(server, [POINT, box, scribble]);
  await ask(server);

  expect(assistant.requests.map((one) => one.replace(/[0-9a-f]{32}/, 'KEY'))).toEqual([
    'GET /',
    'POST /answer',
    'PUT /volume/KEY',
    'POST /answer',
    'POST /answer',
  ]);
  const { volume, prompts, mask } = assistant.questions[0]!;
  // Slices are 2 mm apart; the affine leads from column, row and slice to millimetres.
  expect(volume).toEqual({
    key: expect.stringMatching(/^[0-9a-f]{32}$/),
    shape: [SLICES, VOLUME_ROWS, VOLUME_COLUMNS],
    type: '<i2',
    unit: 'stored',
    rescale: { slope: 1, intercept: -1024 },
    affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0],
    spacing: [2, 1, 1],
  });
  expect(prompts).toEqual([
    { kind: 'point', positive: true, at: [1, 2, 3] },
    { kind: 'box', positive: false, from: [0, 1, 1], to: [2, 3, 4] },
    {
      kind: 'scribble',
      positive: true,
      points: [
        [0, 0, 0],
        [0, 0, 1],
        [1, 1, 1],
      ],
    },
  ]);
  expect(mask).toBe(null);
  // The file is that of /volume/array, which the tests of arrays compare with the samples.
  const array = Buffer.from(await (await server.request('/api/file/0/volume/array')).arrayBuffer());
  expect(Buffer.compare([...assistant.volumes.values()][0]!, array)).toBe(0);
});

test('an answer is a mask for each stored frame, also of a part of the volume', async () => {
  const { server } = await prepare({
    // The samples (1, 1, 2) and (2, 1, 2), (2, 1, 3) of a box that begins at (1, 1, 2).
    answer: (_, response) => sendMask(response, Uint8Array.of(1, 0, 1, 1), { from: [1, 1, 2], size: [2, 1, 2] }),
  });
  const { status, body } = await ask(server);
  expect([status, body]).toEqual([
    200,
    {
      voxels: 3,
      slices: [
        { file_index: 1, frame_index: 0, points: [], mask: { left: 2, top: 1, width: 1, height: 1, runs: [0, 1] } },
        { file_index: 2, frame_index: 0, points: [], mask: { left: 2, top: 1, width: 2, height: 1, runs: [0, 2] } },
      ],
    } satisfies AssistantAnswer,
  ]);
});

test('values are sent to an assistant that wants them, and nothing found is an answer', async () => {
  const { assistant, server } = await prepare({ description: { ...DESCRIPTION, unit: 'modality' } });
  expect((await ask(server)).body).toEqual({ voxels: 0, slices: [] });
  const array = Buffer.from(await (await server.request('/api/file/0/volume/array?unit=modality')).arrayBuffer());
  expect(Buffer.compare([...assistant.volumes.values()][0]!, array)).toBe(0);
  expect(assistant.questions.map(({ volume }) => volume.unit)).toEqual(['HU', 'HU']);
});

function longScribble(count: number): AssistantPrompt {
  const samples = Array.from({ length: count }, (_, n) => [n % 3, 0, n % 4, n % 5]);
  return { kind: 'scribble', is_positive: true, samples };
}

test('a question of many samples is read in a thread, and one of too many is refused', async () => {
  const { assistant, server } = await prepare();
  expect((await ask(server, [longScribble(2_000)])).status).toBe(200);
  const points = Array.from({ length: 2_000 }, (_, n) => [n % 3, n % 4, n % 5]);
  expect(assistant.questions.at(-1)?.prompts).toEqual([{ kind: 'scribble', positive: true, points }]);
  const [one, several] = [
    await ask(server, [longScribble(20_001)]),
    await ask(server, [longScribble(15_000), longScribble(5_001)]),
  ];
  expect([one.status, one.body.code]).toEqual([422, 'invalid_json']);
  expect([several.status, several.body.error]).toEqual([400, 'prompts have at most 20000 samples together']);
});

test('a mark can be what the answer begins from', async () => {
  const { assistant, server } = await prepare();
  const mask = { left: 1, top: 2, width: 2, height: 1, runs: [0, 2] };
  const place = { type: 'stack', from: { file_index: 1, frame_index: 0 }, to: { file_index: 1, frame_index: 0 } };
  const slices = [{ file_index: 1, frame_index: 0, points: [], mask }];
  const made = await server.request('/api/marks', json('POST', { kind: 'brush', place, points: [], slices }));
  const { id } = await made.json();
  await ask(server, [POINT], { mark: id });
  expect(assistant.questions[0]!.mask).toEqual([{ slice: 1, top: 2, left: 1, height: 1, width: 2, runs: [0, 2] }]);
});

test('what it does not take is refused with a sentence, before it is asked', async () => {
  const { assistant, server } = await prepare({
    description: { ...DESCRIPTION, prompts: ['point'], negative: false, dimensions: 2 },
  });
  const other: AssistantPrompt = { ...POINT, samples: [[2, 0, 0, 0]] };
  const refused = [
    await ask(server, [{ ...POINT, kind: 'scribble' }]),
    await ask(server, [{ ...POINT, is_positive: false }]),
    await ask(server, [POINT, other]),
    await ask(server, [{ ...POINT, samples: [[1, 0, 4, 0]] }]),
    await ask(server, [{ ...POINT, samples: [[9, 0, 0, 0]] }]),
  ];
  expect(refused.map(({ status, body }) => [status, body.error])).toEqual([
    [400, 'Lesion takes no scribble'],
    [400, 'Lesion takes nothing that is outside'],
    [400, 'Lesion looks at one image, and the prompts are in several'],
    [400, 'a prompt is outside of the volume'],
    [400, 'a prompt is outside of the volume'],
  ]);
  expect(assistant.questions).toEqual([]);
  expect((await ask(server, [POINT], { id: 7 })).body.code).toBe('assistant_not_found');
});

describe('an assistant that fails is a sentence', () => {
  const cases: readonly (readonly [string, FakeOptions['answer'], string])[] = [
    [
      'a wrong shape',
      respond(() => new Uint8Array(7)),
      `Lesion: no mask: its mask has 7 bytes, and ${VOXELS} were expected, one for each sample`,
    ],
    [
      'wrong values',
      respond(() => new Uint8Array(VOXELS).fill(255)),
      'Lesion: no mask: its mask has the value 255; a mask has 0 and 1',
    ],
    [
      'a box beyond the volume',
      (_, response) => sendMask(response, Uint8Array.of(1), { from: [3, 0, 0], size: [1, 1, 1] }),
      'Lesion: no mask: its mask of 1 × 1 × 1 samples is not within the 3 × 4 × 5 of the volume',
    ],
    [
      '4 GB that it announces',
      (_, response) => response.writeHead(200, { 'Content-Length': 4 * 2 ** 30 }).write('x'),
      `Lesion: no mask: its mask has 4294967296 bytes, and ${VOXELS} were expected, one for each sample`,
    ],
    [
      'an answer without an end',
      (_, response) => {
        const more = () => response.writable && response.write(new Uint8Array(65_536), () => setImmediate(more));
        response.writeHead(200);
        more();
      },
      'Lesion: no mask: its mask has more bytes than samples',
    ],
    [
      'a sentence of its own',
      (_, response) => response.writeHead(422).end('{"error":"nothing\\u202e is\\nthere"}'),
      'Lesion: nothing is there',
    ],
    ['no sentence', (_, response) => response.writeHead(500).end('<html>'), 'Lesion: it answered with the status 500'],
    ['an end before the answer', (_, response) => response.destroy(), 'Lesion: no mask: it ended before it answered'],
    [
      'an end within the answer',
      (_, response) => {
        response.writeHead(200, { 'Content-Length': VOXELS });
        response.write(new Uint8Array(3), () => response.destroy());
      },
      'Lesion: no mask: it ended before it answered',
    ],
  ];
  test.each(cases)('%s', async (_, answer, sentence) => {
    const { server } = await prepare({ ...(answer && { answer }) });
    const { status, body } = await ask(server);
    expect([status, body]).toEqual([502, { code: 'assistant_failed', error: sentence }]);
    // The server and its memory are as before.
    expect(server.errors).toEqual([]);
    expect(server.memory.tasks.heldBytes()).toBe(0);
  });

  test('silence, after the time that it says that it needs', async () => {
    const { assistant, server } = await prepare({
      description: { ...DESCRIPTION, seconds: 0.5 },
      answer: () => undefined,
    });
    const { status, body } = await ask(server);
    expect([status, body.code]).toEqual([504, 'assistant_timeout']);
    expect(body.error).toMatch(/^Lesion: no mask: it did not answer within \d+ s$/);
    await until(() => assistant.left() === 1);
  });

  test('nothing that listens, and it can be asked again when something does', async () => {
    const { assistant, server } = await prepare();
    await assistant.close();
    expect((await ask(server)).body.error).toBe('The assistant: no mask: nothing listens at its address');
    const port = Number(new URL(assistant.address).port);
    const again = await serveFakeAssistant({ port });
    expect((await ask(server)).body).toEqual({ voxels: 0, slices: [] });
    expect(again.volumes.size).toBe(1);
  });

  test('another protocol', async () => {
    const { server } = await prepare({ description: { name: 'A page' } });
    expect((await list(server))[0]!.problem).toBe('it does not speak the protocol negato-assistant/1');
    expect((await ask(server)).body.error).toBe(
      'The assistant: no mask: it does not speak the protocol negato-assistant/1',
    );
  });
});

test('a question that is given up ends its connection, and what is answered later belongs to nobody', async () => {
  const waiting: ServerResponse[] = [];
  const { assistant, server } = await prepare({
    answer: (_, response) =>
      waiting.length === 0 ? waiting.push(response) : sendMask(response, new Uint8Array(VOXELS)),
  });
  const first = new AbortController();
  const given = ask(server, [POINT], { signal: first.signal });
  await until(() => waiting.length === 1);
  first.abort();
  await expect(given).rejects.toThrow('abort');
  await until(() => assistant.left() === 1);
  // It notices nothing and answers.
  waiting[0]!.end(new Uint8Array(VOXELS).fill(1));
  expect((await ask(server)).body).toEqual({ voxels: 0, slices: [] });
  expect(server.errors).toEqual([]);
});

test('a volume that is being sent is not begun anew by the next prompt', async () => {
  const held: (() => void)[] = [];
  const { assistant, server } = await prepare({
    first: (request, response) => {
      if (request.method !== 'PUT' || held.length > 0) return false;
      request.resume();
      held.push(() => response.end('{}'));
      return true;
    },
  });
  const first = new AbortController();
  const given = ask(server, [POINT], { signal: first.signal });
  await until(() => held.length === 1);
  first.abort();
  await expect(given).rejects.toThrow('abort');
  const second = ask(server);
  await until(() => assistant.questions.length === 2);
  assistant.volumes.set(assistant.questions[0]!.volume.key, Buffer.alloc(0));
  held[0]!();
  expect((await second).status).toBe(200);
  expect(assistant.requests.filter((one) => one.startsWith('PUT'))).toHaveLength(1);
});

function program({ address, secret }: FakeAssistant, more: object = {}) {
  return { address, secret, ...more };
}

/** The first three samples of each row of 5 of the first slice. */
function inBox(at: number): boolean {
  return at < 20 && at % 5 < 3;
}

describe('trust', () => {
  test('a program of this machine adds itself and removes itself; the numbers of others stay', async () => {
    const { server } = await prepare();
    const assistant = await serveFakeAssistant({ description: { ...DESCRIPTION, name: 'Mine' } });
    const added = await server.request('/api/assistants', json('POST', program(assistant)));
    expect(await added.json()).toMatchObject({ id: 1, name: 'Mine', problem: null });
    expect((await ask(server, [POINT], { id: 1 })).status).toBe(200);
    // Neither side says the secret.
    expect(assistant.seen()).not.toContain(assistant.secret);
    const remove = (id: number) => server.request(`/api/assistants/${id}`, { method: 'DELETE' });
    expect(await (await remove(1)).json()).toEqual({ removed: 1 });
    expect((await list(server)).map(({ name }) => name)).toEqual(['Lesion']);
    expect((await remove(0)).status).toBe(400);
  });

  test('no page can add one, not even our own', async () => {
    const { server } = await prepare();
    const assistant = await serveFakeAssistant();
    const origin = new URL(server.baseUrl).origin;
    for (const headers of [{ Origin: origin }, { 'Sec-Fetch-Site': 'same-origin' }, { Referer: `${origin}/` }]) {
      const response = await server.request('/api/assistants', json('POST', program(assistant), headers));
      expect([response.status, (await response.json()).code]).toEqual([403, 'forbidden_origin']);
      const removal = await server.request('/api/assistants/0', { method: 'DELETE', headers });
      expect(removal.status).toBe(403);
    }
    expect(assistant.requests).toEqual([]);
  });

  test('only literal loopback addresses are accepted, so that nothing else is asked', async () => {
    const { server } = await prepare();
    const addresses = [
      'http://localhost:8080',
      'http://127.0.0.1',
      'http://127.0.0.1:99999',
      'http://127.0.0.1:80/x',
      'http://127.0.0.1:80@evil.example',
      'http://127.0.0.2:80',
      'http://169.254.169.254:80',
      'https://127.0.0.1:80',
      'http://0177.0.0.1:80',
    ];
    for (const address of addresses) {
      const body = { address, secret: 'x'.repeat(32) };
      const response = await server.request('/api/assistants', json('POST', body));
      expect([address, response.status]).toEqual([address, 400]);
    }
  });

  test('a program that does not know the secret is not added, and is sent nothing when it takes the port of one that has ended', async () => {
    const { server } = await prepare();
    const assistant = await serveFakeAssistant();
    const wrong = program(assistant, { secret: 'another-secret-of-thirty-two-characters' });
    expect((await server.request('/api/assistants', json('POST', wrong))).status).toBe(502);

    const added = await server.request('/api/assistants', json('POST', program(assistant)));
    const { id } = await added.json();
    await assistant.close();
    const port = Number(new URL(assistant.address).port);
    // Another user of the machine, who has seen what was sent and repeats it.
    const impostor = await serveFakeAssistant({
      port,
      first: (_, response) => {
        response.setHeader('X-Assistant-Proof', 'f'.repeat(64));
        return false;
      },
    });
    expect((await ask(server, [POINT], { id })).body.error).toBe(
      'Lesion: no mask: another program listens where it did: it has ended',
    );
    expect(impostor.requests).toEqual(['GET /']);
  });

  test('redacted samples are covered, and after a change the volume is sent again', async () => {
    const { assistant, server } = await prepare();
    await ask(server);
    const boxes = { num_roi: 1, roi_coords: [[0, 0, 4, 3]] };
    await server.request('/api/file/0/redactions', json('PUT', boxes));
    await ask(server);
    const [before, after] = [...assistant.volumes.values()].map(samplesOf);
    // In rows of 5 samples, the first three are those of the box.
    expect(before!.filter((_, at) => inBox(at))).toEqual(Int16Array.of(0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32));
    expect(new Set(after!.filter((_, at) => inBox(at))).size).toBe(1);
    expect(after!.filter((_, at) => !inBox(at))).toEqual(before!.filter((_, at) => !inBox(at)));
  });

  test('it sees no name, no UID and no path', async () => {
    const more = { PatientName: 'Doe^Jane', PatientID: 'P1', StudyDescription: 'SECRET STUDY' };
    const { assistant, server } = await prepare({}, writeSeries(1, straight(SLICES), more));
    await ask(server);
    const { path, sopInstanceUid, seriesInstanceUid, frameOfReferenceUid = '' } = server.catalog.get(0);
    const all = assistant.seen() + [...assistant.volumes.values()].map((bytes) => bytes.toString('latin1')).join('');
    expect(all).toContain('"prompts"');
    const words = ['Doe', 'P1', 'SECRET', path, sopInstanceUid, seriesInstanceUid, frameOfReferenceUid];
    expect(words.filter((word) => word !== '' && all.includes(word))).toEqual([]);
  });

  test('credentials of an address reach the assistant, and no client', async () => {
    const assistant = await serveFakeAssistant({ description: {} });
    const address = assistant.address.replace('//', '//anna:s3cr%C3%A9t@');
    const server = await serveWith({ inputs: writeSeries(1, straight(SLICES)), assistants: [`${address}/`] });
    const told = JSON.stringify([await list(server), (await ask(server)).body]);
    expect(told).not.toMatch(/anna|s3cr/);
    // RFC 7617: base64 of "anna:s3crét".
    expect(assistant.seen()).toContain(`Basic ${Buffer.from('anna:s3crét').toString('base64')}`);
  });
});

function samplesOf(file: Buffer): Int16Array {
  // A NumPy file of version 1: ten bytes, and as many as the last two of them say.
  return new Int16Array(Uint8Array.from(file.subarray(10 + file.readUInt16LE(8))).buffer);
}
