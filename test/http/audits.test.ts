import { Check } from 'typebox/value';
import { expect, test } from 'vitest';
import { AUDIT_NAMES, AuditResponse } from '../../src/shared/contract/audits.ts';
import { writePlantedCohort } from '../support/plantedCohort.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';
import { createTempFolder } from '../support/tempFolder.ts';

async function askAudit(server: TestServer, name: string, query = ''): Promise<AuditResponse> {
  const response = await server.request(`/api/audit/${name}${query}`);
  expect(response.status).toBe(200);
  const answer = await response.json();
  expect(Check(strictSchema(AuditResponse), answer)).toBe(true);
  return answer;
}

const inOrder = <Item extends object>(items: readonly Item[]) =>
  items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

test('audits of a planted cohort find everything that was planted, and nothing else', async () => {
  const folder = createTempFolder();
  const planted = writePlantedCohort(folder);
  const server = await serveWith({ inputs: [folder] });
  for (const name of AUDIT_NAMES) {
    const answer = await askAudit(server, name, name === 'duplicates' ? '?pixels=1' : '');
    expect(answer).toMatchObject({ audit: name, files: planted.files, unread: 0, is_complete: true });
    expect(answer.total).toBe(answer.findings.length);
    const found = answer.findings.map(({ level, code, unit, count }) => ({
      audit: name,
      level,
      code,
      id: unit.id.replace(`${folder}/`, ''),
      count,
    }));
    expect(inOrder(found)).toEqual(inOrder(planted.findings.filter(({ audit }) => audit === name)));
  }
});
