import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Static, TSchema } from '../../../shared/contract/schema.ts';
import { parseBody } from '../../machine/workers/parseBody.ts';

/** The value of a JSON body that has the shape of the schema. `words` tell the client what it should be. */
export async function parseChecked<Schema extends TSchema>(
  schema: Schema,
  body: Uint8Array,
  words: string,
): Promise<Static<Schema>> {
  const value = parseBody(body);
  // Loaded with the first body.
  const { Check } = await import('typebox/value');
  if (Check(schema, value)) return value;
  throw new ViewerError('invalid_json', words);
}
