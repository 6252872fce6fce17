import type { FileRecord } from '../../../shared/contract/files.ts';
import { describeSeries, formatCount, formatDate, formatPersonName } from '../../show/series/describeFile.ts';
import type { KnownPresentation } from '../../kit/state/presentations.ts';
import { refuseBlending } from './planBlending.ts';

/** The name of a presentation state for users. */
export function nameState({ state }: KnownPresentation, file: FileRecord | undefined): string {
  const own = state?.description?.trim() || state?.label?.trim();
  return own || (file === undefined ? 'Presentation state' : describeSeries(file));
}

/** Who made it, when, and what it does. */
export function describeState({ state, missing_count: missing, images }: KnownPresentation): string {
  if (state === null) return '';
  const { creator, date, kind, blending, left_out: leftOut } = state;
  return [
    formatPersonName(creator ?? ''),
    formatDate(date ?? ''),
    KINDS[kind],
    blending === null ? '' : formatCount(blending.inputs.length, 'input'),
    missing === 0 ? '' : `${missing} of ${missing + images.length} images are not open`,
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

/** Why a presentation state cannot be applied, as far as that is known without asking; undefined if it may be. */
export function refuseState(known: KnownPresentation): string | undefined {
  const { state } = known;
  if (state === null || state.kind === 'other') return 'States of this kind cannot be applied.';
  const reason = refuseBlending(known);
  return reason === undefined ? undefined : `It cannot be applied: ${reason}.`;
}
