import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { buildDeepSummary } from '../buildDeepSummary.ts';
import { textOf } from '../describeElements.ts';
import type { DocumentDraft, DocumentKind, DocumentSource, DocumentTable } from '../documentKind.ts';
import { drawPalette } from '../drawPalette.ts';

export const presentationStateKind: DocumentKind = {
  name: 'presentation_state',
  sopClasses: listSopClasses('4.1.1.11.1-12 4.1.1.9.100.1 4.1.1.9.100.2 4.1.1.131 4.1.1.8 4.1.1.10 4.1.1.11'),
  views: ['presentation'],
  shows: 'label, what it changes in the images, its palette, and the images that it is for',
  build: buildPresentationState,
};

function buildPresentationState(source: DocumentSource): DocumentDraft {
  const summary = buildDeepSummary(source);
  const strip = drawPalette(source.dataSet);
  return {
    ...summary,
    tables: [...describeChanges(source.dataSet), ...summary.tables],
    figures: strip === undefined ? [] : [strip],
  };
}

const IMAGE_ROTATION = 0x00700042;
const IMAGE_HORIZONTAL_FLIP = 0x00700041;
const SHUTTER_SHAPE = 0x00181600;
const PRESENTATION_SIZE_MODE = 0x00700100;
const PRESENTATION_LUT_SHAPE = 0x20500020;
const TEXT_OBJECTS = 0x00700008;
const GRAPHIC_OBJECTS = 0x00700009;
const MOST_WINDOWS = 4;

/** What applying the state does, in words. */
function describeChanges(dataSet: DataSet): DocumentTable[] {
  const windows = dataSet.items(Tag.SoftcopyVOILUTSequence);
  const areas = dataSet.items(Tag.DisplayedAreaSelectionSequence);
  const drawings = dataSet.items(Tag.GraphicAnnotationSequence);
  const count = (tag: number) => drawings.reduce((sum, one) => sum + one.items(tag).length, 0);
  const rotation = dataSet.number(IMAGE_ROTATION);
  const lines: readonly (readonly [label: string, value: string | undefined])[] = [
    ['Window', windows.length === 0 ? undefined : describeWindows(windows)],
    ['Rotation', rotation === undefined || rotation === 0 ? undefined : `${rotation}° clockwise`],
    ['Mirrored', dataSet.string(IMAGE_HORIZONTAL_FLIP) === 'Y' ? 'left to right' : undefined],
    [
      'Displayed area',
      areas.length === 0
        ? undefined
        : (areas[0]?.string(PRESENTATION_SIZE_MODE) ?? '').toLowerCase() +
          (areas.length > 1 ? ` and ${areas.length - 1} more` : ''),
    ],
    ['Shutter', textOf(dataSet, SHUTTER_SHAPE)?.toLowerCase()],
    ['Gray scale', textOf(dataSet, PRESENTATION_LUT_SHAPE)?.toLowerCase()],
    ['Graphics', count(GRAPHIC_OBJECTS) === 0 ? undefined : String(count(GRAPHIC_OBJECTS))],
    ['Texts', count(TEXT_OBJECTS) === 0 ? undefined : String(count(TEXT_OBJECTS))],
    ['Graphic layers', listLayers(dataSet)],
  ];
  const rows = lines.filter(([, value]) => value !== undefined && value !== '');
  return rows.length === 0 ? [] : [{ title: 'What it changes', columns: [{ label: 'What' }, { label: 'How' }], rows }];
}

function describeWindows(windows: readonly DataSet[]): string {
  const texts = windows.slice(0, MOST_WINDOWS).map((one) => {
    const [center, width] = [one.number(Tag.WindowCenter), one.number(Tag.WindowWidth)];
    return center === undefined || width === undefined ? 'a lookup table' : `center ${center}, width ${width}`;
  });
  return (
    [...new Set(texts)].join('; ') + (windows.length > MOST_WINDOWS ? ` and ${windows.length - MOST_WINDOWS} more` : '')
  );
}

const MOST_LAYERS = 16;

function listLayers(dataSet: DataSet): string | undefined {
  const names = dataSet.items(Tag.GraphicLayerSequence).flatMap((one) => one.string(Tag.GraphicLayer) ?? []);
  return names.length === 0 ? undefined : names.slice(0, MOST_LAYERS).join(', ');
}
