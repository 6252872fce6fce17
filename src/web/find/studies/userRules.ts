import type { HangingRule } from '../../../shared/hanging/hangingRule.ts';
import { parseHanging } from '../../../shared/hanging/parseHanging.ts';
import { fetchHanging } from '../../kit/api/hanging.ts';
import { definePart, type Page } from '../../kit/state/page.ts';

/** The rules that the user has saved in this page, the last first, and those of `--hanging`. */
const userRulesOf = definePart(() => ({
  saved: [] as readonly HangingRule[],
  given: undefined as readonly HangingRule[] | undefined,
}));

/** Without an answer of the server, the rules of the page are used; it is asked again the next time. */
export async function loadUserRules(page: Page): Promise<readonly HangingRule[]> {
  const rules = userRulesOf(page);
  rules.given ??= await fetchGiven();
  return [...rules.saved, ...(rules.given ?? [])];
}

async function fetchGiven(): Promise<readonly HangingRule[] | undefined> {
  try {
    const parsed = parseHanging(JSON.stringify(await fetchHanging(new AbortController().signal)));
    return parsed.ok ? parsed.rules : undefined;
  } catch {
    return undefined;
  }
}

/** A rule with the same name replaces an earlier one. */
export function addUserRule(page: Page, rule: HangingRule): void {
  const rules = userRulesOf(page);
  rules.saved = [rule, ...rules.saved.filter(({ name }) => name !== rule.name)];
}
