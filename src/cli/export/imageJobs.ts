import { ViewerError } from '../../shared/contract/errors.ts';
import { LAYER_OBJECTS } from '../../shared/contract/layers.ts';
import type { DicomFile } from '../../server/images/catalog/dicomFile.ts';
import type { VolumeFormat } from '../../server/images/exports/nifti/niftiVolumes.ts';
import { findLayerName } from '../../server/over/layers/layerFiles.ts';
import { type ExportDomains, type ExportJobs, type JobFile, type NotExported, waitFor } from './exportJob.ts';
import { createStackFinder, type ExportedStack, keyOfStack } from './listStacks.ts';

/** A file for each stack of images. Whether it is a volume turns out when it is made. */
export async function listImageJobs(
  domains: ExportDomains,
  format: VolumeFormat,
  signal: AbortSignal,
): Promise<ExportJobs> {
  const { catalog, exports } = domains;
  const others = new Map<string, number>();
  const images: DicomFile[] = [];
  for (const file of catalog.files) {
    const layer = findLayerName(file);
    const isLayerOnly = layer !== undefined && !LAYER_OBJECTS[layer].isImage;
    if (file.hasPixels && !isLayerOnly) images.push(file);
    else {
      const name =
        layer !== undefined && isLayerOnly ? LAYER_OBJECTS[layer].noun : file.objectKind.replaceAll('_', ' ');
      others.set(name, (others.get(name) ?? 0) + 1);
    }
  }
  const stacks = await createStackFinder(domains, signal).list(images);

  async function* make({ file, frame, stack }: ExportedStack): AsyncGenerator<JobFile, void> {
    const address = { fileIndex: file.index, frame };
    const options = { signal, priority: 'prefetch' } as const;
    const { of, fields, shape, affine, origins } = await waitFor(signal, () =>
      exports.nifti.describe(address, {}, options),
    );
    // The first of several enhanced files that are one volume leads to the same file.
    if (stack !== undefined && !stack.fileIndices.includes(of.index)) {
      throw new ViewerError('volume_unavailable', 'its images are in the volume of other files of the series');
    }
    const { pieces } = await waitFor(signal, () => exports.nifti.write(address, { format }, options));
    const place = format === 'npy' ? { Shape: shape, ...describePlace(affine, origins) } : {};
    yield { suffix: '', pieces, sidecar: { ...fields, ...place } };
  }

  return {
    jobs: stacks.map((stack) => ({
      of: stack.file,
      title: undefined,
      key: keyOfStack(stack),
      ending: `.${format}`,
      make: () => make(stack),
    })),
    leftOut: [...others].map(([name, count]): NotExported => ({
      what: `${count} × ${name}`,
      reason: 'it is no image',
    })),
  };
}

/** A file of NumPy does not say where it is. Both are in the coordinates of DICOM (LPS), in millimetres. */
function describePlace(affine: readonly number[] | undefined, origins: Float64Array): object {
  if (affine === undefined) {
    return {
      SliceOrigins: Array.from({ length: origins.length / 3 }, (_, at) =>
        Array.from(origins.slice(3 * at, 3 * at + 3)),
      ),
    };
  }
  return { Affine: [affine.slice(0, 4), affine.slice(4, 8), affine.slice(8, 12), [0, 0, 0, 1]] };
}
