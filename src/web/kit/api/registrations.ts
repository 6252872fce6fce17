import type { PreferredRegistrations, RegistrationsResponse } from '../../../shared/contract/registrations.ts';
import { fetchJson, send } from './send.ts';

/** Registrations that connect the images of a frame of reference with others in different ways. */
export function fetchRegistrations(frameOfReferenceUid: string, signal: AbortSignal): Promise<RegistrationsResponse> {
  return fetchJson(`api/registrations?frame_of_reference=${encodeURIComponent(frameOfReferenceUid)}`, { signal });
}

/** Decides between such registrations, by file. */
export async function preferRegistrations(files: readonly number[]): Promise<PreferredRegistrations> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await send('api/registrations/preferred', {
    method: 'PUT',
    headers,
    body: JSON.stringify({ files }),
  });
  return response.json();
}
