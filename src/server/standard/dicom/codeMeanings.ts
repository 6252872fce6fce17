import { PACKED_CODES } from './codes.generated.ts';
import { once } from './once.ts';

/** The meaning of a code that the standard defines, PS3.16 Annex D; undefined for codes of other schemes. */
export function findCodeMeaning(value: string, scheme: string): string | undefined {
  return scheme === 'DCM' ? meanings().get(value) : undefined;
}

const meanings = once((): ReadonlyMap<string, string> => {
  const lines = PACKED_CODES.split('\n');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('|')), line.slice(line.indexOf('|') + 1)]));
});
