import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { type AssistantAddress, isProof } from './assistantAddress.ts';

/** What went wrong between this server and an assistant, as a sentence for the user. */
export class AssistantFailure extends Error {
  override readonly name = 'AssistantFailure';
  readonly kind: 'unreachable' | 'silent' | 'wrong' | 'refused';

  constructor(kind: AssistantFailure['kind'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}

export type AssistantRequest = {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly contentType?: string;
  /** Sent as it is made. */
  readonly body?:
    | Uint8Array
    | { readonly pieces: AsyncGenerator<Uint8Array, void>; readonly bytes: number | undefined };
  /** Without a byte in either direction for so long, it counts as silent. */
  readonly quietMs: number;
  /** For the whole request. */
  readonly deadlineMs?: number;
  readonly signal: AbortSignal | undefined;
};

/** Sends requests to assistants and nowhere else. Redirects are not followed, and no proxy is asked. */
export interface AssistantClient {
  /** The answer, whose body is unread: `use` reads it. The connection closes if it leaves any of it. */
  ask<Result>(
    address: AssistantAddress,
    request: AssistantRequest,
    use: (response: IncomingMessage) => Promise<Result>,
  ): Promise<Result>;
  close(): void;
}

/** To one assistant. Further requests wait. */
const MOST_CONNECTIONS = 16;

export function createAssistantClient(): AssistantClient {
  // A connection that stays open is not noticed to be dead before something was sent.
  const http = new HttpAgent({ keepAlive: false, maxSockets: MOST_CONNECTIONS });
  const https = new HttpsAgent({ keepAlive: false, maxSockets: MOST_CONNECTIONS });
  return {
    async ask({ url, authorization, proof }, request, use) {
      const { method, path, contentType, body, quietMs, deadlineMs, signal } = request;
      signal?.throwIfAborted();
      const isSecure = url.protocol === 'https:';
      const bytes = body instanceof Uint8Array ? body.length : body?.bytes;
      const sent = (isSecure ? requestHttps : requestHttp)(new URL(path, url), {
        agent: isSecure ? https : http,
        method,
        headers: {
          'Accept-Encoding': 'identity',
          'User-Agent': 'negato',
          ...(authorization !== undefined && { Authorization: authorization }),
          ...(contentType !== undefined && { 'Content-Type': contentType }),
          ...(bytes !== undefined && { 'Content-Length': bytes }),
        },
      });
      let failure: AssistantFailure | undefined;
      const endSilent = (ms: number) => {
        failure = new AssistantFailure('silent', `it did not answer within ${Math.round(ms / 1000)} s`);
        sent.destroy(failure);
      };
      sent.setTimeout(quietMs, () => endSilent(quietMs));
      const deadline = deadlineMs === undefined ? undefined : setTimeout(() => endSilent(deadlineMs), deadlineMs);
      const leave = () => sent.destroy();
      signal?.addEventListener('abort', leave, { once: true });
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        sent.on('response', resolve);
        sent.on('error', reject);
        sent.on('close', () => reject(new AssistantFailure('unreachable', 'it ended before it answered')));
      });
      answered.catch(() => undefined);
      try {
        const sending = sendBody(sent, body);
        // An assistant may refuse a volume before it has all of it; a failure of the pieces is not one of the assistant.
        const response = await Promise.race([answered, sending.then(() => answered)]);
        if (proof !== undefined && !isProof(response.headers['x-assistant-proof'], proof)) {
          throw new AssistantFailure('unreachable', 'another program listens where it did: it has ended');
        }
        return await use(response);
      } catch (error) {
        sent.destroy();
        signal?.throwIfAborted();
        throw failure ?? explain(error);
      } finally {
        clearTimeout(deadline);
        signal?.removeEventListener('abort', leave);
        if (body !== undefined && 'pieces' in body) await body.pieces.return();
      }
    },
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

async function sendBody(sent: ReturnType<typeof requestHttp>, body: AssistantRequest['body']): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) sent.end(body);
  else await pipeline(body.pieces, sent);
}

function explain(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  // Not the message, which has the address.
  const { code } = error;
  if (code === 'ECONNREFUSED')
    return new AssistantFailure('unreachable', 'nothing listens at its address', { cause: error });
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return new AssistantFailure('unreachable', 'it ended before it answered', { cause: error });
  }
  if (/^(ERR_|E[A-Z]+$|HPE_|CERT_|DEPTH_|SELF_|UNABLE_)/.test(code)) {
    return new AssistantFailure('unreachable', `the connection failed (${code})`, { cause: error });
  }
  return error;
}

/** The body of an answer, if it is as long as it may be. */
export async function readAnswer(response: IncomingMessage, mostBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response) {
    const bytes: Uint8Array = piece;
    length += bytes.length;
    if (length > mostBytes) throw new AssistantFailure('wrong', 'its answer is longer than it may be');
    pieces.push(bytes);
  }
  return new Uint8Array(Buffer.concat(pieces, length));
}

/** Exactly so many bytes, which are only allocated once. */
export async function readExactly(response: IncomingMessage, count: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(count);
  let filled = 0;
  for await (const piece of response) {
    const taken: Uint8Array = piece;
    if (filled + taken.length > count) throw new AssistantFailure('wrong', 'its mask has more bytes than samples');
    bytes.set(taken, filled);
    filled += taken.length;
  }
  if (filled < count) throw new AssistantFailure('wrong', 'its mask has fewer bytes than samples');
  return bytes;
}
