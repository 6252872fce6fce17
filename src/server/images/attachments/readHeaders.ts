import { constants, inflateRawSync } from 'node:zlib';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { maskText, quoteText } from '../../bytes/masking/maskText.ts';
import { openBeside, type OpenSource, withSame } from '../../bytes/origins/origins.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { type ArrayHeader, type ArrayWarning, checkLength, unreadable } from './arrayHeader.ts';
import type { FileHeader, FoundArray, HeaderInput } from './attachmentTasks.ts';
import { readNifti } from './nifti.ts';
import { MOST_NPY_HEADER, readNpy } from './npy.ts';
import { readNrrd } from './nrrd.ts';
import { readPngHeader } from './png.ts';
import { listZipMembers, type ZipMember } from './zipMembers.ts';

/** Implements `readHeadersTask`. A file that cannot be read does not hide the others. */
export function readHeaders(inputs: readonly HeaderInput[], context: TaskContext): readonly FileHeader[] {
  return inputs.map((input) => {
    context.throwIfCancelled();
    try {
      return withSame(input.source, (opened) => readHeader(opened, input));
    } catch (error) {
      if (error instanceof ViewerError) return { kind: 'failed', reason: error.message };
      throw error;
    }
  });
}

function readHeader(opened: OpenSource, { source, name, format }: HeaderInput): FileHeader {
  const one = (header: ArrayHeader): FileHeader => ({
    kind: 'arrays',
    arrays: [{ member: undefined, header: maskNames(header), data: findData({ opened, source }, header) }],
  });
  switch (format) {
    case 'nifti':
      return one(readNifti({ source: opened, name }));
    case 'nrrd':
      return one(readNrrd(opened));
    case 'npy': {
      const bytes = opened.read(0, MOST_NPY_HEADER).slice();
      return one(readNpy(bytes, { start: 0, length: undefined, packing: 'raw' }));
    }
    case 'npz':
      return { kind: 'arrays', arrays: readMembers(opened) };
    case 'png':
      return { kind: 'png', header: readPngHeader(opened) };
  }
}

/** Of files beside the images; what a client sends keeps its names. */
function maskNames(header: ArrayHeader): ArrayHeader {
  const labels = header.labels.map((one) => ({
    ...one,
    name: one.name && maskText(one.name),
    tags: one.tags && maskText(one.tags),
  }));
  return { ...header, labels };
}

type Opened = { readonly opened: OpenSource; readonly source: HeaderInput['source'] };

/** The file with the elements; its length is compared with the header. */
function findData({ opened, source }: Opened, header: ArrayHeader): FoundArray['data'] {
  const { besideName } = header.data;
  if (besideName === undefined) {
    checkLength(header, opened.size);
    return source;
  }
  const beside = openBeside(source, besideName);
  if (beside === undefined) {
    throw unreadable(
      `the data is in ${quoteText(besideName.slice(0, 128))}, which is no file in the folder of the header`,
    );
  }
  try {
    checkLength(header, beside.size);
    return beside.known;
  } finally {
    beside.close();
  }
}

/** Members that cannot be read, such as pickled ones, are left out with a warning, unless there are no others. */
function readMembers(opened: OpenSource): readonly FoundArray[] {
  const arrays: FoundArray[] = [];
  const warnings: ArrayWarning[] = [];
  const members = listZipMembers(opened);
  if (members.length === 0) throw unreadable('the file has no members');
  for (const member of members) {
    try {
      arrays.push(readMember(opened, member));
    } catch (error) {
      if (!(error instanceof ViewerError)) throw error;
      if (members.length === 1) throw error;
      warnings.push({
        code: 'member_left_out',
        message: `${maskText(member.name.slice(0, 64))} is left out: ${error.message}`,
      });
    }
  }
  if (arrays.length === 0) throw unreadable(warnings[0]?.message ?? '');
  return arrays.map((array) => ({ ...array, header: { ...array.header, warnings: warnings.slice(0, 4) } }));
}

function readMember(opened: OpenSource, { name, packing, start, length }: ZipMember): FoundArray {
  const bytes = opened.read(start, Math.min(length, MOST_NPY_HEADER)).slice();
  const header = readNpy(packing === 'raw' ? bytes : inflateStart(bytes), { start, length, packing });
  checkLength(header, opened.size);
  return { member: maskText(name.replace(/\.npy$/, '').slice(0, 256)), header, data: opened.known };
}

/** 4 KiB unpack to 4 MiB at most. */
const MOST_START = 2 ** 23;

function inflateStart(packed: Uint8Array): Uint8Array {
  try {
    return inflateRawSync(packed, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MOST_START });
  } catch {
    throw unreadable('a member of the file is damaged');
  }
}
