import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import type { ValueMappingResponse } from '../../src/shared/contract/valueMapping.ts';
import type { VolumeValueResponse } from '../../src/shared/contract/volumes.ts';
import { decodeField, valueOfField } from '../../src/shared/fieldPacket.ts';
import { findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serveShared } from '../support/serve.ts';

describe('the hot sphere of the phantom', needs(LAYERS_DATA), () => {
  test('has its SUV over the CT', async () => {
    const folder = `${findLayersData()}/synthetic-phantom`;
    const truth = JSON.parse(readFileSync(`${folder}/truth.json`, 'utf8'));
    const server = await serveShared(`${folder}/ct`, `${folder}/pet`);
    const read = async <Answer>(path: string): Promise<Answer> => (await server.request(`/api/${path}`)).json();

    const { nearest } = await read<VolumeValueResponse>(`file/0/volume/value?at=${truth.sphere.centre.join()}`);
    const { file_index: slice, row, column } = nearest!;
    const { layers } = await read<LayersResponse>(`layers?file=${slice}&frame=0`);
    const { layer } = layers.find(({ kind }) => kind === 'field')!;
    const { pet } = await read<ValueMappingResponse>(`file/${layer}/frame/0/value-mapping`);
    const suv = pet!.suv;
    const packet = await server.request(`/api/layer/${layer}/frame?file=${slice}&frame=0`);
    const { item } = decodeField(await packet.arrayBuffer());

    const activity = valueOfField(item!, column, row)!;
    expect('factor' in suv && suv.factor * activity).toBeCloseTo(truth.suvbw_hot, 3);
  });
});
