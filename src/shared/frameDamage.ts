/** Describes a frame whose stored data is truncated or damaged, so that the decoder had to fill in a part of it. */
export type FrameDamage = {
  /** `truncated`: the data ends too early. `corrupt`: a part of the data is wrong or lost. */
  readonly kind: 'truncated' | 'corrupt';
  /**
   * Fraction of the pixels that are missing or incomplete, above 0 and up to 1; undefined if it cannot be determined.
   */
  readonly missing: number | undefined;
  /** Number of rows from the top that are exactly as stored. */
  readonly intactRows: number;
  /** If `missing` cannot be determined: fraction of the declared bytes of the stream that are absent. */
  readonly missingData?: number | undefined;
  /** If `missing` cannot be determined because each scan adds to the whole image: number of complete scans. */
  readonly wholeScans?: number | undefined;
};

/**
 * Value of `X-Frame-Damage`: a token with parameters as in RFC 8941, such as `truncated;missing=0.413;intact-rows=300`.
 */
export function formatFrameDamage({ kind, missing, missingData, wholeScans, intactRows }: FrameDamage): string {
  const share = missing === undefined ? '' : `;missing=${toThousandths(missing)}`;
  const dataShare = missingData === undefined ? '' : `;missing-data=${toThousandths(missingData)}`;
  const scans = wholeScans === undefined ? '' : `;whole-scans=${wholeScans}`;
  return `${kind}${share}${dataShare}${scans};intact-rows=${intactRows}`;
}

/** Never rounds to 0, and rounds to 1 only if everything is missing. */
function toThousandths(share: number): number {
  if (share >= 1) return 1;
  return Math.min(999, Math.max(1, Math.round(share * 1000))) / 1000;
}

/** Undefined if there is no header, which means that the frame is complete. An unknown value also means damage. */
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

/** User-facing text: what is missing from the image, or from `subject`. */
export function describeFrameDamage(damage: FrameDamage, subject = 'this image'): string {
  const { kind, missing, missingData, wholeScans } = damage;
  if (missing !== undefined) {
    return missing >= 1 ? `No pixel of ${subject} is complete` : `${formatShare(missing)} of ${subject} is missing`;
  }
  if (kind === 'corrupt') return `Part of ${subject} is damaged`;
  if (missingData !== undefined)
    return `Incomplete: ${formatShare(missingData).toLowerCase()} of the data of ${subject} is missing`;
  if (wholeScans === 0) return `Incomplete: the data of ${subject} ends in its first scan`;
  if (wholeScans !== undefined) {
    return `Incomplete: the data of ${subject} ends after ${wholeScans} ${wholeScans === 1 ? 'scan' : 'scans'}`;
  }
  return `Part of ${subject} is missing`;
}

function formatShare(share: number): string {
  return share < 0.01 ? 'Less than 1 %' : `${Math.min(99, Math.round(share * 100))} %`;
}

/** Explains the short text: why the fraction of missing pixels is not given. */
export function explainFrameDamage({ missing, missingData, wholeScans }: FrameDamage): string {
  if (missing === undefined && missingData !== undefined) {
    return 'The data of this image is truncated in the file. Every part of the data adds detail to the whole image, so the missing pixels cannot be counted.';
  }
  if (missing === undefined && wholeScans !== undefined) {
    return 'The data of this image is truncated in the file. Each scan adds detail to the whole image, so the missing pixels cannot be counted.';
  }
  return 'The data of this image is truncated or damaged in the file.';
}

/**
 * The damage of a picture drawn from several damaged frames, or from one frame on another grid: its rows are not the
 * rows of the frames, and fractions of different frames cannot be added. Undefined if no frame is damaged.
 */
export function combineFrameDamage(damages: readonly FrameDamage[]): FrameDamage | undefined {
  const [first] = damages;
  if (first === undefined) return undefined;
  if (damages.length === 1) return { ...first, intactRows: 0 };
  const kind = damages.some((damage) => damage.kind === 'corrupt') ? 'corrupt' : 'truncated';
  return { kind, missing: undefined, intactRows: 0 };
}

/** Whether a row of the frame, counted from 0, may be wrong. */
export function isDamagedRow(damage: FrameDamage | undefined, row: number): boolean {
  return damage !== undefined && row >= damage.intactRows;
}
