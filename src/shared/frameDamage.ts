/** What is known of a frame whose stored data is cut or damaged, so that a decoder had to invent a part of it. */
export type FrameDamage = {
  /** `truncated`: the data ends too early. `corrupt`: something within it is wrong or lost. */
  readonly kind: 'truncated' | 'corrupt';
  /** Share of the pixels that are missing or incomplete, above 0 and up to 1; undefined where it cannot be known. */
  readonly missing: number | undefined;
  /** So many rows from the top are exactly as they were stored. */
  readonly intactRows: number;
  /** Where `missing` cannot be known: share of the bytes that the stream declares and does not have. */
  readonly missingData?: number | undefined;
  /** Where `missing` cannot be known because each scan adds to all of the image: how many scans are complete. */
  readonly wholeScans?: number | undefined;
};

/** The value of `X-Frame-Damage`: a token with parameters as in RFC 8941, such as `truncated;missing=0.413;intact-rows=300`. */
export function formatFrameDamage({ kind, missing, missingData, wholeScans, intactRows }: FrameDamage): string {
  const share = missing === undefined ? '' : `;missing=${toThousandths(missing)}`;
  const dataShare = missingData === undefined ? '' : `;missing-data=${toThousandths(missingData)}`;
  const scans = wholeScans === undefined ? '' : `;whole-scans=${wholeScans}`;
  return `${kind}${share}${dataShare}${scans};intact-rows=${intactRows}`;
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
  const share = (name: string) => {
    const value = values.get(name);
    return value !== undefined && value > 0 && value <= 1 ? value : undefined;
  };
  const count = (name: string) => {
    const value = values.get(name);
    return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  return {
    kind: kind === 'truncated' ? 'truncated' : 'corrupt',
    missing: share('missing'),
    missingData: share('missing-data'),
    wholeScans: count('whole-scans'),
    intactRows: count('intact-rows') ?? 0,
  };
}

/** For people: what of the image, or of `subject`, is not there. */
export function describeFrameDamage(damage: FrameDamage, subject = 'this image'): string {
  const { kind, missing, missingData, wholeScans } = damage;
  if (missing !== undefined) {
    return missing >= 1 ? `No pixel of ${subject} is complete` : `${formatShare(missing)} of ${subject} is missing`;
  }
  if (kind === 'corrupt') return `A part of ${subject} is damaged`;
  if (missingData !== undefined)
    return `Incomplete: ${formatShare(missingData).toLowerCase()} of the data of ${subject} is missing`;
  if (wholeScans === 0) return `Incomplete: the data of ${subject} ends in its first scan`;
  if (wholeScans !== undefined) {
    return `Incomplete: the data of ${subject} ends after ${wholeScans} ${wholeScans === 1 ? 'scan' : 'scans'}`;
  }
  return `A part of ${subject} is missing`;
}

function formatShare(share: number): string {
  return share < 0.01 ? 'Less than 1 %' : `${Math.min(99, Math.round(share * 100))} %`;
}

/** The sentence behind the short text: why no share of the pixels is told. */
export function explainFrameDamage({ missing, missingData, wholeScans }: FrameDamage): string {
  if (missing === undefined && missingData !== undefined) {
    return 'The data of this image is cut in the file. Every part of it adds detail to the whole image, so missing pixels cannot be counted.';
  }
  if (missing === undefined && wholeScans !== undefined) {
    return 'The data of this image is cut in the file. Each scan adds to the whole image, so missing pixels cannot be counted.';
  }
  return 'The data of this image is cut or damaged in the file.';
}

/**
 * The damage of a picture that was drawn from several damaged frames, or from one on another grid: its rows are not
 * those of the frames, and shares of different frames do not add up. Undefined where no frame is damaged.
 */
export function combineFrameDamage(damages: readonly FrameDamage[]): FrameDamage | undefined {
  const [first] = damages;
  if (first === undefined) return undefined;
  if (damages.length === 1) return { ...first, intactRows: 0 };
  const kind = damages.some((damage) => damage.kind === 'corrupt') ? 'corrupt' : 'truncated';
  return { kind, missing: undefined, intactRows: 0 };
}

/** Whether a row of the frame, counted from 0, is one of those that may be wrong. */
export function isDamagedRow(damage: FrameDamage | undefined, row: number): boolean {
  return damage !== undefined && row >= damage.intactRows;
}
