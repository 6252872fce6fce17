import type { Code } from '../../../standard/dicom/code.ts';

/** Leads by their number in SCP-ECG, which ISO/IEEE 11073-10101 (MDC) uses as well. */
const LEADS: Readonly<Record<number, string>> = {
  1: 'I',
  2: 'II',
  3: 'V1',
  4: 'V2',
  5: 'V3',
  6: 'V4',
  7: 'V5',
  8: 'V6',
  9: 'V7',
  10: 'V2R',
  11: 'V3R',
  12: 'V4R',
  13: 'V5R',
  14: 'V6R',
  15: 'V7R',
  16: 'X',
  17: 'Y',
  18: 'Z',
  19: 'CC5',
  20: 'CM5',
  61: 'III',
  62: 'aVR',
  63: 'aVL',
  64: 'aVF',
  65: '-aVR',
  66: 'V8',
  67: 'V9',
  68: 'V8R',
  69: 'V9R',
};

const BY_NAME: ReadonlyMap<string, string> = new Map(Object.values(LEADS).map((lead) => [lead.toLowerCase(), lead]));

/** The lead of a channel as it is written on paper: by its code if that is known, else by its meaning or label. */
export function findLead(source: Code | undefined, label: string | undefined): string | undefined {
  return findByCode(source) ?? findByName(source?.meaning) ?? findByName(label);
}

function findByCode(code: Code | undefined): string | undefined {
  if (code === undefined) return undefined;
  const number = code.scheme.startsWith('SCPECG')
    ? /^5\.6\.3-9-(\d{1,3})$/.exec(code.value)?.[1]
    : code.scheme === 'MDC'
      ? /^2:(\d{1,3})$/.exec(code.value)?.[1]
      : undefined;
  return number === undefined ? undefined : LEADS[Number(number)];
}

/** `Lead I (Einthoven)` is I, and `MDC_ECG_LEAD_AVR` is aVR. */
function findByName(name: string | undefined): string | undefined {
  const word = name
    ?.replace(/\(.*?\)/g, '')
    .replace(/^\s*(MDC_ECG_)?(LEAD|Lead|lead)?[\s_]*/, '')
    .trim();
  return word === undefined ? undefined : BY_NAME.get(word.toLowerCase());
}
