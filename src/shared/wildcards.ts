/** The characters of a pattern that stand for any text and for any character. */
export type Wildcards = { readonly text: string; readonly character: string };

/** Whether a text matches a pattern. Takes time in proportion to the product of the lengths, at worst. */
export function matchesWildcards(text: string, pattern: string, { text: many, character: one }: Wildcards): boolean {
  let at = 0;
  let to = 0;
  let star = -1;
  let afterStar = 0;
  while (at < text.length) {
    if (to < pattern.length && pattern[to] !== many && (pattern[to] === one || pattern[to] === text[at])) {
      at += 1;
      to += 1;
    } else if (pattern[to] === many) {
      star = to;
      afterStar = at;
      to += 1;
    } else if (star >= 0) {
      afterStar += 1;
      at = afterStar;
      to = star + 1;
    } else return false;
  }
  while (pattern[to] === many) to += 1;
  return to === pattern.length;
}
