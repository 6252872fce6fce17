import type { FileRecord } from '../../shared/contract/files.ts';
import { describeSeries, formatCount, formatDate, formatPersonName } from '../series/describeFile.ts';
import type { KnownPresentation } from '../state/presentations.ts';

/** The name of a presentation state for users. */
export function nameState({ state }: KnownPresentation, file: FileRecord | undefined): string {
  const own = state?.description?.trim() || state?.label?.trim();
  return own || (file === undefined ? 'Presentation state' : describeSeries(file));
}

/** Who made it, when, and what it does. */
export function describeState({ state, missing, images }: KnownPresentation): string {
  if (state === null) return '';
  const { creator, date, kind, blending, left_out: leftOut } = state;
  return [
    formatPersonName(creator ?? ''),
    formatDate(date ?? ''),
    KINDS[kind],
    blending === null ? '' : formatCount(blending.inputs.length, 'input'),
    missing.length === 0 ? '' : `${missing.length} of ${missing.length + images.length} images are not open`,
    leftOut === 0 ? '' : `${formatCount(leftOut, 'graphic')} not drawn`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

const KINDS = {
  grayscale: '',
  color: 'color',
  pseudo_color: 'pseudo-color',
  blending: 'blending',
  other: 'of another kind',
} as const;

/** Why a presentation state cannot be applied to a single image; undefined if it can. */
export function refuseState({ state }: KnownPresentation): string | undefined {
  if (state?.kind === 'blending') return 'It blends several volumes. Lay one over the other with F instead.';
  if (state === null || state.kind === 'other') return 'States of this kind cannot be applied.';
  return undefined;
}
