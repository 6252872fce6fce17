import { open } from 'node:fs/promises';
import { parseHanging } from '../shared/hanging/parseHanging.ts';
import { writeHangingRule } from '../shared/hanging/writeHangingRule.ts';

const MOST_BYTES = 2 ** 20;

/** The rules of the file of `--hanging`, as it has them. Throws an error whose message says where it is wrong. */
export async function readHanging(path: string): Promise<readonly object[]> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES) throw new Error(`the file is larger than ${MOST_BYTES} bytes`);
    const text = await file.readFile('utf8');
    const parsed = parseHanging(text);
    if (!parsed.ok) throw new Error(parsed.message);
    return parsed.rules.map(writeHangingRule);
  } finally {
    await file.close();
  }
}
