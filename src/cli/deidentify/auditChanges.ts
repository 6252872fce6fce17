import type { AuditCode } from '../../shared/contract/audits.ts';
import type { FinishedAudit } from '../../server/images/audits/audits.ts';

/** What an audit found before and in the copies. */
export type AuditChange = {
  readonly code: AuditCode;
  /** An element with its name, or nothing for what is counted together. */
  readonly what: string;
  readonly state: 'gone' | 'still' | 'new';
  /** Files with it; of others than elements, findings. */
  readonly before: number;
  readonly after: number;
};

/** Elements are compared by their tags. Series and studies have other UIDs in the copies, so their findings are counted. */
export function compareAudits(
  before: readonly FinishedAudit[],
  after: readonly FinishedAudit[],
): readonly AuditChange[] {
  const changes = new Map<string, AuditChange>();
  const add = (audits: readonly FinishedAudit[], side: 'before' | 'after') => {
    for (const { code, unit, count } of audits.flatMap(({ findings }) => findings)) {
      const what = unit.kind === 'element' ? `${unit.id} ${unit.name}`.trim() : '';
      const key = `${code} ${what}`;
      const known = changes.get(key) ?? { code, what, state: 'gone' as const, before: 0, after: 0 };
      changes.set(key, { ...known, [side]: known[side] + (unit.kind === 'element' ? count : 1) });
    }
  };
  add(before, 'before');
  // The folders of copies have the pseudonyms that are in them.
  add(
    after.map(({ findings, ...audit }) => ({
      ...audit,
      findings: findings.filter(({ code }) => code !== 'identifier_in_path'),
    })),
    'after',
  );
  return Array.from(changes.values(), (change) => ({ ...change, state: stateOf(change) }));
}

function stateOf({ before, after }: Pick<AuditChange, 'before' | 'after'>): AuditChange['state'] {
  if (after === 0) return 'gone';
  return before === 0 ? 'new' : 'still';
}
