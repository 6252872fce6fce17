import { basename } from 'node:path';
import { addTo } from '../../../shared/addTo.ts';
import type { StackTrait, StackTraitName } from '../../../shared/contract/series.ts';
import { buildOrientation, normalOf, type PlaneOrientation } from '../../../shared/geometry.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { describeSpan } from './frameTraits.ts';
import type { OfFrames, Stack } from './stack.ts';

type Stacks = readonly Pick<Stack, 'frames' | 'ofFrames' | 'totalPixelMatrixRows' | 'totalPixelMatrixColumns'>[];
type Value = string | undefined;

/**
 * For each stack of one series, the traits that distinguish it from the others. Traits shared by all stacks are left
 * out. Stacks whose image traits are equal, such as copies of one file, are distinguished by frame of reference,
 * instance number, encoding and file name.
 */
export function tellStacksApart(stacks: Stacks, files: readonly DicomFile[]): readonly (readonly StackTrait[])[] {
  const traits = stacks.map((): StackTrait[] => []);
  if (stacks.length < 2) return traits;
  const everywhere = stacks.map((_, at) => at);
  const addWhereDifferent = (name: StackTraitName, members: readonly number[], values: readonly Value[]): boolean => {
    if (new Set(values).size < 2) return false;
    for (const [i, member] of members.entries()) {
      const value = values[i];
      if (value !== undefined) traits[member]?.push({ name, value });
    }
    return true;
  };
  for (const [name, valueOf, ofFrames] of IMAGE_TRAITS) {
    addWhereDifferent(
      name,
      everywhere,
      stacks.map((stack) => (stack.ofFrames && ofFrames?.(stack.ofFrames)) ?? commonValue(stack, files, valueOf)),
    );
  }
  addWhereDifferent(
    'matrix',
    everywhere,
    stacks.map((stack) => matrixOf(stack, files)),
  );
  for (const alike of listAlike(traits)) {
    const members = alike.map((at) => stacks[at]!);
    addWhereDifferent('frame_of_reference', alike, numberFramesOfReference(members, files));
  }
  for (const [name, valueOf] of FILE_TRAITS) {
    for (const alike of listAlike(traits)) {
      addWhereDifferent(
        name,
        alike,
        alike.map((at) => commonValue(stacks[at]!, files, valueOf)),
      );
    }
  }
  return traits;
}

type ValueOf = (file: DicomFile) => Value;

/**
 * In the order in which a radiologist would name them: how to read the trait from a file with one frame, and from the
 * frames of files with several. The latter have no echo number, so the echo time is used.
 */
const IMAGE_TRAITS: readonly (readonly [StackTraitName, ValueOf, ((ofFrames: OfFrames) => Value)?])[] = [
  ['image_type', describeImageType],
  ['orientation', nameOnlyOrientation, nameCommonOrientation],
  [
    'echo',
    ({ placement }) => toText(placement?.echoNumber),
    ({ traits }) => (traits?.echoTimeMs === undefined ? undefined : `${describeSpan(traits.echoTimeMs)} ms`),
  ],
  ['b_value', ({ placement }) => toText(placement?.bValue), ({ traits }) => describeSpan(traits?.bValue)],
  ['phase', ({ placement }) => toText(placement?.time), ({ traits }) => describeSpan(traits?.phase)],
  ['sop_class', ({ sopClassUid, sopClassName }) => sopClassName ?? sopClassUid],
];

const FILE_TRAITS: readonly (readonly [StackTraitName, ValueOf])[] = [
  ['instance_number', ({ instanceNumber }) => instanceNumber || undefined],
  ['transfer_syntax', ({ transferSyntaxUid, transferSyntaxName }) => transferSyntaxName || transferSyntaxUid],
  ['file_name', ({ path }) => basename(path)],
];

/** The value that all files of the stack share; undefined if they differ. */
function commonValue({ frames }: Stacks[number], files: readonly DicomFile[], valueOf: ValueOf): Value {
  let last = -1;
  let common: Value;
  for (let at = 0; at < frames.length; at += 1) {
    const index = frames.fileIndices[at]!;
    if (index === last) continue;
    const file = files[index];
    const value = file === undefined ? undefined : valueOf(file);
    if (value === undefined || (last >= 0 && value !== common)) return undefined;
    common = value;
    last = index;
  }
  return common;
}

/** Groups of stacks that have the same traits so far. */
function listAlike(traits: readonly (readonly StackTrait[])[]): number[][] {
  const lists = new Map<string, number[]>();
  for (const [at, own] of traits.entries()) {
    const key = JSON.stringify(own);
    addTo(lists, key, at);
  }
  return [...lists.values()].filter(({ length }) => length > 1);
}

/** The content of the image, given by the third and later values: PS3.3 C.7.6.1.1.2. */
function describeImageType({ placement }: DicomFile): Value {
  const [pixels = '', , ...others] = (placement?.imageType ?? '').split('\\');
  const said = others.filter((value) => value !== '').join(' ');
  return said || pixels || undefined;
}

/** Planes within 15 degrees of an anatomical plane are named after it. */
const NEAR = Math.cos((15 * Math.PI) / 180);

function nameOnlyOrientation({ placement, frameCount }: DicomFile): Value {
  return frameCount === 1 ? nameOrientation(buildOrientation(placement?.orientation)) : undefined;
}

function nameCommonOrientation({ orientations }: OfFrames): Value {
  const names = new Set(orientations.map(nameOrientation));
  return names.size === 1 ? [...names][0] : undefined;
}

function nameOrientation(orientation: PlaneOrientation | undefined): Value {
  if (orientation === undefined) return undefined;
  const [x, y, z] = normalOf(orientation).map(Math.abs);
  if ((x ?? 0) >= NEAR) return 'sagittal';
  if ((y ?? 0) >= NEAR) return 'coronal';
  return (z ?? 0) >= NEAR ? 'axial' : 'oblique';
}

/** The UIDs mean nothing to users, so they are numbered in order of occurrence. The numbers mean little either. */
function numberFramesOfReference(stacks: Stacks, files: readonly DicomFile[]): Value[] {
  const numbers = new Map<string, string>();
  return stacks.map((stack) => {
    const uid = commonValue(stack, files, ({ frameOfReferenceUid }) => frameOfReferenceUid);
    if (uid === undefined) return undefined;
    const number = numbers.get(uid) ?? String(numbers.size + 1);
    numbers.set(uid, number);
    return number;
  });
}

function matrixOf(stack: Stacks[number], files: readonly DicomFile[]): Value {
  const { totalPixelMatrixRows: rows, totalPixelMatrixColumns: columns } = stack;
  if (rows !== undefined && columns !== undefined) return `${columns} x ${rows}`;
  return commonValue(stack, files, (file) => `${file.columns} x ${file.rows}`);
}

function toText(number: number | undefined): Value {
  return number === undefined ? undefined : String(number);
}
