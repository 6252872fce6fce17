import type { LabelFormat, LabelPlanResponse } from '../../../shared/contract/labels.ts';
import type { LayersResponse } from '../../../shared/contract/layerAnswers.ts';
import type { ImportedMarksResponse } from '../../../shared/contract/marks.ts';
import { HEADER } from '../../../shared/contract/headers.ts';
import { fetchNamed, type NamedFile } from './exports.ts';
import type { FrameAddress } from './frames.ts';
import { JSON_BODY } from './marks.ts';
import { fetchJson } from './send.ts';

/** What becomes labels of the stack of a frame. */
export type LabelsWanted = {
  readonly of: FrameAddress;
  readonly layers: readonly number[];
  readonly withMarks: boolean;
  readonly grid: 'images' | 'own';
  readonly overlap: 'volumes' | 'last';
};

/** All layers that may lie over the stack of a frame. */
export function fetchLayersOver({ fileIndex, frame }: FrameAddress, signal: AbortSignal): Promise<LayersResponse> {
  return fetchJson(`api/layers?file=${fileIndex}&frame=${frame}`, { signal });
}

export function fetchLabelPlan(wanted: LabelsWanted, signal: AbortSignal): Promise<LabelPlanResponse> {
  return fetchJson(`api/file/${wanted.of.fileIndex}/volume/labels/plan?${formatQuery(wanted)}`, { signal });
}

/** The file, and what it lacks of what was asked for; empty if that is nothing. */
export async function fetchLabelVolume(
  wanted: LabelsWanted,
  format: LabelFormat,
  parts?: readonly number[],
): Promise<NamedFile & { readonly leftOut: string }> {
  const chosen = parts === undefined ? '' : `&parts=${parts.join()}`;
  const path =
    `api/file/${wanted.of.fileIndex}/volume/labels?${formatQuery(wanted)}&format=${format}${chosen}` as const;
  const { headers, ...file } = await fetchNamed(path);
  return { ...file, leftOut: headers.get(HEADER.labelsLeftOut) ?? '' };
}

/** Makes an editable mask of each part of layers. */
export function makeLabelMarks({ of, layers }: Pick<LabelsWanted, 'of' | 'layers'>): Promise<ImportedMarksResponse> {
  const body = JSON.stringify({ frame: of.frame, layers });
  return fetchJson(`api/file/${of.fileIndex}/volume/labels/marks`, { method: 'POST', headers: JSON_BODY, body });
}

function formatQuery({ of, layers, withMarks, grid, overlap }: LabelsWanted): string {
  const ofLayers = layers.length === 0 ? '' : `&layers=${layers.join()}`;
  return `frame=${of.frame}${ofLayers}${withMarks ? '&marks=add' : ''}&grid=${grid}&overlap=${overlap}`;
}
