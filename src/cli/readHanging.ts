import { open } from 'node:fs/promises';
import { parseHanging } from '../shared/hanging/parseHanging.ts';
import { writeHangingRule } from '../shared/hanging/writeHangingRule.ts';

const MOST_BYTES = 2 ** 20;

/** The rules of the file of `--hanging`, as it has them. Throws an error whose message says where it is wrong. */
export async function readHanging(path: string): Promise<readonly object[]> {
  const parsed = parseHanging(await readText(path));
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.rules.map(writeHangingRule);
}

/** At most as much as is allowed, because a device or pipe does not say how much it holds. */
async function readText(path: string): Promise<string> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(MOST_BYTES + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, null);
      if (bytesRead === 0) return bytes.toString('utf8', 0, length);
      length += bytesRead;
    }
    throw new Error(`the file is larger than ${MOST_BYTES} bytes`);
  } finally {
    await file.close();
  }
}
