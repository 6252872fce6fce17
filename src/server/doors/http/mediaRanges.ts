/** One of the forms in which a client accepts an answer. */
export type MediaRange = {
  /** `multipart/related`: several parts of `type`. */
  readonly isMultipart: boolean;
  // In lower case, such as `image/jpeg`, `image/*` or `*/*`. The last one for a multipart answer without a type.
  readonly type: string;
  /** `*`, a UID, or undefined. */
  readonly transferSyntax: string | undefined;
};

/** The ranges of an Accept header (RFC 9110 12.5.1), the preferred ones first. Without a header, everything. */
export function parseMediaRanges(header: string | undefined): readonly MediaRange[] {
  const ranges = splitOutside(header ?? '', ',').flatMap((text) => {
    const [name = '', ...rest] = splitOutside(text, ';').map((part) => part.trim());
    if (name === '') return [];
    const parameters = new Map(rest.map(parseParameter));
    const quality = Number(parameters.get('q') ?? '1');
    const isMultipart = name.toLowerCase() === 'multipart/related';
    const type = isMultipart ? (parameters.get('type') ?? ANY_MEDIA) : name;
    const range = { isMultipart, type: type.toLowerCase(), transferSyntax: parameters.get('transfer-syntax') };
    return quality > 0 ? [{ range, quality }] : [];
  });
  if (header === undefined || header.trim() === '') return [EVERYTHING];
  return ranges.toSorted((a, b) => b.quality - a.quality).map(({ range }) => range);
}

const ANY_MEDIA = '*/*';
const EVERYTHING: MediaRange = { isMultipart: false, type: ANY_MEDIA, transferSyntax: undefined };

/** Whether a range such as `image/*` covers a media type. */
export function coversType({ type }: Pick<MediaRange, 'type'>, mediaType: string): boolean {
  if (type === ANY_MEDIA || type === mediaType) return true;
  return type.endsWith('/*') && mediaType.startsWith(type.slice(0, -1));
}

function parseParameter(text: string): [string, string] {
  const equals = text.indexOf('=');
  const name = (equals === -1 ? text : text.slice(0, equals)).trim().toLowerCase();
  const value = equals === -1 ? '' : text.slice(equals + 1).trim();
  const isQuoted = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
  return [name, isQuoted ? value.slice(1, -1) : value];
}

/** Splits a text where the separator is not in quotes. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === separator && !isQuoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
