import { expect, test } from 'vitest';
import type { LayerResponse, LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import type { RegistrationsResponse } from '../../src/shared/contract/registrations.ts';
import { startNegato } from '../cli/negatoProcess.ts';
import { RETURN_FREED_MEMORY } from '../support/allocator.ts';
import { askAgain } from '../support/askAgain.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { REGISTRATION_SETS } from './sets/registrationSets.ts';
import { watchHealth } from './watchHealth.ts';

const PATIENCE_MS = 600_000;
const TOO_MANY =
  'the image has another frame of reference, and nothing is registered: ' +
  'more than 1024 registrations connect this frame of reference with others, directly and indirectly';

/** The answers about the image and the structure set of a set. */
async function ask(name: string) {
  const folder = createTempFolder();
  for (const [at, bytes] of REGISTRATION_SETS[name]!().entries()) {
    writeBelow(folder, `${String(at).padStart(3, '0')}.dcm`, bytes);
  }
  const negato = await startNegato(['--no-token', '--memory', '576M', folder], { env: RETURN_FREED_MEMORY });
  await negato.waitFor('stdout', /"scan_complete"/, PATIENCE_MS);
  const { base_url: baseUrl } = negato.started;
  const health = watchHealth(baseUrl);
  const get = async (path: string) => (await askAgain(`${baseUrl}/api/${path}`)).json();
  const listed: LayersResponse = await get('layers?file=0&frame=0');
  const set: LayerResponse = await get('layer/1');
  const image = listed.target.frame_of_reference_uid!;
  const choices: RegistrationsResponse = await get(`registrations?frame_of_reference=${image}`);
  await health.stop();
  console.log(`${name}: health: ${health.count()} answers, the slowest ${health.worstMs().toFixed()} ms`);
  return { listed, set, choices };
}

test(
  'parallel registrations before a hub are not followed, and do not concern an image that none of them names',
  async () => {
    const { listed, set, choices } = await ask('parallel registrations before a hub');

    const reason = 'no ROI lies over an open image: no image of its frame of reference is open';
    expect(listed.layers).toMatchObject([{ layer: 1, placement: { status: 'unavailable', reason } }]);
    expect(set.warnings).toMatchObject([{ code: 'registrations_unused', message: expect.stringContaining('1024') }]);
    expect(choices).toMatchObject({ choices: [], problem: null });
  },
  PATIENCE_MS,
);

test(
  'very many frames of reference that can be reached are not followed, and the answers say so',
  async () => {
    const { listed, set, choices } = await ask('very many frames of reference that can be reached');

    expect(listed.layers).toMatchObject([{ layer: 1, placement: { status: 'unavailable', reason: TOO_MANY } }]);
    expect(set.warnings).toMatchObject([{ code: 'registrations_unused', message: expect.stringContaining('1024') }]);
    expect(choices).toMatchObject({ choices: [], problem: expect.stringContaining('1024') });
  },
  PATIENCE_MS,
);

test(
  'as many registrations as are followed connect what they connect',
  async () => {
    const { listed, set, choices } = await ask('as many registrations as are followed');

    // 16 times 16 ways, of which four are named.
    expect(listed.layers).toMatchObject([
      {
        layer: 1,
        placement: { status: 'ambiguous', reason: expect.stringMatching(/in different ways: .* and others$/) },
      },
    ]);
    expect(set.warnings).toEqual([]);
    expect(choices.choices.find(({ frame_of_reference_uid: uid }) => uid === '2.25.602')).toBeUndefined();
    expect(choices.choices.map(({ ways }) => ways.length)).toContain(4);
  },
  PATIENCE_MS,
);
