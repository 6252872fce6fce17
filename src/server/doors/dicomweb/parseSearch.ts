import { ViewerError } from '../../../shared/contract/errors.ts';
import { dictionaryVr, findTag } from '../../standard/dicom/dictionary.ts';
import { resolveChoice } from '../../standard/dicom/vr.ts';
import type { AttributeMatch } from './attributeMatch.ts';

/** A search for studies, series or instances (QIDO-RS), as its query says it. */
export type SearchQuery = {
  readonly matches: readonly AttributeMatch[];
  /** Attributes that are wanted beside the usual ones. */
  readonly include: 'all' | readonly number[];
  readonly offset: number;
  readonly limit: number;
  /** Parameters that have no effect, for a warning. */
  readonly ignored: readonly string[];
};

const MOST_PARAMETERS = 256;
/** Of all attributes together: each is compared with every file. */
const MOST_VALUES = 1_024;
/** The depth of an attribute in sequences. */
const MOST_LEVELS = 8;

/** PS3.18 8.3.4. Throws `invalid_query`. */
export function parseSearch(query: string): SearchQuery {
  const matches = new Map<string, AttributeMatch>();
  const include: number[] = [];
  const ignored: string[] = [];
  let isAll = false;
  let offset = 0;
  let limit = Infinity;
  let count = 0;
  for (const [name, value] of new URLSearchParams(query)) {
    count += 1;
    if (count > MOST_PARAMETERS) throw invalid(`more than ${MOST_PARAMETERS} parameters`);
    if (name === 'limit') limit = parseCount(name, value);
    else if (name === 'offset') offset = parseCount(name, value);
    else if (name === 'includefield') {
      for (const field of value.split(',')) {
        if (field === 'all') isAll = true;
        else if (field !== '') include.push(parsePath(field)[0]!);
      }
    } else if (name === 'fuzzymatching') {
      if (value !== 'true' && value !== 'false') throw invalid('fuzzymatching must be true or false');
      if (value === 'true') ignored.push(name);
    } else if (name === 'accept' || name === 'charset') continue;
    else if (isAttributeName(name)) addMatch(matches, name, value);
    else if (/^[0-9A-Fa-f]*\d[0-9A-Fa-f]*$/.test(name)) throw invalid('a tag has eight digits');
    else if (/^[\w-]{1,32}$/.test(name)) ignored.push(name);
    else throw invalid('a parameter is no attribute');
  }
  const valueCount = [...matches.values()].reduce((sum, { values }) => sum + values.length, 0);
  if (valueCount > MOST_VALUES) throw invalid(`more than ${MOST_VALUES} values`);
  return { matches: [...matches.values()], include: isAll ? 'all' : include, offset, limit, ignored };
}

function addMatch(matches: Map<string, AttributeMatch>, name: string, value: string): void {
  const path = parsePath(name);
  const key = path.join('.');
  const known = dictionaryVr(path.at(-1)!) ?? 'UN';
  const vr = known.length === 2 ? known : resolveChoice(known, false);
  const values = vr === 'UI' || vr === 'CS' ? value.split(/[,\\]/).map((part) => part.trim()) : [value];
  matches.set(key, { path, vr, values: [...new Set([...(matches.get(key)?.values ?? []), ...values])] });
}

/** A misspelt keyword is refused: it would silently select everything. */
function isAttributeName(name: string): boolean {
  return /^([0-9A-Fa-f]{8}|[A-Z][A-Za-z0-9]+)(\.([0-9A-Fa-f]{8}|[A-Z][A-Za-z0-9]+))*$/.test(name);
}

/** Keywords or tags of eight digits, with a dot between a sequence and what is in its items. */
function parsePath(text: string): readonly number[] {
  const parts = text.split('.', MOST_LEVELS + 1);
  if (parts.length > MOST_LEVELS) throw invalid(`an attribute in more than ${MOST_LEVELS - 1} sequences`);
  return parts.map((part) => {
    if (/^[0-9A-Fa-f]{8}$/.test(part)) return parseInt(part, 16);
    const tag = /^[A-Z][A-Za-z0-9]{0,127}$/.test(part) ? findTag(part) : undefined;
    if (tag === undefined) throw invalid('there is no attribute of this name; use a DICOM keyword or eight digits');
    return tag;
  });
}

function parseCount(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw invalid(`${name} must be a whole number`);
  return Number(text);
}

function invalid(problem: string): ViewerError {
  return new ViewerError('invalid_query', problem);
}
