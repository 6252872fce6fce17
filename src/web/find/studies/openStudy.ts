import { loadChunk } from '../../kit/state/loadChunk.ts';
import type { Page } from '../../kit/state/page.ts';

/** Shows a study by rule. */
export async function openStudy(page: Page, studyUid: string): Promise<void> {
  const { hangStudy } = await loadChunk(page, () => import('./studyChunk.ts'));
  await hangStudy(page, studyUid);
}
