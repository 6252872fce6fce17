import type { IncomingMessage } from 'node:http';
import type { ArrayPlan } from '../../images/exports/nifti/niftiVolumes.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { AssistantFailure, readExactly } from './assistantClient.ts';
import { type AnswerBox, bytesOfAnswer, encodeAnswerTask } from './assistantTasks.ts';

type MaskReaderContext = { readonly tasks: TaskRunner; readonly memory: Pick<MemoryAccount, 'tasks'> };

/** Reads masks of assistants while their memory is reserved, and makes those of stored frames of them in a thread. */
export function createAnswerReader({ tasks, memory }: MaskReaderContext) {
  return async (
    response: IncomingMessage,
    plan: ArrayPlan,
    only: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array<ArrayBuffer>> => {
    const box = readBox(response, plan, only);
    const voxels = box.size[0] * box.size[1] * box.size[2];
    const { 'content-length': length } = response.headers;
    if (length !== undefined && Number(length) !== voxels) {
      throw new AssistantFailure(
        'wrong',
        `its mask has ${length} bytes, and ${voxels} were expected, one for each sample`,
      );
    }
    const reservation = { bytes: bytesOfAnswer(voxels), signal };
    return memory.tasks.reserve(reservation, async () => {
      const samples = await readExactly(response, voxels);
      const frames = Array.from({ length: box.size[0] }, (_, at) => {
        const place = box.from[0] + at;
        return { file_index: plan.frames[2 * place]!, frame_index: plan.frames[2 * place + 1]! };
      });
      const transfer = [samples.buffer];
      const encoded = await tasks.run(
        encodeAnswerTask,
        { ...box, samples, frames },
        { signal, transfer, isReserved: true },
      );
      if ('json' in encoded) return encoded.json;
      if ('wrongValue' in encoded) {
        throw new AssistantFailure('wrong', `its mask has the value ${encoded.wrongValue}; a mask has 0 and 1`);
      }
      throw new AssistantFailure('wrong', 'its mask has too many edges to be a mark');
    });
  };
}

/** The part of the volume that a mask is of; all of it if it does not say. */
function readBox({ headers }: IncomingMessage, { shape }: ArrayPlan, only: number | undefined): AnswerBox {
  const [, slices, rows, columns] = shape;
  const all = [slices, rows, columns] as const;
  const from = readThree(headers['x-mask-from']) ?? ([0, 0, 0] as const);
  const size = readThree(headers['x-mask-size']) ?? all;
  for (const axis of [0, 1, 2] as const) {
    if (size[axis] < 1 || from[axis] + size[axis] > all[axis]) {
      throw new AssistantFailure(
        'wrong',
        `its mask of ${size.join(' × ')} samples is not within the ${all.join(' × ')} of the volume`,
      );
    }
  }
  if (only !== undefined && (from[0] !== only || size[0] !== 1)) {
    throw new AssistantFailure('wrong', 'its mask is not on the image that it was asked about');
  }
  return { from, size };
}

function readThree(header: string | string[] | undefined): readonly [number, number, number] | undefined {
  if (header === undefined) return undefined;
  const [, z, y, x] = /^(\d{1,7}), ?(\d{1,7}), ?(\d{1,7})$/.exec(String(header)) ?? [];
  if (z === undefined) throw new AssistantFailure('wrong', 'the place of its mask cannot be read');
  return [Number(z), Number(y), Number(x)];
}
