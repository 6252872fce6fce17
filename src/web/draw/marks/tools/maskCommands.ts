import type { Command } from '../../../kit/state/commands.ts';
import { loadChunk } from '../../../kit/state/loadChunk.ts';
import type { Page } from '../../../kit/state/page.ts';
import { listMaskCommands, type MaskCommandName } from './maskTools.ts';

export const MASK_COMMANDS: readonly Command[] = listMaskCommands().map(({ name, title, key }): Command => ({
  id: `mask.${name}`,
  title,
  group: 'Editing',
  keys: [key],
  run: (page) => void begin(page, name),
}));

async function begin(page: Page, name: MaskCommandName): Promise<void> {
  const { beginMaskStep } = await loadChunk(page, () => import('./beginMaskStep.ts'));
  await beginMaskStep(page, name);
}
