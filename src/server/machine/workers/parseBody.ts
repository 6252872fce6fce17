import { ViewerError } from '../../../shared/contract/errors.ts';
import { type JsonBounds, parseJson } from './parseJson.ts';

/** The JSON of a request body, within bounds. The caller checks its shape. */
export function parseBody(bytes: Uint8Array, bounds?: JsonBounds): unknown {
  const value = parseJson(bytes, bounds);
  refuseHostileKeys(value);
  return value;
}

/** Keys that could modify the prototype of all objects in a careless merge. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

function refuseHostileKeys(root: unknown): void {
  const containers: object[] = [];
  addContainer(containers, root);
  for (let container = containers.pop(); container !== undefined; container = containers.pop()) {
    if (!Array.isArray(container) && Object.keys(container).some((key) => FORBIDDEN_KEYS.has(key))) {
      throw new ViewerError('invalid_json', 'the body contains a forbidden key');
    }
    for (const value of Array.isArray(container) ? container : Object.values(container))
      addContainer(containers, value);
  }
}

/** Scalars are skipped: they make up most of a large body and need no check. */
function addContainer(containers: object[], value: unknown): void {
  if (typeof value === 'object' && value !== null) containers.push(value);
}
