import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { asError } from '../../../shared/asError.ts';
import {
  AUDIT_CODES,
  AUDIT_LEVELS,
  AUDIT_NAMES,
  type AuditCode,
  type AuditFinding,
  type AuditName,
  type AuditQuery,
  type AuditResponse,
} from '../../../shared/contract/audits.ts';
import { fetchAudit } from '../../kit/api/audits.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { tableColumnsOf } from '../cohort/tableColumns.ts';
import { askTableAgain } from '../cohort/tableNews.ts';

export type AuditState =
  | { readonly status: 'waiting' | 'running' }
  | { readonly status: 'done'; readonly answer: AuditResponse; readonly where: string }
  | { readonly status: 'failed'; readonly message: string };

export type AuditsState = {
  readonly chosen: ReadonlySet<AuditName>;
  /** Whether identifying values are listed as they are. */
  readonly showsValues: boolean;
  readonly comparesPixels: boolean;
  readonly outcomes: ReadonlyMap<AuditName, AuditState>;
  readonly isRunning: boolean;
};

/** All but the one that decodes every frame, as the command does. */
const USUAL = AUDIT_NAMES.filter((name) => name !== 'readable');

const runsOf = definePart(() => ({ last: new AbortController() }));

export const auditsOf = definePart((page) => {
  const store = createStore<AuditsState>(() => ({
    chosen: new Set(USUAL),
    showsValues: false,
    comparesPixels: false,
    outcomes: new Map(),
    isRunning: false,
  }));
  // Files have other numbers then.
  page.onRestart(() => {
    runsOf(page).last.abort();
    store.setState({ outcomes: new Map(), isRunning: false });
  });
  return store;
});

export function useAudits<T>(select: (state: AuditsState) => T): T {
  return useStore(auditsOf(usePage()), select);
}

/** Runs the chosen audits one after the other, on the files that the condition chooses. */
export async function runAudits(page: Page, where: string): Promise<void> {
  const store = auditsOf(page);
  cancelAudits(page);
  const run = new AbortController();
  runsOf(page).last = run;
  const { chosen, showsValues, comparesPixels } = store.getState();
  const names = AUDIT_NAMES.filter((name) => chosen.has(name));
  store.setState({ isRunning: true, outcomes: new Map(names.map((name) => [name, { status: 'waiting' }])) });
  const put = (name: AuditName, outcome: AuditState) => {
    if (!run.signal.aborted) store.setState(({ outcomes }) => ({ outcomes: new Map(outcomes).set(name, outcome) }));
  };
  for (const name of names) {
    put(name, { status: 'running' });
    const query: AuditQuery = {
      ...(where.trim() !== '' && { where }),
      ...(showsValues && { values: '1' }),
      ...(comparesPixels && name === 'duplicates' && { pixels: '1' }),
    };
    try {
      put(name, { status: 'done', answer: await fetchAudit(name, query, run.signal), where });
    } catch (error) {
      put(name, { status: 'failed', message: asError(error).message });
    }
    if (run.signal.aborted) return;
  }
  store.setState({ isRunning: false });
  // The table has a column of what was found.
  void tableColumnsOf(page).renew('columns');
  askTableAgain(page);
}

/** What has ended stays. */
export function cancelAudits(page: Page): void {
  runsOf(page).last.abort();
  auditsOf(page).setState(({ outcomes }) => ({
    isRunning: false,
    outcomes: new Map([...outcomes].filter(([, { status }]) => status === 'done' || status === 'failed')),
  }));
}

export type FindingGroup = {
  readonly code: AuditCode;
  readonly title: string;
  /** Of its most important finding. */
  readonly level: AuditFinding['level'];
  readonly findings: readonly AuditFinding[];
};

/** Findings that say the same of different files. */
export function groupFindings(findings: readonly AuditFinding[]): readonly FindingGroup[] {
  const groups = new Map<AuditCode, AuditFinding[]>();
  for (const finding of findings) {
    const known = groups.get(finding.code);
    if (known === undefined) groups.set(finding.code, [finding]);
    else known.push(finding);
  }
  return [...groups]
    .map(([code, all]): FindingGroup => {
      const level = all.reduce<AuditFinding['level']>(
        (most, one) => (rank(one.level) > rank(most) ? one.level : most),
        'info',
      );
      return { code, title: AUDIT_CODES[code].title, level, findings: all };
    })
    .toSorted((a, b) => rank(b.level) - rank(a.level));
}

function rank(level: AuditFinding['level']): number {
  return AUDIT_LEVELS.indexOf(level);
}
