import type { ObjectKind } from '../../../shared/contract/files.ts';
import { isVideoSyntax } from '../../standard/dicom/transferSyntax.ts';
import { KIND_OF_SOP_CLASS } from './sopClassKinds.ts';

/** The properties of an object that determine its kind. */
export type ObjectTraits = {
  readonly sopClassUid: string;
  readonly transferSyntaxUid: string;
  readonly hasPixels: boolean;
  readonly hasFunctionalGroups: boolean;
};

export function classifyObject({
  sopClassUid,
  transferSyntaxUid,
  hasPixels,
  hasFunctionalGroups,
}: ObjectTraits): ObjectKind {
  const kind = KIND_OF_SOP_CLASS.get(sopClassUid);
  // The class is private or missing, so only the content can tell.
  if (kind === undefined && !hasPixels) return 'unknown';
  if (kind === undefined || kind === 'image' || IMAGE_KINDS.has(kind)) {
    if (isVideoSyntax(transferSyntaxUid)) return 'video';
    if (kind === undefined || kind === 'image') return hasFunctionalGroups ? 'enhanced_image' : 'classic_image';
  }
  return kind;
}

const IMAGE_KINDS: ReadonlySet<ObjectKind> = new Set(['classic_image', 'enhanced_image', 'video']);
