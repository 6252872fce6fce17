import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A question as the protocol has it. */
export type AskedQuestion = {
  readonly volume: {
    readonly key: string;
    readonly shape: readonly number[];
    readonly type: string;
    readonly unit: string;
    readonly affine: readonly number[] | null;
    readonly spacing: readonly number[];
  };
  readonly prompts: readonly Readonly<Record<string, unknown>>[];
  readonly mask: readonly Readonly<Record<string, unknown>>[] | null;
};

export type FakeAssistant = {
  readonly address: string;
  readonly secret: string;
  /** All that it was asked, such as `PUT /volume/KEY`. */
  readonly requests: readonly string[];
  readonly questions: readonly AskedQuestion[];
  /** Headers and bodies of everything that it was sent, as one text. */
  readonly seen: () => string;
  /** NumPy files by key. */
  readonly volumes: Map<string, Buffer>;
  /** Connections that ended before they were answered. */
  readonly left: () => number;
  close(): Promise<void>;
};

export type FakeOptions = {
  readonly description?: Readonly<Record<string, unknown>>;
  /** Answers a question whose volume is there. */
  readonly answer?: (question: AskedQuestion, response: ServerResponse) => void;
  /** Answers everything else first; true if it did. */
  readonly first?: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly port?: number;
};

const SECRET = 'a-secret-of-at-least-thirty-two-characters';

export const DESCRIPTION = {
  protocol: 'negato-assistant/1',
  name: 'Lesion',
  prompts: ['point', 'box', 'scribble', 'mask'],
};

export function sendMask(
  response: ServerResponse,
  mask: Uint8Array,
  box?: { readonly from: readonly number[]; readonly size: readonly number[] },
): void {
  const place = box && { 'X-Mask-From': box.from.join(), 'X-Mask-Size': box.size.join() };
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': mask.length, ...place });
  response.end(mask);
}

/** A server that speaks the protocol of assistants, and can fail in every way. */
export async function serveFakeAssistant({
  description = DESCRIPTION,
  answer = (_, response) => response.writeHead(204).end(),
  first = () => false,
  port = 0,
}: FakeOptions = {}): Promise<FakeAssistant> {
  const [requests, seen] = [new Array<string>(), new Array<string>()];
  const questions: AskedQuestion[] = [];
  const volumes = new Map<string, Buffer>();
  let left = 0;
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    requests.push(`${method} ${url}`);
    seen.push(`${method} ${url}`, ...request.rawHeaders);
    response.setHeader('X-Assistant-Proof', createHmac('sha256', SECRET).update('assistant').digest('hex'));
    response.on('close', () => (left += response.writableFinished ? 0 : 1));
    if (first(request, response)) return;
    if (method === 'GET') {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(description));
      return;
    }
    const take = async () => {
      const body = await read(request);
      if (method === 'PUT') {
        volumes.set(url.replace(/.*\//, ''), body);
        response.end('{}');
        return;
      }
      seen.push(body.toString());
      const question: AskedQuestion = JSON.parse(body.toString());
      questions.push(question);
      if (volumes.has(question.volume.key)) answer(question, response);
      else response.writeHead(409).end('{"error":"the volume has to be sent first"}');
    };
    // A request that is broken off is no failure of the test.
    take().catch(() => undefined);
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  onTestFinished(close);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port: taken } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${taken}`,
    secret: SECRET,
    requests,
    questions,
    seen: () => seen.join('\n'),
    volumes,
    left: () => left,
    close,
  };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
