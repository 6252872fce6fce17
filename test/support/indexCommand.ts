import { onTestFinished } from 'vitest';
import { parseArguments } from '../../src/cli/arguments.ts';
import { checkStart } from '../../src/cli/checkStart.ts';
import { parseIndexArguments } from '../../src/cli/indexArguments.ts';
import { toSettings } from '../../src/cli/settings.ts';
import { createTerminal } from '../../src/cli/terminal.ts';
import { writeIndex } from '../../src/cli/writeIndex.ts';
import { type Catalog, createCatalog } from '../../src/server/images/catalog/catalog.ts';
import { openIndexes } from '../../src/server/images/catalog/openIndex.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import { borrowThreads } from './borrowThreads.ts';

/** Runs `negato index` and returns its exit code and what it printed. */
export async function runIndex(...words: readonly string[]): Promise<{ code: number; printed: string }> {
  let printed = '';
  const stream = { write: (text: string) => (printed += text), on: () => undefined };
  const given = parseIndexArguments(words);
  if (given === undefined) throw new Error('only the help is wanted');
  return { code: await writeIndex(given, createTerminal({ stdout: stream, stderr: stream }, 'info')), printed };
}

/** The catalog that `negato --index …` opens. */
export async function openByIndex(...words: readonly string[]): Promise<Catalog> {
  const command = parseArguments(words);
  if (command.kind !== 'open') throw new Error('not a command that opens files');
  const { indexes, filters } = await checkStart(toSettings(command.given, {}));
  if (indexes === undefined) throw new Error('there is no index');
  const memory = createMemoryAccount();
  const tasks = borrowThreads(memory);
  onTestFinished(() => tasks.close());
  const known = (signal: AbortSignal) =>
    openIndexes(indexes, { tasks, filters, places: [], onTrouble: () => undefined, signal });
  const catalog = createCatalog({ inputs: [], memory, known });
  catalog.start();
  await catalog.scanComplete;
  return catalog;
}
