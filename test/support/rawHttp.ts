import { connect, type Socket } from 'node:net';

export type RawResponse = {
  readonly status: number;
  /** Keys are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

export type RawTarget = { readonly port: number; readonly host?: string } | { readonly path: string };

/** Sends bytes unchanged and reads the first response. Undefined if the connection ended without one. */
export async function sendRaw(target: RawTarget, request: string | Uint8Array): Promise<RawResponse | undefined> {
  const socket = open(target);
  const isHead = request.toString().startsWith('HEAD ');
  socket.write(typeof request === 'string' ? Buffer.from(request, 'latin1') : request);
  let received = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk]);
      const response = parseResponse(received.toString('latin1'), { toHead: isHead });
      if (response !== undefined) return response;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error;
  } finally {
    socket.destroy();
  }
  return undefined;
}

export function open(target: RawTarget): Socket {
  return 'path' in target ? connect(target.path) : connect(target.port, target.host ?? '127.0.0.1');
}

/** Undefined until the response is complete. */
export function parseResponse(text: string, { toHead = false } = {}): RawResponse | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const status = Number(statusLine.split(' ')[1]);
  if (toHead) return { status, headers, body: '' };
  const rest = text.slice(headEnd + 4);
  const body = headers.get('transfer-encoding') === 'chunked' ? joinChunks(rest) : ofLength(rest, headers);
  return body === undefined ? undefined : { status, headers, body };
}

function ofLength(rest: string, headers: ReadonlyMap<string, string>): string | undefined {
  const length = Number(headers.get('content-length') ?? 0);
  return rest.length < length ? undefined : rest.slice(0, length);
}

function joinChunks(rest: string): string | undefined {
  let body = '';
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const length = Number.parseInt(rest.slice(at, lineEnd), 16);
    if (length === 0) return body;
    body += rest.slice(lineEnd + 2, lineEnd + 2 + length);
    at = lineEnd + 2 + length + 2;
    if (at > rest.length) return undefined;
  }
}
