import { addTo } from '../../../shared/addTo.ts';
import { LAYER_NAMES, LAYER_OBJECTS, type LayerName } from '../../../shared/contract/layers.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';

/** The open files that have layers, and the images that they may lie over. */
export interface LayerFiles {
  /** Files that are layers and no images, in the order of the catalog. */
  withLayer(): Promise<readonly DicomFile[]>;
  /** The frames of reference that have images. */
  spaces(): Promise<Pick<ReadonlySet<string>, 'has'>>;
  imagesIn(frameOfReferenceUid: string): Promise<readonly DicomFile[]>;
  /** Those of them that are layers, too: their values may lie over other images. */
  fieldsIn(frameOfReferenceUid: string): Promise<readonly DicomFile[]>;
}

/** Looks at every file once, a few milliseconds in each turn. */
export function createLayerFiles({ files }: Pick<Catalog, 'files'>): LayerFiles {
  const layers: DicomFile[] = [];
  const images = new Map<string, DicomFile[]>();
  const fields = new Map<string, DicomFile[]>();
  let taken = 0;

  function* take(): WorkInTurns<void> {
    for (; taken < files.length; yield) {
      const file = files[taken]!;
      taken += 1;
      const name = findLayerName(file);
      if (name !== undefined && !LAYER_OBJECTS[name].isImage) layers.push(file);
      else if (file.hasPixels && file.frameOfReferenceUid !== undefined) {
        addTo(images, file.frameOfReferenceUid, file);
        if (name !== undefined) addTo(fields, file.frameOfReferenceUid, file);
      }
    }
  }

  return {
    async withLayer() {
      await doInTurns(take(), undefined);
      return layers;
    },
    async spaces() {
      await doInTurns(take(), undefined);
      return images;
    },
    async imagesIn(frameOfReferenceUid) {
      await doInTurns(take(), undefined);
      return images.get(frameOfReferenceUid) ?? [];
    },
    async fieldsIn(frameOfReferenceUid) {
      await doInTurns(take(), undefined);
      return fields.get(frameOfReferenceUid) ?? [];
    },
  };
}

/** The sort of layer that a file has; undefined if it has none, or nothing to draw. */
export function findLayerName(file: DicomFile): LayerName | undefined {
  return LAYER_NAMES.find((name) => {
    const { matches, needsPixels } = LAYER_OBJECTS[name];
    return matches(file) && (file.hasPixels || !needsPixels);
  });
}
