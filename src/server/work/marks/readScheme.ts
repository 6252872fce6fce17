import { open } from 'node:fs/promises';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { LabelScheme } from '../../../shared/contract/marks.ts';
import { parseBody } from '../../machine/workers/parseBody.ts';
import { checkScheme } from './labels.ts';
import { shape } from './parseMark.ts';

const MOST_BYTES = 2 ** 20;

/** The file of `--labels`. Throws an error whose message says what is wrong with it. */
export async function readScheme(path: string): Promise<LabelScheme> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES) throw new ViewerError('invalid_labels', `the file is larger than ${MOST_BYTES} bytes`);
    const scheme = await shape(LabelScheme, parseBody(await file.readFile()));
    checkScheme(scheme);
    return scheme;
  } finally {
    await file.close();
  }
}
