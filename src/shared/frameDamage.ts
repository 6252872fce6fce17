/** What is known of a frame whose stored data is cut or damaged, so that a decoder had to invent a part of it. */
export type FrameDamage = {
  /** `truncated`: the data ends too early. `corrupt`: something within it is wrong or lost. */
  readonly kind: 'truncated' | 'corrupt';
  /** Share of the pixels that are missing or incomplete, above 0 and up to 1; undefined where it cannot be known. */
  readonly missing: number | undefined;
  /** So many rows from the top are exactly as they were stored. */
  readonly intactRows: number;
};

/** The value of `X-Frame-Damage`: a token with parameters as in RFC 8941, such as `truncated;missing=0.413;intact-rows=300`. */
export function formatFrameDamage({ kind, missing, intactRows }: FrameDamage): string {
  const share = missing === undefined ? '' : `;missing=${toThousandths(missing)}`;
  return `${kind}${share};intact-rows=${intactRows}`;
}

/** A little is never nothing, and nearly everything is not all. */
function toThousandths(share: number): number {
  if (share >= 1) return 1;
  return Math.min(999, Math.max(1, Math.round(share * 1000))) / 1000;
}

/** Undefined where the header is absent: the frame is whole. A value that is not known here is damage all the same. */
export function parseFrameDamage(header: string | null): FrameDamage | undefined {
  if (header === null) return undefined;
  const [kind, ...parameters] = header.split(';').map((part) => part.trim());
  const values = new Map(parameters.map((parameter) => [parameter.split('=')[0], Number(parameter.split('=')[1])]));
  const missing = values.get('missing');
  const intactRows = values.get('intact-rows');
  return {
    kind: kind === 'truncated' ? 'truncated' : 'corrupt',
    missing: missing !== undefined && missing > 0 && missing <= 1 ? missing : undefined,
    intactRows: intactRows !== undefined && Number.isSafeInteger(intactRows) && intactRows > 0 ? intactRows : 0,
  };
}

/** For people: what of the image is not there. */
export function describeFrameDamage({ kind, missing }: FrameDamage): string {
  if (kind === 'corrupt' && missing === undefined) return 'A part of this image is damaged';
  if (missing === undefined) return 'A part of this image is missing';
  if (missing >= 1) return 'No pixel of this image is complete';
  if (missing < 0.01) return 'Less than 1 % of this image is missing';
  return `${Math.min(99, Math.round(missing * 100))} % of this image is missing`;
}

/** Whether a row of the frame, counted from 0, is one of those that may be wrong. */
export function isDamagedRow(damage: FrameDamage | undefined, row: number): boolean {
  return damage !== undefined && row >= damage.intactRows;
}
