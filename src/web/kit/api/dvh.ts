import type { DvhResponse } from '../../../shared/contract/dvh.ts';
import { fetchJson } from './send.ts';

/** The dose in parts of a structure set or segmentation. */
export function fetchDvh(
  { volumes, dose, plus, parts, points = [] }: DvhQuestion,
  signal: AbortSignal,
): Promise<DvhResponse> {
  const query = new URLSearchParams({ dose: String(dose) });
  for (const [name, values] of Object.entries({ plus, parts, points })) {
    if (values.length > 0) query.set(name, values.join(','));
  }
  return fetchJson(`api/file/${volumes}/dvh?${query}`, { signal });
}

type DvhQuestion = {
  readonly volumes: number;
  readonly dose: number;
  readonly plus: readonly number[];
  readonly parts: readonly number[];
  /** Such as `D90`, `D0.5cc` and `V20Gy`. */
  readonly points?: readonly string[];
};
