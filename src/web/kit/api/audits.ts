import type { AuditName, AuditQuery, AuditResponse } from '../../../shared/contract/audits.ts';
import { fetchJson } from './send.ts';

/** Answers when the audit has ended. It ends when the signal aborts. */
export function fetchAudit(name: AuditName, query: AuditQuery, signal: AbortSignal): Promise<AuditResponse> {
  const text = new URLSearchParams(Object.entries(query)).toString();
  return fetchJson(`api/audit/${name}${text === '' ? '' : `?${text}`}`, { signal, priority: 'low' });
}
