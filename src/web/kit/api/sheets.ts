import { HEADER } from '../../../shared/contract/headers.ts';
import type { SheetPlane } from '../../../shared/contract/sheets.ts';
import { type FrameRequestOptions, toInit } from './frames.ts';
import { send } from './send.ts';

export type SheetChoice = {
  /** Any file of the series: its UIDs may have characters that no address can have. */
  readonly fileIndex: number;
  readonly slices: number;
  readonly plane: SheetPlane;
  readonly hasLayers: boolean;
  /** Of the layers that were named with `--truth` and `--test`. */
  readonly hasErrors: boolean;
  /** In device pixels. */
  readonly width: number;
};

export type SheetAnswer = {
  readonly picture: Blob;
  /** The window of all its pictures, if that is not the one of each. */
  readonly window: { readonly center: number; readonly width: number } | undefined;
  /** What is damaged, missing or not drawn, in words. */
  readonly problems: readonly string[];
};

/** Key slices of a series as one picture. */
export async function fetchSheet(
  { fileIndex, slices, plane, hasLayers, hasErrors, width }: SheetChoice,
  options: FrameRequestOptions,
): Promise<SheetAnswer> {
  const query = `slices=${slices}&plane=${plane}&w=${width}${hasLayers ? '&layers=1' : ''}${hasErrors ? '&errors=named' : ''}`;
  const response = await send(`api/series/file/${fileIndex}/sheet?${query}`, toInit(options));
  const { headers } = response;
  const [center, windowWidth] = [headers.get(HEADER.windowCenter), headers.get(HEADER.windowWidth)];
  return {
    picture: await response.blob(),
    window: center === null ? undefined : { center: Number(center), width: Number(windowWidth) },
    problems: [...readProblems(headers), ...readLeftOut(headers)],
  };
}

function readProblems(headers: Headers): string[] {
  const text = headers.get(HEADER.sheetProblems) ?? '';
  return text === ''
    ? []
    : text.split(',').map((one) => {
        const [tile = '0', code = ''] = one.split(':');
        return `Picture ${Number(tile) + 1}: ${code.replaceAll('_', ' ')}`;
      });
}

function readLeftOut(headers: Headers): string[] {
  const text = headers.get(HEADER.sheetLeftOut) ?? '';
  return text === '' ? [] : [`Not drawn: ${text.replaceAll('_', ' ')}`];
}
