import type { ValueMappingResponse } from '../../shared/contract/valueMapping.ts';
import { send } from './send.ts';

export async function fetchValueMapping(
  { fileIndex, frame }: { readonly fileIndex: number; readonly frame: number },
  signal: AbortSignal,
): Promise<ValueMappingResponse> {
  const response = await send(`api/file/${fileIndex}/frame/${frame}/value-mapping`, { signal });
  const body: ValueMappingResponse = await response.json();
  return body;
}
