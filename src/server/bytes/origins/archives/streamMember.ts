import { createReadStream } from 'node:fs';
import { createInflateRaw } from 'node:zlib';
import { bufferSource, type ByteSource } from '../byteSource.ts';
import { localFiles } from '../localFiles.ts';
import type { FileRef, MemberRef, OpenStream, Seen } from '../origin.ts';
import { ArchiveProblem } from './archiveProblem.ts';
import { askSpoolLater } from './askSpool.ts';
import { identityOfMember, keyOfMember, outermost, spoolJobOf } from './memberKey.ts';
import { findZipData } from './zipMembers.ts';

/** A part of a local file. */
type Place = { readonly file: OpenStream; readonly realPath: string; readonly start: number; readonly end: number };

/** Opens a file inside of an archive, to send it. Deflated bytes are inflated while they are sent. */
export async function streamMember(ref: MemberRef): Promise<OpenStream> {
  const outer = await localFiles.openStream(outermost(ref));
  const opened: OpenStream[] = [outer];
  const close = async () => {
    for (const stream of opened) await stream.close();
  };
  try {
    const state = (await outer.look())?.state ?? '';
    const around = await locate(ref.of, { outer, opened, state });
    const data = await findData(around, ref);
    const bytes =
      ref.method === 'deflated'
        ? readInflated(around.realPath, data)
        : { read: readPart(await unpackGzip(ref, { ...around, ...data }, { outer, opened, state })), end: () => {} };
    return {
      async look() {
        const seen = await outer.look();
        return seen && toSeen(ref, seen);
      },
      read: bytes.read,
      async close() {
        bytes.end();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Context = { readonly outer: OpenStream; readonly opened: OpenStream[]; readonly state: string };

async function locate(ref: FileRef | MemberRef, context: Context): Promise<Place> {
  if (ref.kind === 'file') {
    const size = (await context.outer.look())?.identity.size ?? 0;
    return { file: context.outer, realPath: ref.realPath, start: 0, end: size };
  }
  const around = await locate(ref.of, context);
  const place = { ...around, ...(await findData(around, ref)) };
  return ref.method === 'stored' || ref.method === 'bare' ? place : unpack(ref, place, context);
}

async function unpackGzip(ref: MemberRef, place: Place, context: Context): Promise<Place> {
  return ref.method === 'gzip' ? unpack(ref, place, context) : place;
}

async function unpack(ref: MemberRef, place: Place, { opened, state }: Context): Promise<Place> {
  const realPath = await askSpoolLater(spoolJobOf(ref, { ...place, state }));
  const file = await localFiles.openStream({ kind: 'file', realPath });
  opened.push(file);
  return { file, realPath, start: 0, end: ref.size };
}

const ZIP_HEADER_BYTES = 30;
const LONGEST_NAME = 0xffff;

async function findData({ file, start, end }: Place, ref: MemberRef): Promise<{ start: number; end: number }> {
  let at = ref.at;
  if (ref.method === 'stored' || ref.method === 'deflated') {
    const header = Buffer.alloc(Math.max(0, Math.min(ZIP_HEADER_BYTES + LONGEST_NAME, end - start - ref.at)));
    const length = await file.read(start + ref.at, header);
    at = findZipData(movedBy(ref.at, bufferSource(header.subarray(0, length))), ref);
  }
  const data = { start: start + at, end: start + at + ref.packed };
  if (data.end > end) throw new ArchiveProblem('archive_damaged', 'the archive ends before this file does');
  return data;
}

function movedBy(offset: number, source: ByteSource): ByteSource {
  return {
    size: source.size + offset,
    read: (position, length) => source.read(position - offset, length),
    peek: (position, length) => source.peek(position - offset, length),
  };
}

function readPart({ file, start, end }: Place): OpenStream['read'] {
  return (position, buffer) => file.read(start + position, buffer.subarray(0, Math.max(0, end - start - position)));
}

/** Readers move ahead; if one goes back, inflation starts over. */
function readInflated(realPath: string, { start, end }: { readonly start: number; readonly end: number }) {
  let pieces: AsyncIterator<Buffer> | undefined;
  let piece: Buffer = Buffer.alloc(0);
  let pieceAt = 0;
  let stop: (() => void) | undefined;

  const restart = () => {
    stop?.();
    const inflate = createInflateRaw();
    const stored = createReadStream(realPath, { start, end: Math.max(start, end - 1) });
    stored.on('error', (error) => inflate.destroy(error));
    stop = () => {
      stored.destroy();
      inflate.destroy();
    };
    pieces = stored.pipe(inflate)[Symbol.asyncIterator]();
    piece = Buffer.alloc(0);
    pieceAt = 0;
  };

  return {
    async read(position: number, buffer: Uint8Array): Promise<number> {
      if (pieces === undefined || position < pieceAt) restart();
      while (position >= pieceAt + piece.length) {
        const next = await pieces!.next();
        if (next.done === true) return 0;
        pieceAt += piece.length;
        piece = next.value;
      }
      const from = position - pieceAt;
      const count = Math.min(buffer.length, piece.length - from);
      buffer.set(piece.subarray(from, from + count));
      return count;
    },
    end: () => stop?.(),
  };
}

function toSeen(ref: MemberRef, { identity, state }: Seen): Seen {
  if (identity.kind !== 'inode') throw new TypeError('an archive is a local file');
  return { identity: identityOfMember(ref, identity), state: keyOfMember(ref, state) };
}
