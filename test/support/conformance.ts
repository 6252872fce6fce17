import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import { withSame } from '../../src/server/bytes/origins/origins.ts';
import { transferSyntaxName } from '../../src/server/standard/dicom/uids.ts';
import { findCodec } from '../../src/server/images/pixels/codecs/registry.ts';
import { decodeFrame } from '../../src/server/images/pixels/decodeFrame.ts';
import { createImageFiles, type ImageFile } from '../../src/server/images/pixels/imageFiles.ts';
import { readFrame } from '../../src/server/images/pixels/readFrame.ts';
import { createImagePixel } from './createImagePixel.ts';
import { compareFrame, isDecodable, type ReferenceFrame, readReferenceFrames, toImageFile } from './referenceFrames.ts';
import { syntheticImage } from './syntheticImage.ts';

type Tally = {
  frames: number;
  exact: number;
  close: number;
  /** Between the means of a lossy frame and those of its reference. */
  largestDifference: number;
  largestShare: number;
  refused: number;
  different: string[];
  fixtures: number;
  exactFixtures: number;
};

type Refusal = { readonly path: string; readonly reason: string };

/** Decodes every frame and fixture that has a reference, and returns a report in Markdown. */
export async function measureConformance(corpus: string, fixtures: string): Promise<string> {
  const tallies = new Map<string, Tally>();
  const refusals: Refusal[] = [];
  const images = createImageFiles();
  for (const reference of readReferenceFrames(corpus)) {
    const file = toImageFile(corpus, reference);
    const tally = tallyOf(tallies, syntaxOf(file));
    tally.frames += 1;
    await readFrame(images, { file, frame: Number(reference.frame || 1) - 1 }).then(
      (decoded) => count(tally, reference, compareFrame(reference, decoded)),
      (error: unknown) => {
        if (!(error instanceof ViewerError)) throw error;
        tally.refused += 1;
        if (isDecodable(reference))
          tally.different.push(`${reference.path} frame ${reference.frame}: ${error.message}`);
        refusals.push({ path: reference.path, reason: error.message });
      },
    );
  }
  for (const name of readdirSync(fixtures).filter((each) => each.includes('lossless'))) {
    const uid = syntaxOfFixture(name);
    const tally = tallyOf(tallies, uid);
    tally.fixtures += 1;
    if (await isFixtureExact(join(fixtures, name), uid)) tally.exactFixtures += 1;
    else tally.different.push(name);
  }
  return toMarkdown(tallies, refusals);
}

function tallyOf(tallies: Map<string, Tally>, transferSyntaxUid: string): Tally {
  const known = tallies.get(transferSyntaxUid);
  if (known !== undefined) return known;
  const counts = { frames: 0, exact: 0, close: 0, refused: 0, fixtures: 0, exactFixtures: 0 };
  const tally: Tally = { ...counts, largestDifference: 0, largestShare: 0, different: [] };
  tallies.set(transferSyntaxUid, tally);
  return tally;
}

function count(tally: Tally, reference: ReferenceFrame, comparison: ReturnType<typeof compareFrame>): void {
  // Intact frames of a file that is truncated later have no reference.
  if (reference.class === 'undecoded') tally.frames -= 1;
  else if (comparison.kind === 'exact') tally.exact += 1;
  else if (comparison.kind === 'different') tally.different.push(`${reference.path}: ${comparison.what}`);
  else {
    tally.close += 1;
    tally.largestDifference = Math.max(tally.largestDifference, comparison.difference);
    tally.largestShare = Math.max(tally.largestShare, comparison.share);
  }
}

function syntaxOf(file: ImageFile): string {
  return withSame(file, (source) => readDicom(source).transferSyntaxUid);
}

const FIXTURE_SYNTAXES: readonly (readonly [beginning: string, last: string])[] = [
  ['jpeg-lossless-sv6', '57'],
  ['jpeg-lossless', '70'],
  ['jpegls-lossless', '80'],
  ['j2k-lossless', '90'],
  ['htj2k-lossless', '201'],
  ['jxl-lossless', '110'],
];

function syntaxOfFixture(name: string): string {
  const last = FIXTURE_SYNTAXES.find(([beginning]) => name.startsWith(beginning))?.[1];
  if (last === undefined) throw new Error(`of what transfer syntax is ${name}?`);
  return `1.2.840.10008.1.2.4.${last}`;
}

async function isFixtureExact(path: string, transferSyntaxUid: string): Promise<boolean> {
  const [, depth, sign, color] = /_(\d+)([us])_(gray|rgb|ybr)/.exec(path) ?? [];
  const image = { bits: Number(depth), signed: sign === 's', samplesPerPixel: color === 'gray' ? 1 : 3 };
  const lookup = findCodec(transferSyntaxUid);
  if (!lookup.found) return false;
  const pixel = createImagePixel({
    transferSyntaxUid,
    samplesPerPixel: image.samplesPerPixel,
    bitsAllocated: image.bits === 1 ? 1 : image.bits > 8 ? 16 : 8,
    bitsStored: image.bits,
    pixelRepresentation: image.signed ? 1 : 0,
    encapsulated: true,
    pixelDataVr: 'OB',
  });
  const { samples } = await decodeFrame(new Uint8Array(readFileSync(path)), { pixel, codec: lookup.codec, frame: 0 });
  // The one-bit stream contains the highest bit of the 8-bit image.
  const expected = image.bits === 1 ? syntheticImage({ bits: 8 }).map((value) => value >> 7) : syntheticImage(image);
  return expected.every((value, i) => value === Number(samples[i]));
}

function toMarkdown(tallies: ReadonlyMap<string, Tally>, refusals: readonly Refusal[]): string {
  const all = [...tallies].toSorted(([a], [b]) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const differences = all.flatMap(([, { different }]) => different);
  return `# Conformance of decoding

Written by \`node scripts/conformance.mjs\`; do not edit it. Two sources:

- **Real files**: a collection of 820 public DICOM files with the samples that other tools (pydicom, GDCM, DCMTK,
  OpenJPEG) decode from them. *Exact* frames have the same SHA-256 over all samples. *Lossy* frames, where two decoders
  may differ by rounding, are compared by the mean of each channel: the column gives the largest difference, in sample
  values and as a share of the range of the frame. *Refused* frames are listed below.
- **Fixtures**: the lossless streams in \`test/fixtures/streams\`, written by the encoders that its README names from a
  synthetic image of 1 to 16 bits, gray and color, signed and unsigned. All samples must be those of that image.

| Transfer syntax | Frames | Exact | Lossy, largest difference of a mean | Refused | Fixtures exact |
|---|---|---|---|---|---|
${all.map(([uid, tally]) => toRow(uid, tally)).join('\n')}

${differences.length === 0 ? 'No frame differs from its reference.' : `Different:\n\n${differences.map((each) => `- ${each}`).join('\n')}`}

## Refused

The reference has no samples for these, but for two whose streams are no streams: \`invalid_compression.dcm\` (text) and
\`JPEG2000-embedded-sequence-delimiter.dcm\` (an overwritten header). GDCM's converter refuses those two as well.

| File | What negato says |
|---|---|
${refusals.map(({ path, reason }) => `| ${path} | ${reason} |`).join('\n')}
`;
}

/** Sorts UIDs by the numeric values of their components. */
function sortKey(uid: string): string {
  return uid
    .split('.')
    .map((part) => part.padStart(6, '0'))
    .join('.');
}

function toRow(uid: string, tally: Tally): string {
  const name = transferSyntaxName(uid)?.replace(/ \(.*/, '') ?? uid;
  const lossy =
    tally.close === 0
      ? ''
      : `${tally.close}: ${tally.largestDifference.toFixed(2)} (${(tally.largestShare * 100).toFixed(2)} %)`;
  const fixtures = tally.fixtures === 0 ? '' : `${tally.exactFixtures} of ${tally.fixtures}`;
  return `| ${name} \`${uid}\` | ${tally.frames} | ${tally.exact || ''} | ${lossy} | ${tally.refused || ''} | ${fixtures} |`;
}
