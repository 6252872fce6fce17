import type { InfoResponse } from '../../shared/contract/info.ts';
import { send } from './send.ts';

export async function fetchInfo(fileIndex: number, signal: AbortSignal): Promise<InfoResponse> {
  const response = await send(`api/file/${fileIndex}/info`, { signal });
  const body: InfoResponse = await response.json();
  return body;
}
