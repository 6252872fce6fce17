/** The order matters: a FLAIR is weighted like a T2, and a map is made from a diffusion. */
const PATTERNS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['ADC', /\badc\b|apparent.?diffusion/],
  ['DWI', /\bdwi\b|\bdw\b|diffus|\bdiff\b|\bdti\b|trace|b[ _-]?\d{3,4}\b/],
  ['FLAIR', /flair|dark.?fluid/],
  ['SWI', /\bswi\b|\bswan\b|suscept|\bven.?bold\b/],
  ['MRA', /\bmra\b|\btof\b|angio/],
  ['T1+C', /\bt1.*(\bgd\b|\bce\b|\bkm\b|post|\+ ?c\b|gad|contrast)|(\bgd\b|post|contrast|gad).*\bt1/],
  ['T1', /\bt1|mprage|spgr|\bvibe\b|\blava\b|\bfspgr\b|bravo|tfl3d/],
  ['T2', /\bt2|haste|\bssfse\b|ciss|fiesta|\bstir\b|\btirm\b/],
  ['PD', /\bpd\b|proton|\bpdw|\bpd_/],
];

/** How a series of MR images is weighted, from its description; null if it does not say so. */
export function findWeighting(description: string): string | null {
  // An underscore is a letter for regular expressions, and separates words for people.
  const words = description.toLowerCase().replaceAll('_', ' ');
  return PATTERNS.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
}
