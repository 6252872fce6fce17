import { transferSyntaxName } from '../../dicom/uids.ts';
import type { Codec } from './codec.ts';
import { deflatedFrame } from './deflatedFrame.ts';
import { htj2k } from './htj2k.ts';
import { jpeg } from './jpeg.ts';
import { jpeg2000 } from './jpeg2000.ts';
import { jpegLs } from './jpegLs.ts';
import { jpegXl } from './jpegXl.ts';
import { native } from './native.ts';
import { rle } from './rle.ts';

/** Every codec. Each loads its library when the first frame needs it. */
const CODECS: readonly Codec[] = [native, rle, jpeg, jpegLs, jpeg2000, htj2k, jpegXl, deflatedFrame];

/** Why a transfer syntax has no codec. */
export type SyntaxRefusal =
  | 'transfer_syntax.video'
  | 'transfer_syntax.jpip'
  | 'transfer_syntax.smpte_st_2110'
  /** The standard defines it, and nothing here decodes it. */
  | 'transfer_syntax.not_supported'
  /** Private, or newer than this program. */
  | 'transfer_syntax.unknown';

export type CodecLookup =
  | { readonly found: true; readonly codec: Codec }
  | { readonly found: false; readonly reason: SyntaxRefusal };

export function findCodec(transferSyntaxUid: string): CodecLookup {
  const codec = CODECS.find(({ transferSyntaxes }) => transferSyntaxes.includes(transferSyntaxUid));
  return codec === undefined ? { found: false, reason: refusalOf(transferSyntaxUid) } : { found: true, codec };
}

function refusalOf(uid: string): SyntaxRefusal {
  // MPEG-2, H.264 and HEVC; a further .1 marks the fragmentable form.
  if (/^1\.2\.840\.10008\.1\.2\.4\.10[0-8](\.1)?$/.test(uid)) return 'transfer_syntax.video';
  if (/^1\.2\.840\.10008\.1\.2\.4\.(94|95|204|205)$/.test(uid)) return 'transfer_syntax.jpip';
  if (/^1\.2\.840\.10008\.1\.2\.7\.\d+$/.test(uid)) return 'transfer_syntax.smpte_st_2110';
  return transferSyntaxName(uid) === undefined ? 'transfer_syntax.unknown' : 'transfer_syntax.not_supported';
}
