/** What a stream is. `h264` and `hevc` are bare streams, without a container. */
export type VideoFormat = 'mp4' | 'ts' | 'mpeg2' | 'h264' | 'hevc' | 'unknown';

/** Number of bytes that `sniffVideo` looks at. */
export const SNIFFED_VIDEO_BYTES = 1024;

const PACKET_BYTES = 188;
const SYNC = 0x47;

/** The format of a stream by its first bytes, because the standard allows several in each transfer syntax. */
export function sniffVideo(bytes: Uint8Array): VideoFormat {
  const kind = String.fromCharCode(...bytes.subarray(4, 8));
  if (['ftyp', 'moov', 'mdat', 'free', 'wide', 'skip'].includes(kind)) return 'mp4';
  // Packets of 188 bytes, or of 192 with a time in front of each.
  for (const [first, step] of [
    [0, PACKET_BYTES],
    [4, PACKET_BYTES + 4],
  ] as const) {
    if ([0, 1, 2].every((packet) => bytes[first + packet * step] === SYNC)) return 'ts';
  }
  return sniffStartCode(bytes);
}

/** Streams that begin with 00 00 01, perhaps after more zeros. */
function sniffStartCode(bytes: Uint8Array): VideoFormat {
  let at = 0;
  while (at < 64 && bytes[at] === 0) at += 1;
  const code = bytes[at + 1];
  if (at < 2 || bytes[at] !== 1 || code === undefined) return 'unknown';
  // MPEG-2 (ISO 13818): a pack, a system header, a packet, or a sequence.
  if (code >= 0xb3) return 'mpeg2';
  // H.264, 7.3.1: one zero bit, two of importance, five of type: parameters 7, delimiter 9, information 6.
  if ([0x67, 0x47, 0x27, 0x09, 0x06].includes(code)) return 'h264';
  // HEVC, 7.3.1.2: one zero bit, six of type, then a layer of 0: parameters 32 to 34, delimiter 35, information 39.
  if ([0x40, 0x42, 0x44, 0x46, 0x4e].includes(code)) return 'hevc';
  return 'unknown';
}
