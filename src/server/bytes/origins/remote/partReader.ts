/** What is wrong with a multipart answer. */
export class MultipartFault extends Error {
  override readonly name = 'MultipartFault';
}

/** Takes the only part out of a multipart answer (RFC 2046 5.1) while it arrives. */
export interface PartReader {
  /** What the next bytes of the answer have of the content of the part. Throws `MultipartFault`. */
  take(piece: Uint8Array): readonly Uint8Array[];
  /** Of the part, by lower-case names; undefined until the last of them has come. */
  readonly headers: PartHeaders | undefined;
  /** What the part says about its length. Content of another length is a fault. */
  readonly declaredLength: number | undefined;
  /** Whether the content has ended as it should. */
  readonly isComplete: boolean;
}

export type PartHeaders = ReadonlyMap<string, string>;

const MOST_PREAMBLE = 64 * 1024;
const MOST_HEADERS = 16 * 1024;
/** Spaces after a boundary. */
const MOST_PADDING = 256;
type PartState = 'preamble' | 'line' | 'headers' | 'content' | 'end' | 'over';

const LINE_END = '\r\n';

export function createPartReader(boundary: string): PartReader {
  const delimiter = Buffer.from(`${LINE_END}--${boundary}`, 'latin1');
  // The first boundary may have no line before it.
  let held: Buffer = Buffer.from(LINE_END, 'latin1');
  let state: PartState = 'preamble';
  let dropped = 0;
  let headers: PartHeaders | undefined;
  let declaredLength: number | undefined;
  let length = 0;

  /** Each step returns whether there is enough for the next one. */
  const steps: Record<PartState, (content: Uint8Array[]) => boolean> = {
    preamble() {
      const at = held.indexOf(delimiter);
      if (at >= 0) {
        held = held.subarray(at + delimiter.length);
        state = 'line';
        return true;
      }
      const useless = Math.max(0, held.length - delimiter.length + 1);
      dropped += useless;
      held = held.subarray(useless);
      if (dropped > MOST_PREAMBLE) throw new MultipartFault('the boundary that it names does not come');
      return false;
    },
    line() {
      const at = held.indexOf(LINE_END);
      const text = held.toString('latin1', 0, at < 0 ? MOST_PADDING : at);
      if (text === '-' && at < 0) return false;
      if (text.startsWith('--')) throw new MultipartFault('it has no part');
      if (/[^ \t\r]/.test(text) || text.length >= MOST_PADDING) throw new MultipartFault('the boundary is damaged');
      if (at < 0) return false;
      // The line end stays: headers end with an empty line, also if there are none.
      held = held.subarray(at);
      state = 'headers';
      return true;
    },
    headers() {
      const at = held.indexOf(LINE_END + LINE_END);
      if (at > MOST_HEADERS || (at < 0 && held.length > MOST_HEADERS)) {
        throw new MultipartFault('the headers of the part are too long');
      }
      if (at < 0) return false;
      headers = parseHeaders(held.toString('latin1', LINE_END.length, at));
      declaredLength = readLength(headers);
      held = held.subarray(at + 2 * LINE_END.length);
      state = 'content';
      return true;
    },
    content(content) {
      const at = held.indexOf(delimiter);
      // What may be the beginning of a boundary is no content yet.
      const safe = at >= 0 ? at : Math.max(0, held.length - delimiter.length + 1);
      if (safe > 0) content.push(held.subarray(0, safe));
      held = held.subarray(safe);
      length += safe;
      const isWrong = at >= 0 ? length !== declaredLength : length > (declaredLength ?? Infinity);
      if (declaredLength !== undefined && isWrong) {
        throw new MultipartFault('the part does not have the length that it says');
      }
      if (at < 0) return false;
      held = held.subarray(delimiter.length);
      state = 'end';
      return true;
    },
    end() {
      const text = held.toString('latin1', 0, 2);
      if (!'--'.startsWith(text)) throw new MultipartFault('it has more than one part, or the boundary is damaged');
      if (text !== '--') return false;
      state = 'over';
      return true;
    },
    // Whatever follows the last boundary means nothing.
    over() {
      held = Buffer.alloc(0);
      return false;
    },
  };

  return {
    take(piece) {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const content: Uint8Array[] = [];
      for (let hasEnough = true; hasEnough;) hasEnough = steps[state](content);
      return content;
    },
    get headers() {
      return headers;
    },
    get declaredLength() {
      return declaredLength;
    },
    get isComplete() {
      return state === 'over';
    },
  };
}

/** Names of headers are tokens. RFC 9110 5.6.2. */
const HEADER = /^([!#$%&'*+.^_`|~0-9a-z-]+):[ \t]*(.*?)[ \t]*$/i;

function parseHeaders(text: string): PartHeaders {
  const found = new Map<string, string>();
  for (const line of text === '' ? [] : text.split(LINE_END)) {
    const [, name, value = ''] = HEADER.exec(line) ?? [];
    if (name === undefined) throw new MultipartFault('a header of the part is damaged');
    const before = found.get(name.toLowerCase());
    if (before !== undefined && before !== value) throw new MultipartFault('the part has two headers of one name');
    found.set(name.toLowerCase(), value);
  }
  const encoding = found.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!['binary', '8bit', '7bit'].includes(encoding)) throw new MultipartFault('the part is encoded as text');
  return found;
}

function readLength(headers: PartHeaders): number | undefined {
  const text = headers.get('content-length');
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new MultipartFault('the part has a length that is no number');
  return Number(text);
}

/** RFC 2046 5.1.1. */
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

/** The boundary that a `multipart/related` media type names; undefined for another type. Throws `MultipartFault`. */
export function findBoundary(contentType: string | undefined): string | undefined {
  if (contentType === undefined || !/^multipart\/related\s*(?:;|$)/i.test(contentType)) return undefined;
  for (const [, name, quoted, plain] of contentType.matchAll(/;\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([^\s;"]+))/g)) {
    const value = quoted ?? plain ?? '';
    if (name?.toLowerCase() === 'boundary' && BOUNDARY.test(value)) return value;
  }
  throw new MultipartFault('it names no boundary');
}
