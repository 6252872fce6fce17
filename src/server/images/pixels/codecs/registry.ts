import { isJpipSyntax, isNetworkVideoSyntax, isVideoSyntax } from '../../../standard/dicom/transferSyntax.ts';
import { transferSyntaxName } from '../../../standard/dicom/uids.ts';
import type { Codec, TransferSyntax } from './codec.ts';
import { deflatedFrame } from './deflatedFrame.ts';
import { htj2k } from './htj2k.ts';
import { jpeg } from './jpeg.ts';
import { jpeg2000 } from './jpeg2000.ts';
import { jpegLs } from './jpegLs.ts';
import { jpegXl } from './jpegXl.ts';
import { native } from './native.ts';
import { rle } from './rle.ts';

/** All codecs. Each loads its library when a frame first needs it. */
export const CODECS: readonly Codec[] = [native, rle, jpeg, jpegLs, jpeg2000, htj2k, jpegXl, deflatedFrame];

/** Why a transfer syntax has no codec. */
export type SyntaxRefusal =
  | 'transfer_syntax.video'
  | 'transfer_syntax.jpip'
  | 'transfer_syntax.smpte_st_2110'
  /** Defined by the standard, but not decoded by this program. */
  | 'transfer_syntax.not_supported'
  /** Private, or newer than this program. */
  | 'transfer_syntax.unknown';

export type CodecLookup =
  | { readonly found: true; readonly codec: Codec; readonly syntax: TransferSyntax }
  | { readonly found: false; readonly reason: SyntaxRefusal };

export function findCodec(transferSyntaxUid: string): CodecLookup {
  return BY_UID.get(transferSyntaxUid) ?? { found: false, reason: refusalOf(transferSyntaxUid) };
}

const BY_UID: ReadonlyMap<string, CodecLookup> = new Map(
  CODECS.flatMap((codec) => codec.transferSyntaxes.map((syntax) => [syntax.uid, { found: true, codec, syntax }])),
);

function refusalOf(uid: string): SyntaxRefusal {
  if (isVideoSyntax(uid)) return 'transfer_syntax.video';
  if (isJpipSyntax(uid)) return 'transfer_syntax.jpip';
  if (isNetworkVideoSyntax(uid)) return 'transfer_syntax.smpte_st_2110';
  return transferSyntaxName(uid) === undefined ? 'transfer_syntax.unknown' : 'transfer_syntax.not_supported';
}

export function isAlwaysLossy(transferSyntaxUid: string): boolean {
  const lookup = findCodec(transferSyntaxUid);
  return lookup.found ? lookup.syntax.loses === 'always' : lookup.reason === 'transfer_syntax.video';
}

/** Whether the samples are uncompressed, wherever they lie in the file. */
export function areSamplesPlain(transferSyntaxUid: string): boolean {
  const lookup = findCodec(transferSyntaxUid);
  return lookup.found && lookup.codec === native;
}
